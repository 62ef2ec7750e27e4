package compress

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/duty"
)

func TestProse(t *testing.T) {
	for name, test := range map[string]struct {
		rules    rules
		in, want string
	}{
		"blank lines are joined":              {rules{}, "one\n\n\n\ntwo\n", "one\n\ntwo\n"},
		"trailing blanks are removed":         {rules{}, "one  \ntwo\t\n", "one\ntwo\n"},
		"decoration is removed":               {rules{}, "one\n=-=-=-=\ntwo\n\n***********\n", "one\n\ntwo\n"},
		"a table stays":                       {rules{}, "| a | b |\n|---|---|\n| 1 | 2 |\n", "| a | b |\n|---|---|\n| 1 | 2 |\n"},
		"padding of cells is removed":         {rules{}, "| a      | b  |\n|:-------|---:|\n| `x  y`  |    |  \n", "| a | b |\n|:---|---:|\n| `x  y` | |\n"},
		"badges are removed":                  {rules{}, "# X\n[![build](https://a/b.svg)](https://c) [![z](y)](x)\ntext\n", "# X\n\ntext\n"},
		"an image with text is no badge":      {rules{}, "[![a](b)](c) and text\n", "[![a](b)](c) and text\n"},
		"comments in code stay":               {rules{}, "Use `<!--` here\nfact\n\n    <!-- code -->\n", "Use `<!--` here\nfact\n\n    <!-- code -->\n"},
		"a comment that does not end stays":   {rules{}, "one <!-- two\nthree\n", "one <!-- two\nthree\n"},
		"a badge with a duty stays":           {rules{}, "[![You MUST NEVER delete](b)](c)\n", "[![You MUST NEVER delete](b)](c)\n"},
		"comments are removed":                {rules{}, "one <!-- two\nthree --> four\n<!-- five -->\nsix\n", "one\n four\n\nsix\n"},
		"a duty in a comment is kept":         {rules{}, "one <!-- two\nKeys MUST be x --> three\n", "one\nKeys MUST be x  three\n"},
		"code stays":                          {rules{minLength: 20}, "```\n<!-- a -->\n\n\n----\n```\n", "```\n<!-- a -->\n\n\n----\n```\n"},
		"front matter stays":                  {rules{}, "---\na: 1\n\n\nb: 2\n---\ntext\n", "---\na: 1\n\n\nb: 2\n---\ntext\n"},
		"headings have one form":              {rules{}, "Title\n=====\ntext\n\nPart\n----\nmore\n", "# Title\ntext\n\n## Part\nmore\n"},
		"short lines are removed":             {rules{minLength: 10}, "ok\nthis one is long enough\n- item\n1. x\n> y\nMUST\n", "this one is long enough\n- item\n1. x\n> y\nMUST\n"},
		"headers without text are removed":    {rules{minLength: 10}, "# A\n## B\nno\n## C\n# D\nthis one is long enough\n# E\n", "# D\nthis one is long enough\n"},
		"ancestors of headers with text stay": {rules{minLength: 10}, "# A\n## B\nthis one is long enough\n", "# A\n\n## B\nthis one is long enough\n"},
		"headers stay with keepHeaders":       {rules{keepHeaders: true, minLength: 10}, "# A\n## B\nno\n", "# A\n\n## B\n"},
		"empty":                               {rules{}, "", ""},
	} {
		if got := string(test.rules.apply([]byte(test.in))); got != test.want {
			t.Errorf("%s: %q becomes %q, want %q", name, test.in, got, test.want)
		}
	}
}

func TestRepeatedParagraphs(t *testing.T) {
	long := strings.Repeat("one and two and three ", 12) + "four\nand five"
	short := long[:50]
	for name, test := range map[string]struct{ in, want string }{
		"a reference replaces it":   {"# A\n" + long + "\n\n## B\n\n" + long + "  \n\nend\n", "# A\n" + long + "\n\n## B\n\n(as above: one and two and three one and two and three one and two a...)\n\nend\n"},
		"a short one stays":         {short + "\n\n" + short + "\n", short + "\n\n" + short + "\n"},
		"one with a duty stays":     {long + " MUST\n\n" + long + " MUST\n", long + " MUST\n\n" + long + " MUST\n"},
		"the start of one stays":    {long + "\nsix\n\n" + long + "\n", long + "\nsix\n\n" + long + "\n"},
		"code stays":                {"```\n" + long + "\n```\n\n```\n" + long + "\n```\n", "```\n" + long + "\n```\n\n```\n" + long + "\n```\n"},
		"the end of one stays":      {"six\n" + long + "\n\n" + long + "\n", "six\n" + long + "\n\n" + long + "\n"},
		"two with one start stay":   {long + "\n\n" + long + " x\n\n" + long + "\n", long + "\n\n" + long + " x\n\n" + long + "\n"},
		"one before a fence is one": {long + "\n\n" + long + "\n```\nx\n```\n", long + "\n\n(as above: one and two and three one and two and three one and two a...)\n```\nx\n```\n"},
	} {
		if got := string(rules{}.apply([]byte(test.in))); got != test.want {
			t.Errorf("%s: %q becomes %q, want %q", name, test.in, got, test.want)
		}
	}
}

