package parttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// recorder is a test that keeps what it is told.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func TestCheck(t *testing.T) {
	const text = "one {two} three é\n"
	good := []part.Part{{Start: 0, End: 9, Parent: -1}, {Start: 0, End: 3, Parent: 0}, {Start: 4, End: 9, Parent: 0}, {Parent: -1, Kind: part.Group}, {Start: 10, End: 18, Parent: 3}}
	changed := func(i int, p part.Part) []part.Part {
		parts := append([]part.Part(nil), good...)
		parts[i] = p
		return parts
	}
	for _, c := range []struct {
		rule  string
		parts []part.Part
		title string
		want  string // "" for none
	}{
		{"parts that keep the rules", good, "title", ""},
		{"no parts", nil, "title", ""},
		{"parent behind its child", changed(1, part.Part{Start: 0, End: 3, Parent: 2}), "title", "does not stand before"},
		{"outside the text", changed(4, part.Part{Start: 10, End: 99, Parent: 3}), "title", "no span"},
		{"empty", changed(1, part.Part{Start: 3, End: 3, Parent: 0}), "title", "no span"},
		{"group with bytes", changed(3, part.Part{Start: 0, End: 3, Parent: -1, Kind: part.Group}), "title", "no span"},
		{"outside the parent", changed(2, part.Part{Start: 4, End: 10, Parent: 0}), "title", "leaves part 0"},
		{"inside a character", changed(4, part.Part{Start: 10, End: 17, Parent: 3}), "title", "cuts a character"},
		{"overlap", changed(2, part.Part{Start: 2, End: 9, Parent: 0}), "title", "begins before"},
		{"text in no part", changed(4, part.Part{Start: 12, End: 18, Parent: 3}), "title", `"th" at 9`},
		{"structure between parts", changed(2, part.Part{Start: 5, End: 9, Parent: 0}), "title", ""},
		{"no title", good, "", "no title"},
		{"title of two lines", good, "a\nb", "one line"},
		{"long title", good, strings.Repeat("a", 81), "one line"},
	} {
		r := &recorder{TB: t}
		doc := &part.Doc{Count: "5 parts", Parts: c.parts, Name: func(_ int, n *part.Name) { n.ID, n.Title = append(n.ID, 'x'), append(n.Title, c.title...) }}
		Check(r, []byte(text), doc, func(gap []byte) bool { return string(gap) == "{" })
		if got := strings.Join(r.said, "\n"); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}
