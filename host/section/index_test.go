package section_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
)

// rows returns a content of consecutive sections, each of size bytes.
func rows(size int, ids ...string) content {
	b := &treeBuilder{tree: abi.Tree{Type: "csv"}}
	for _, id := range ids {
		from := len(b.text)
		b.text = fmt.Appendf(b.text, "%s,%s\n", id, strings.Repeat("x", size-len(id)-2))
		b.add(-1, abi.SectionExact, from, len(b.text), id, id)
	}
	return content{name: "rows", text: b.text, tree: b.tree}
}

// numbered returns n ids in alphabetical order, or in another order.
func numbered(n int, sorted bool) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("k%05d", i)
		if !sorted {
			ids[i] = fmt.Sprintf("k%05d", i*7919%n)
		}
	}
	return ids
}

func TestNamesOfFolds(t *testing.T) {
	for _, c := range []struct {
		rule   string
		sorted bool
		want   string // prefix of the first offer
	}{
		{"sorted ids", true, "@k00000..k"},
		{"other ids, by position", false, "@0.."},
	} {
		d := open(t, rows(900, numbered(97, c.sorted)...), section.Settings{})
		a := d.Read(ref, "")
		if !strings.HasPrefix(a.Meta.Offers[0], c.want) || len(a.Meta.Offers) > 24 {
			t.Errorf("%s: %q", c.rule, a.Meta.Offers)
		}
	}
	d := open(t, rows(2000, numbered(24, true)...), section.Settings{})
	if a := d.Read(ref, ""); len(a.Meta.Offers) != 24 || strings.Contains(string(a.Text), "..k") {
		t.Errorf("parts that fit into the lines are folded:\n%s", a.Text)
	}
}

// TestReadOfFolds checks that any range of parts can be read as a fold, offered or not.
func TestReadOfFolds(t *testing.T) {
	c := rows(100, numbered(100, true)...)
	d := open(t, c, section.Settings{})
	for _, f := range []struct {
		rule, id   string
		start, end int // of a leaf; 0, 0 for an index
	}{
		{"few rows", "@k00003..k00019", 300, 2000},
		{"as many rows as fit into a leaf", "@k00000..k00029", 0, 3000},
		{"one row more than fits into a leaf", "@k00000..k00030", 0, 0},
		{"one row", "@k00005..k00005", 500, 600},
		{"positions of sorted ids", "@3..19", 300, 2000},
	} {
		a := d.Read(ref, f.id)
		if a.IsError {
			t.Errorf("%s: %s", f.rule, a.Text)
			continue
		}
		if f.end == 0 {
			if a.Meta.Kind != flow.AnswerIndex {
				t.Errorf("%s: %s of %d bytes", f.rule, a.Meta.Kind, len(a.Text))
			}
			continue
		}
		if !bytes.Equal(a.Text, c.text[f.start:f.end]) {
			t.Errorf("%s: %d bytes, want %d to %d", f.rule, len(a.Text), f.start, f.end)
		}
	}
	for _, id := range []string{"@k00019..k00003", "@k00003..k99999", "@3..100", "@-1..3"} {
		if a := d.Read(ref, id); !a.IsError {
			t.Errorf("%q reads %.60q", id, a.Text)
		}
	}
}

// TestThreeLevelsOfFolds checks that three calls reach each of 24*24*24 parts.
func TestThreeLevelsOfFolds(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 28 MB")
	}
	c := rows(2000, numbered(24*24*24, true)...)
	r := crawled(open(t, c, section.Settings{}), c.text)
	if err := r.Err(); err != nil || r.MaxDepth > 3 || r.Leaves != 24*24*24 {
		t.Errorf("%d leaves after at most %d calls, %v", r.Leaves, r.MaxDepth, err)
	}
}