func TestTableOfContents(t *testing.T) {
	text := "\n# One\na\n\n# `Two` it\nb\n\n## Three\nc\n"
	for name, test := range map[string]struct{ in, want string }{
		"it repeats headings":          {"x\n\n* [One](#one)\n* [Two it](#two)\n  1. [Three](#three)\n" + text, "x\n" + text},
		"two entries stay":             {"x\n\n* [One](#one)\n* [Two it](#two)\n" + text, "x\n\n* [One](#one)\n* [Two it](#two)\n" + text},
		"another entry stays":          {"* [One](#one)\n* [Two it](#two)\n* [Three](#three)\n* [Four](#four)\n" + text, "* [Four](#four)\n" + text},
		"links to other texts stay":    {"* [One](a.md#one)\n* [Two it](a.md#two)\n* [Three](a.md#three)\n" + text, "* [One](a.md#one)\n* [Two it](a.md#two)\n* [Three](a.md#three)\n" + text},
		"an entry with a remark stays": {"* [One](#one) is x\n* [Two it](#two) is y\n* [Three](#three) (old)\n" + text, "* [One](#one) is x\n* [Two it](#two) is y\n* [Three](#three) (old)\n" + text},
		"in code it stays":             {"```\n* [One](#one)\n* [Two it](#two)\n* [Three](#three)\n```\n" + text, "```\n* [One](#one)\n* [Two it](#two)\n* [Three](#three)\n```\n" + text},
	} {
		if got := string(rules{keepHeaders: true}.apply([]byte(test.in))); got != test.want {
			t.Errorf("%s: %q becomes %q, want %q", name, test.in, got, test.want)
		}
	}
}

func TestDutiesSurviveAnyRule(t *testing.T) {
	lines := []string{"text of some length", "", "x", "You MUST rotate", "----", "# H", "Title\n---", "```", "<!--", "-->", "[![a](b)](c)", "NEVER", "  ", "| a |"}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var in strings.Builder
		for range rnd.IntN(20) {
			in.WriteString(lines[rnd.IntN(len(lines))] + "\n")
		}
		r := rules{keepHeaders: rnd.IntN(2) == 0, minLength: rnd.IntN(30)}
		got := string(r.apply([]byte(in.String())))
		for line := range strings.Lines(in.String()) {
			if duty.IsDuty(line) && !strings.Contains(got, strings.TrimSpace(line)) {
				t.Fatalf("%q loses %q: %q", in.String(), line, got)
			}
		}
		if again := string(r.apply([]byte(got))); len(again) > len(got) {
			t.Fatalf("%q grows to %q", got, again)
		}
	}
}

func TestJSONLosesOnlyWhiteSpace(t *testing.T) {
	for _, in := range []string{
		`{ "a" : [ 1 , 2.50 , "x  y" , "\" { \\" ] , "b" : { } }`, "[\n\t1\r\n]", `"  a  "`, `[]`, `{"🙂 ": " "}`,
	} {
		var want bytes.Buffer
		if err := json.Compact(&want, []byte(in)); err != nil {
			t.Fatal(err)
		}
		want.WriteByte('\n')
		if got := removeWhiteSpace([]byte(in)); !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s becomes %s, want %s", in, got, want.Bytes())
		}
	}
}

func TestRepeatedLinesOfALog(t *testing.T) {
	for in, want := range map[string]string{
		"a\na\na\nb\n": "a (x3)\nb\n",
		"a\nb\na":      "a\nb\na\n",
		"\n\n":         " (x2)\n",
		"":             "",
	} {
		if got := string(removeRepeats([]byte(in))); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func FuzzProse(f *testing.F) {
	f.Add("# a\n<!-- x -->\n```\ny\n", true, 3)
	f.Fuzz(func(t *testing.T, in string, keep bool, min int) {
		rules{keepHeaders: keep, minLength: min}.apply([]byte(in))
		removeRepeats([]byte(in))
	})
}
