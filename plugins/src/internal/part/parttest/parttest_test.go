package parttest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// recorder is a test that records its errors.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
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
		{"parent after its child", changed(1, part.Part{Start: 0, End: 3, Parent: 2}), "title", "is not before"},
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
		if got := strings.Join(r.errors, "\n"); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

// words is a scanner of words between blanks. In a text that is not forced it misses the
// first of three or more.
func words(b []byte, c part.Clues) (*part.Doc, bool) {
	d := &part.Doc{Count: "words"}
	for at, end := 0, 0; at < len(b); at = end + 1 {
		for end = at; end < len(b) && b[end] != ' '; {
			end++
		}
		if end > at {
			d.Parts = append(d.Parts, part.Part{Start: int32(at), End: int32(end), Parent: -1})
		}
	}
	if !c.Forced && len(d.Parts) > 2 {
		d.Parts = d.Parts[1:]
	}
	d.Name = func(i int, n *part.Name) { n.Title = append(n.Title, b[d.Parts[i].Start:d.Parts[i].End]...) }
	return d, len(b) > 0
}

func TestScannerIsCheckedForcedAndNotForced(t *testing.T) {
	for text, want := range map[string]string{"one two": "", "one two three": `"one" at 0 is in no part`} {
		r := &recorder{TB: t}
		Scanner{Scan: words}.check(r, []byte(text))
		if got := strings.Join(r.errors, "\n"); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	Scanner{Scan: words}.Random(t, 100, 3, func(rnd *rand.Rand) string { return []string{"a", "bc", " "}[rnd.IntN(3)] })
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		rule, text, parts string
		clues             part.Clues
		want              string // "" for none
	}{
		{"expected titles", "one two", "\n | one\n | two", part.Clues{}, ""},
		{"other titles", "one two", "\n | one\n | tow", part.Clues{}, "other titles: got\n | one\n | two\nwant\n | one\n | tow"},
		{"not all of the text", "one two three", "\n | two\n | three", part.Clues{}, `"one" at 0 is in no part`},
		{"with clues", "one two three", "\n | one\n | two\n | three", Forced, ""},
		{"no text", "", "\n", part.Clues{}, "no text: refused"},
		{"a text to refuse", "", "", part.Clues{}, ""},
		{"a text to refuse that is accepted", "one two", "", part.Clues{}, "a text to refuse that is accepted: got\n | one\n | two\nwant"},
	} {
		r := &recorder{TB: t}
		Scanner{Scan: words}.Names(r, c.rule, c.text, c.clues, c.parts)
		if got := strings.Join(r.errors, "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

func TestList(t *testing.T) {
	d := &part.Doc{Parts: []part.Part{{Parent: -1}, {Parent: 0}, {Parent: 1}, {Parent: -1}}, Name: func(i int, n *part.Name) {
		n.ID, n.Title = append(n.ID, 'a'+byte(i)), append(n.Title, "title"...)
	}}
	if got, want := List(d), []string{"a | title", " b | title", "  c | title", "d | title"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLines(t *testing.T) {
	if got := Lines(3, strconv.Itoa); got != "0\n1\n2\n" {
		t.Errorf("%q", got)
	}
}
