package section_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section"
)

// hours returns a log with groups by hour and one record outside of all groups.
func hours(alone string) content {
	b := &treeBuilder{tree: abi.Tree{Type: "ndjson"}}
	record := func(parent int, id string) {
		from := len(b.text)
		b.text = fmt.Appendf(b.text, "{\"id\":%q,\"text\":%q}\n", id, strings.Repeat("x", 300))
		b.add(parent, abi.SectionExact, from, len(b.text), id, id)
	}
	if alone != "" && alone < "@" { // sorted ids, so that folds are named by ids
		record(-1, alone)
		alone = ""
	}
	for hour := range 40 {
		g := b.add(-1, abi.SectionGroup, 0, 0, fmt.Sprintf("@2015-05-%02dT%02d", 18+hour/24, hour%24), "hour")
		for i := range 3 {
			record(g, fmt.Sprintf("r%d-%d", hour, i))
		}
	}
	if alone != "" {
		record(-1, alone)
	}
	return content{name: "hours", text: b.text, tree: b.tree}
}

// TestFoldsOfGroups checks that the id of a fold of groups has one @, unless that would be
// ambiguous.
func TestFoldsOfGroups(t *testing.T) {
	for _, c := range []struct{ rule, alone, first string }{
		{"only groups", "", "@2015-05-18T00.."},
		{"sibling with another name", "zebra", "@2015-05-18T00.."},
		{"sibling with the name of a group", "2015-05-18T00", "@2015-05-18T00..@2015-05-18T"},
	} {
		d := open(t, hours(c.alone), section.Settings{MaxLines: 8})
		folds := 0
		for _, offer := range d.Read(ref, "").Meta.Offers {
			if !strings.Contains(offer, "..") {
				continue
			}
			if folds++; folds == 1 && !strings.HasPrefix(offer, c.first) {
				t.Errorf("%s: fold %q, want it to begin with %q", c.rule, offer, c.first)
			}
			if a := d.Read(ref, offer); a.IsError || a.Meta.Section != offer {
				t.Errorf("%s: Read(%q) is about %q (error %t)", c.rule, offer, a.Meta.Section, a.IsError)
			}
		}
		if folds == 0 {
			t.Errorf("%s: no folds", c.rule)
		}
	}
}

// TestPageOfAnotherSize checks that pages with another page size can be read.
func TestPageOfAnotherSize(t *testing.T) {
	lines := strings.Repeat("a line of text\n", 400)
	c := content{name: "pages", text: []byte(lines), tree: abi.Tree{Sections: []abi.Section{
		{Parent: -1, Start: 0, End: 1500, ID: "L1-100@0"}, {Parent: -1, Start: 1500, End: 6000, ID: "L101-400@1500"},
	}}}
	d := open(t, c, section.Settings{})
	for _, p := range []struct {
		rule, id   string
		start, end int
	}{
		{"page that is a section", "L1-100@0", 0, 1500},
		{"smaller page", "L11-20@150", 150, 300},
		{"page across two sections", "L91-110@1350", 1350, 1650},
		{"page that ends inside a line", "L11-12@150-170", 150, 170},
	} {
		a := d.Read(ref, p.id)
		if a.IsError || string(a.Text) != lines[p.start:p.end] {
			t.Errorf("%s: Read(%q) = %.60q (error %t), want bytes %d-%d", p.rule, p.id, a.Text, a.IsError, p.start, p.end)
		}
	}
	for _, id := range []string{"L0-1@0", "L1-2@9999999", "L@", "L2-1@15"} {
		if a := d.Read(ref, id); !a.IsError {
			t.Errorf("Read(%q) = %.60q, want an error", id, a.Text)
		}
	}
}

