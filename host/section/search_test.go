package section_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
)

func TestSearch(t *testing.T) {
	c := splitOf(t, "p-gh-privacy.md")
	d := open(t, c, section.Settings{})
	a := d.Read(ref, "?cookies")
	first, _, _ := strings.Cut(string(a.Text), "\n")
	if a.Meta.Kind != flow.AnswerSearch || !strings.HasSuffix(first, `sections match "cookies"`) || len(a.Meta.Offers) < 2 {
		t.Fatalf("%s\n%s", a.Meta.Kind, a.Text)
	}
	for _, id := range a.Meta.Offers {
		if b := d.Read(ref, id+"!"); !bytes.Contains(bytes.ToLower(b.Text), []byte("cookie")) {
			t.Errorf("hit %q does not contain \"cookie\": %.200s", id, b.Text)
		}
	}
	if upper := d.Read(ref, "?COOKIES"); fmt.Sprint(upper.Meta.Offers) != fmt.Sprint(a.Meta.Offers) {
		t.Errorf("hits depend on case: %v, %v", upper.Meta.Offers, a.Meta.Offers)
	}
	if none := d.Read(ref, "?nowhere to be found"); none.IsError || string(none.Text) != "no section matches \"nowhere to be found\"\n" {
		t.Errorf("%v %s", none.IsError, none.Text)
	}
}

// TestWordThatOccursNowhere checks that a search leaves out the minority of words that
// occur nowhere, and says so.
func TestWordThatOccursNowhere(t *testing.T) {
	d := open(t, splitOf(t, "p-gh-privacy.md"), section.Settings{})
	a := d.Read(ref, "?cookies tracking zebra")
	if !strings.HasPrefix(string(a.Text), "nothing contains \"zebra\"; ") || len(a.Meta.Offers) < 2 {
		t.Errorf("%s", a.Text)
	}
	for _, query := range []string{"cookies zebra", "cookies zebra giraffe"} {
		if a := d.Read(ref, "?"+query); string(a.Text) != fmt.Sprintf("no section matches %q\n", query) {
			t.Errorf("%s: %s", query, a.Text)
		}
	}
}

// TestRanksOfHits checks that names are before titles, and titles before bytes.
func TestRanksOfHits(t *testing.T) {
	text := []byte("gamma\nalpha ß STRASSE\nbeta gamma\nÄRGER k\n")
	b := &treeBuilder{text: text, tree: abi.Tree{Type: "text"}}
	for i, s := range []struct{ id, title string }{{"a", "x"}, {"b", "the gamma title"}, {"gamma", "y"}, {"d", "z"}} {
		line := bytes.SplitAfter(text, []byte("\n"))[i]
		at := bytes.Index(text, line)
		b.add(-1, abi.SectionExact, at, at+len(line), s.id, s.title)
	}
	d := open(t, content{text: text, tree: b.tree}, section.Settings{})
	if got := fmt.Sprint(d.Read(ref, "?Gamma").Meta.Offers); got != "[gamma b a]" {
		t.Errorf("the order is %s, want name, title, bytes", got)
	}
	for words, want := range map[string]string{"?ärger": "d", "?strasse": "b", "?\u212a": "d", "?gamma beta": "gamma"} {
		if a := d.Read(ref, words); a.Meta.Section != want {
			t.Errorf("Read(%q) is about %q, want %q: %s", words, a.Meta.Section, want, a.Text)
		}
	}
}

func TestSearchWithoutSections(t *testing.T) {
	var text bytes.Buffer
	for i := range 50_000 {
		fmt.Fprintf(&text, "line %d of a log\n", i)
	}
	d := open(t, content{text: text.Bytes()}, section.Settings{})
	if a := d.Read(ref, "?line 31999 "); a.Meta.Kind != flow.AnswerLeaf || !bytes.Contains(a.Text, []byte("line 31999 of")) || !bytes.HasPrefix(a.Text, []byte("line ")) {
		t.Errorf("%s: %.300s", a.Meta.Kind, a.Text)
	}
	a := d.Read(ref, "?9999 of")
	if !bytes.HasPrefix(a.Text, []byte("5 sections match")) || len(a.Meta.Offers) != 5 {
		t.Errorf("%.300s", a.Text)
	}
	for _, id := range a.Meta.Offers {
		if b := d.Read(ref, id); b.Meta.Kind != flow.AnswerLeaf || !bytes.Contains(b.Text, []byte("9999 of")) {
			t.Errorf("%q: %.200s", id, b.Text)
		}
	}
	if a := d.Read(ref, "line 40000"); !bytes.Contains(a.Text, []byte("line 39999 of")) {
		t.Errorf("%.200s", a.Text)
	}
}

// TestSearchLimits checks that the first line of a search has the number of hits, and that
// the lines are within the limits.
func TestSearchLimits(t *testing.T) {
	d := open(t, rows(100, numbered(500, true)...), section.Settings{})
	for _, c := range []struct {
		rule, section, first string
		offers               int
	}{
		{"more hits than lines", "?xxx", `500 sections match "xxx" in 18 lines`, 18},
		{"hits in titles", "?k0003", `10 sections match "k0003"`, 10},
		{"search below a fold", "@k00100..k00119?xxx", `20 sections match "xxx"`, 20},
		{"long query", "?x" + strings.Repeat(" ", 10) + strings.Repeat("x", 90), `500 sections match "x ` + strings.Repeat("x", 75) + `..." in 18 lines`, 18},
	} {
		a := d.Read(ref, c.section)
		first, _, _ := strings.Cut(string(a.Text), "\n")
		if first != c.first || len(a.Meta.Offers) != c.offers || a.Meta.Kind != flow.AnswerSearch {
			t.Errorf("%s: %q, %d offers, want %q, %d", c.rule, first, len(a.Meta.Offers), c.first, c.offers)
		}
	}
}

func TestSearchWithFewHits(t *testing.T) {
	c := flows()
	d := open(t, c, section.Settings{LeafSize: 64})
	for _, r := range []struct {
		rule, section string
		kind          flow.AnswerKind
		id            string
	}{
		{"leaf as the only hit", "?n2", flow.AnswerLeaf, "nodes/n2"},
		{"index as the only hit", "?nodes", flow.AnswerSearch, "?nodes"},
		{"search of a leaf", "nodes/n2?door", flow.AnswerLeaf, "nodes/n2"},
		{"no hit", "nodes?theme", flow.AnswerSearch, "nodes?theme"},
		{"empty query", "nodes/n2?", flow.AnswerLeaf, "nodes/n2"},
		{"search of the bytes of a section", "nodes!?door", flow.AnswerLeaf, "nodes/n2"},
	} {
		if a := d.Read(ref, r.section); a.IsError || a.Meta.Kind != r.kind || a.Meta.Section != r.id {
			t.Errorf("%s: Read(%q) has kind %s and section %q:\n%s", r.rule, r.section, a.Meta.Kind, a.Meta.Section, a.Text)
		}
	}
}
