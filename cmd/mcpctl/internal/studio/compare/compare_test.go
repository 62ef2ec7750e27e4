package compare

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/screen"
)

// shown returns rows as text, with marked words in braces.
func shown(rows []screen.Row) string {
	var b strings.Builder
	for _, r := range rows {
		at := 0
		for _, m := range r.Marks {
			b.WriteString(r.Text[at:m.From] + "{" + r.Text[m.From:m.To] + "}")
			at = m.To
		}
		b.WriteString(r.Text[at:] + "\n")
	}
	return b.String()
}

func TestTexts(t *testing.T) {
	many := strings.Repeat("same\n", 10)
	for _, tc := range []struct{ name, before, after, want string }{
		{"equal", "a\n", "a\n", "no difference\n"},
		{"word in a line", "the quick fox\n", "the slow fox\n", "- the {quick} fox\n+ the {slow} fox\n"},
		{"lines without a common word are not marked", "abc\n", "xyz\n", "- abc\n+ xyz\n"},
		{"two changed lines", "a 1\nb 2\n", "a 3\nb 4\n", "- a {1}\n- b {2}\n+ a {3}\n+ b {4}\n"},
		{"added line", "a\nc\n", "a\nb\nc\n", "  a\n+ b\n  c\n"},
		{"equal lines are counted", many + "a\n" + many, many + "b\n" + many,
			"... 7 equal lines\n  same\n  same\n  same\n- a\n+ b\n  same\n  same\n  same\n... 7 equal lines\n"},
		{"missing line end", "a b", "a b\n", "- a b{ (no line end)}\n+ a b\n"},
		{"escape sequences", "x \x1b[31m\n", "x y\n", "- x {\\x1b[31m}\n+ x {y}\n"},
		{"ideographs are words", "我喜欢猫\n", "我喜欢狗\n", "- 我喜欢{猫}\n+ 我喜欢{狗}\n"},
		{"JSON by path", `{"a": {"b": [1, 2, 3], "c": "x y"}, "d": 1}`, `{"a": {"b": [1, 3], "c": "x z"}, "e f": null}`,
			"- a.b[1]: 2\n- a.c: \"x {y}\"\n+ a.c: \"x {z}\"\n- d: 1\n+ \"e f\": null\n"},
		{"JSON in another layout", `{"a":1}`, "{\n \"a\": 1\n}", "the same values, written differently\n"},
		{"JSON and text", `{"a":1}`, "a", "- {{\"}a{\":1}}\n+ a\n"},
		{"types of JSON", `{"a":{}}`, `{"a":[]}`, "- a: {{}}\n+ a: {[]}\n"},
		{"numbers are not rounded", `[12345678901234567890]`, `[12345678901234567891]`, "- [0]: {12345678901234567890}\n+ [0]: {12345678901234567891}\n"},
		{"to nothing", "a\nb\n", "", "- a\n- b\n"},
	} {
		if got := shown(Texts(tc.before, tc.after)); got != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", tc.name, got, tc.want)
		}
	}
}

func TestLargeTextsAreBounded(t *testing.T) {
	var a, b strings.Builder
	for i := range 21_000 {
		fmt.Fprintf(&a, "line %d of the first\n", i)
		fmt.Fprintf(&b, "line %d of the second\n", i)
	}
	if rows := Texts(a.String(), b.String()); len(rows) != maxRows+1 {
		t.Errorf("%d rows", len(rows))
	}
	long := strings.Repeat("word ", 200_000)
	if rows := Texts(long+"a", long+"b"); len(rows) != 2 || len(rows[0].Marks) != 1 {
		t.Errorf("one long line: %d rows", len(rows))
	}
	replaced := Texts(strings.Repeat("語", 9000), "short")
	if got := replaced[0].Text; len(got) > maxLine+100 || !utf8.ValidString(got) {
		t.Errorf("a replaced line takes %d bytes", len(got))
	}
	if rows := Texts(strings.Repeat("x", maxBytes), "y"); len(rows) != 1 {
		t.Errorf("over the limit: %d rows", len(rows))
	}
}