func TestOnlyChildren(t *testing.T) {
	text := []byte(`{"spec": {"versions": [{"schema": {"a": "` + strings.Repeat("x", 4000) + `", "b": "` + strings.Repeat("y", 4000) + `"}}]}, "kind": "CRD"}`)
	d := open(t, content{text: text, tree: splitJSON(text, 3000, false)}, section.Settings{})
	want := []string{"spec/versions/0/schema/a", "spec/versions/0/schema/b", "kind"}
	if a := d.Read(ref, ""); fmt.Sprint(a.Meta.Offers) != fmt.Sprint(want) {
		t.Errorf("offers are %q, want %q", a.Meta.Offers, want)
	}
	narrow := open(t, content{text: text, tree: splitJSON(text, 3000, false)}, section.Settings{MaxLines: 2})
	if a := narrow.Read(ref, ""); fmt.Sprint(a.Meta.Offers) != "[spec/versions/0/schema kind]" {
		t.Errorf("offers without room for the children are %q", a.Meta.Offers)
	}
}

// TestLookAhead checks that the largest parts are expanded first while lines are left.
func TestLookAhead(t *testing.T) {
	part := func(n int) string {
		return `{"p": "` + strings.Repeat("x", n) + `", "q": "` + strings.Repeat("y", n) + `"}`
	}
	text := []byte(`{"small": ` + part(2000) + `, "large": ` + part(4000) + `, "middle": ` + part(3000) + `}`)
	for lines, want := range map[int]string{
		3: "[small large middle]",
		4: "[small large/p large/q middle]",
		5: "[small large/p large/q middle/p middle/q]",
		6: "[small/p small/q large/p large/q middle/p middle/q]",
	} {
		d := open(t, content{text: text, tree: splitJSON(text, 1500, false)}, section.Settings{MaxLines: lines})
		if a := d.Read(ref, ""); fmt.Sprint(a.Meta.Offers) != want {
			t.Errorf("%d lines: %q, want %s", lines, a.Meta.Offers, want)
		}
	}
}

// TestSolePart checks that the only part of a content is always expanded,
// regardless of the cost of its lines.
func TestSolePart(t *testing.T) {
	long := strings.Repeat("a rather long name of a part ", 3)
	object := func(n, size int) string {
		members := make([]string, n)
		for i := range members {
			members[i] = fmt.Sprintf("%q: %q", fmt.Sprintf("%s%d", long, i), strings.Repeat("x", size))
		}
		return "{" + strings.Join(members, ", ") + "}"
	}
	for _, c := range []struct {
		rule, text string
		lines      int // of the setting
		least      int // number of offers
	}{
		{"parts that exceed a short index", `{"a": {"b": ` + object(20, 900) + `}}`, 24, 8},
		{"more parts than lines", `{"a": ` + object(300, 400) + `}`, 24, 8},
		{"few lines", `{"a": ` + object(30, 900) + `}`, 3, 2},
		{"long leaf", `{"a": "` + strings.Repeat("word ", 4000) + `"}`, 24, 5},
	} {
		text := []byte(c.text)
		d := open(t, content{text: text, tree: splitJSON(text, 1000, false)}, section.Settings{MaxLines: c.lines})
		a := d.Read(ref, "")
		if len(a.Meta.Offers) < c.least || len(a.Meta.Offers) > c.lines {
			t.Errorf("%s: %d lines\n%s", c.rule, len(a.Meta.Offers), a.Text)
		}
		if n := abi.EstimateTokens(a.Text); n > 1000 || len(a.Text) > 4096 {
			t.Errorf("%s: %d tokens, %d bytes", c.rule, n, len(a.Text))
		}
		if err := crawled(d, text).Err(); err != nil {
			t.Errorf("%s: %v", c.rule, err)
		}
	}
}