// TestTitleOfFold checks that the line of a fold names its largest members, or the first
// and the last, unless the id does.
func TestTitleOfFold(t *testing.T) {
	object := func(keys ...string) []byte {
		var members []string
		for _, key := range keys {
			members = append(members, fmt.Sprintf("%q: %q", key, strings.Repeat(key, 8)))
		}
		return []byte("{" + strings.Join(members, ", ") + "}")
	}
	var many, sorted, words []string
	for i := range 60 {
		words = append(words, strings.Repeat(string(rune('a'+(i*7)%26)), 20+i%3))
		many = append(many, fmt.Sprintf("k%02d", (i*7)%60))
		sorted = append(sorted, fmt.Sprintf("k%02d", i))
	}
	methods := func(kind string, ids ...string) content { // with a title of the id and more
		b := &treeBuilder{tree: abi.Tree{Type: kind}}
		for _, id := range ids {
			at := len(b.text)
			b.text = append(b.text, strings.Repeat(id+"\n", 20)...)
			b.add(-1, abi.SectionExact, at, len(b.text), abi.Segment(id), "func "+id+"() // text of some size after it")
		}
		return content{text: b.text, tree: b.tree}
	}
	ordered := func(prefix string) (ids []string) { // but for two
		for i := range 60 {
			ids = append(ids, fmt.Sprintf("%s%s%c", prefix, []string{"Alder", "Birch", "Elm", "Fir", "Larch", "Oak"}[i/10], 'a'+i%10))
		}
		ids[20], ids[21] = ids[21], ids[20]
		return ids
	}
	asJSON := func(text []byte) content { return content{text: text, tree: splitJSON(text, 64, false)} }
	long := func(class string) (ids []string) {
		for i := range 6 {
			ids = append(ids, class+".Method"+strings.Repeat(string(rune('F'-i)), 8))
		}
		return ids
	}
	for _, c := range []struct {
		rule, line string
		content
	}{
		{"common words once", "5 parts ExtraordinaryFramework.Method*: FFFFFFFF, EEEEEEEE,", methods("code", append(long("ExtraordinaryFramework"), long("Other")...)...)},
		{"names without the numbers of equal ones", "] 4 parts: Cart, Store, Lamp +1 (", methods("code", "Cart", "Cart-2", "Store-2", "Lamp-2", "Light", "Store", "Lamp", "a", "b", "c")},
		{"all members", "[@0..2] 3 parts: one, two, three (", asJSON(object("one", "two", "three", "four", "five", "six"))},
		{"the largest members", "30 parts: " + strings.Join([]string{words[2], words[5], words[8], words[11]}, ", ") + " +26 (", asJSON(object(words...))},
		{"ordered members", "] 28 parts: Aldera .. Elmh (", methods("code", ordered("")...)},
		{"ordered members with words in common", "] 30 parts com.example.company.products.garden.trees.of.the.north.*: Aldera .. Elmj (", methods("code", ordered("com.example.company.products.garden.trees.of.the.north.")...)},
		{"numbered members", "] 30 parts: k00 .. k23 (", asJSON(object(many...))},
		{"members in the id", "[@k00..k29] 30 parts (", asJSON(object(sorted...))},
	} {
		d := open(t, c.content, section.Settings{MaxLines: 2, LeafSize: 64})
		if a := d.Read(ref, ""); !strings.Contains(string(a.Text), c.line) {
			t.Errorf("%s: no line with %q in\n%s", c.rule, c.line, a.Text)
		}
	}
}

// TestTitleNamesParts checks that the line of a section names its largest parts where it has
// room.
func TestTitleNamesParts(t *testing.T) {
	var text strings.Builder
	for _, chapter := range []string{"Guide", "Reference"} {
		text.WriteString("# " + chapter + "\n\n")
		for i, title := range []string{"Install", "Proxy Settings", "Limits", "A long title that leaves no room for any other title in the line"} {
			fmt.Fprintf(&text, "## %s\n\n%s\n", title, strings.Repeat("text of "+chapter+"\n", 30+i))
		}
	}
	c := content{text: []byte(text.String()), tree: splitMarkdown([]byte(text.String()), 100)}
	a := open(t, c, section.Settings{MaxLines: 2, LeafSize: 100}).Read(ref, "")
	for _, want := range []string{"[guide] # Guide, Install, Proxy Settings, Limits +1 (", "[reference] # Reference, Install, Proxy Settings, Limits +1 ("} {
		if !strings.Contains(string(a.Text), want) {
			t.Errorf("no %q in\n%s", want, a.Text)
		}
	}
}