// TestSmallNeighbours checks that neighbours shorter than their lines share a line.
func TestSmallNeighbours(t *testing.T) {
	text := []byte(fmt.Sprintf(`{"specification": {"kind": "a", "name": "b", "large": {"x": %q}, "served": true, "stored": true, "type": "c"}}`, strings.Repeat("x ", 900)))
	d := open(t, content{text: text, tree: splitJSON(text, 100, false)}, section.Settings{LeafSize: 100})
	a := d.Read(ref, "")
	for _, want := range []string{"[specification/kind] ", "[specification/name] ", "[specification/@3..5] 3 parts: served, stored, type ("} {
		if !bytes.Contains(a.Text, []byte(want)) {
			t.Errorf("no line %q in\n%s", want, a.Text)
		}
	}
	if got := d.Read(ref, "specification/@3..5"); string(got.Text) != `true, "stored": true, "type": "c"` {
		t.Errorf("Read of the shared line returned %q", got.Text)
	}
}

// TestLongIndex checks that an index becomes long only for a part that most readers would
// read.
func TestLongIndex(t *testing.T) {
	object := func(n, size int) string {
		members := make([]string, n)
		for i := range members {
			members[i] = fmt.Sprintf(`"a name of some length, number %d": %q`, i, strings.Repeat("x", size))
		}
		return "{" + strings.Join(members, ", ") + "}"
	}
	for _, c := range []struct {
		rule       string
		second     int // bytes of each part of the second half
		isExpanded bool
	}{
		{"part with nearly all bytes", 40, true},
		{"part with half of the bytes", 1000, false},
	} {
		text := []byte(`{"first": ` + object(16, 1000) + `, "second": ` + object(16, c.second) + `}`)
		a := open(t, content{text: text, tree: splitJSON(text, 500, false)}, section.Settings{}).Read(ref, "")
		if isExpanded := strings.HasPrefix(a.Meta.Offers[0], "first/"); isExpanded != c.isExpanded {
			t.Errorf("%s:\n%s", c.rule, a.Text)
		}
	}
}

// TestLargeGroup checks that a group has a line of its own unless it is nearly all of the
// content.
func TestLargeGroup(t *testing.T) {
	for _, c := range []struct {
		rule  string
		other int // bytes of the only part outside of the group
		want  string
	}{
		{"half of the content", 9000, "[@of-a p]"},
		{"nearly all of the content", 500, "[q0 q1 q2 p]"},
	} {
		b := &treeBuilder{tree: abi.Tree{Type: "csv"}}
		group := b.add(-1, abi.SectionGroup, 0, 0, "@of-a", "of a")
		for i := range 3 {
			from := len(b.text)
			b.text = fmt.Appendf(b.text, "q%d,%s\n", i, strings.Repeat("x", 4000))
			b.add(group, abi.SectionExact, from, len(b.text), fmt.Sprintf("q%d", i), "row")
		}
		from := len(b.text)
		b.text = append(b.text, strings.Repeat("y", c.other)...)
		b.add(-1, abi.SectionExact, from, len(b.text), "p", "other")
		a := open(t, content{text: b.text, tree: b.tree}, section.Settings{}).Read(ref, "")
		if got := fmt.Sprint(a.Meta.Offers); got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct{ rule, title, summary, want string }{
		{"title and size", "Lamps", "", "Lamps"},
		{"first sentence of a summary", "Lamps", "Three of them. One is red.", "Lamps - Three of them."},
		{"dot inside a word of a summary", "Lamps", "v1.2 of them", "Lamps - v1.2 of them"},
		{"title cut after a word", strings.Repeat("word ", 40), "", strings.TrimSpace(strings.Repeat("word ", 15)) + "..."},
		{"title cut inside a long word", strings.Repeat("word ", 4) + strings.Repeat("x", 80), "", strings.Repeat("word ", 4) + strings.Repeat("x", 57) + "..."},
		{"title equal to the id", "a", "", ""},
		{"title equal to the id, with a summary", "A", "Three of them.", "- Three of them."},
		{"title that begins with the id", "a: object, 3 keys", "", "object, 3 keys"},
		{"title with a word that begins with the id", "ab: c", "", "ab: c"},
		{"title cut between characters", strings.Repeat("日", 60), "", strings.Repeat("日", 25) + "..."},
		{"line breaks in a title", "a\r\nb\tc\u2028d", "", "a b c d"},
		{"no title", "", "", "line of 2,000 bytes, " + strings.Repeat("z", 36) + "..."},
	} {
		text := []byte("line of 2,000 bytes, " + strings.Repeat("z", 1979) + strings.Repeat("\nother", 500))
		tree := abi.Tree{Type: "text", Sections: []abi.Section{{Parent: -1, End: 2000, ID: "a", Title: c.title, Summary: c.summary}, {Parent: -1, Start: 2000, End: len(text), ID: "b", Title: "other"}}}
		a := open(t, content{text: text, tree: tree}, section.Settings{}).Read(ref, "")
		_, line, _ := strings.Cut(string(a.Text), "\n")
		line, _, _ = strings.Cut(line, "\n")
		if want := strings.ReplaceAll("[a] "+c.want+" (2K)", "  ", " "); line != want {
			t.Errorf("%s:\n got %q\nwant %q", c.rule, line, want)
		}
		if !utf8.ValidString(line) {
			t.Errorf("%s: line %q splits a character", c.rule, line)
		}
	}
}

func TestSizeInLine(t *testing.T) {
	for n, want := range map[int]string{1: "1B", 532: "532B", 999: "999B", 1000: "1K", 1500: "1.5K", 19_960: "20K", 999_499: "999K", 999_500: "1M", 1_230_000: "1.2M", 32 << 20: "34M"} {
		text := bytes.Repeat([]byte("x"), n+1)
		tree := abi.Tree{Sections: []abi.Section{{Parent: -1, End: n, ID: "a", Title: "x"}, {Parent: -1, Start: n, End: n + 1, ID: "b", Title: "x"}}}
		if a := open(t, content{text: text, tree: tree}, section.Settings{}).Read(ref, ""); !strings.Contains(string(a.Text), "[a] x ("+want+")\n") {
			t.Errorf("%d bytes: want %s\n%s", n, want, a.Text)
		}
	}
}

// TestLongLeaf checks that a leaf of up to twice the leaf size is answered whole.
func TestLongLeaf(t *testing.T) {
	for size, want := range map[int]flow.AnswerKind{3000: flow.AnswerLeaf, 6000: flow.AnswerLeaf, 6001: flow.AnswerIndex} {
		d := open(t, rows(size, "a", "b"), section.Settings{})
		if a := d.Read(ref, "a"); a.Meta.Kind != want {
			t.Errorf("%d bytes: %s, want %s", size, a.Meta.Kind, want)
		}
	}
}

// TestEndOfWindow checks that windows end after a line, else after a blank, else between
// characters.
func TestEndOfWindow(t *testing.T) {
	for rule, c := range map[string]struct{ text, end string }{
		"line end":                    {strings.Repeat("one line of it\n", 1000), "of it\n"},
		"line end far before a blank": {strings.Repeat("short\n"+strings.Repeat("long ", 590)+"\n", 20), "\n"},
		"blank":                       {strings.Repeat("word ", 5000), "word "},
		"characters":                  {strings.Repeat("日", 15000), "日"},
		"JSON escapes":                {`"` + strings.Repeat(`\ud83d\ude00`, 2000) + `"`, `\ude00`},
	} {
		d := open(t, content{text: []byte(c.text)}, section.Settings{})
		a := d.Read(ref, "")
		for i, id := range a.Meta.Offers {
			w := string(d.Read(ref, id).Text)
			if i < len(a.Meta.Offers)-1 && (!strings.HasSuffix(w, c.end) || len(w) > 3000) || !utf8.ValidString(w) {
				t.Errorf("%s: window %d has %d bytes and ends with %q", rule, i, len(w), w[max(0, len(w)-20):])
			}
		}
	}
}
