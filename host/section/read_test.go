package section_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
)

const ref = "k7m2q9x4t6b8w3n5"

// flows is a document whose sections are, on purpose, not all that could be:
// "settings" has none below it, "notes" is entered.
func flows() content {
	text := `{"settings": {"theme": "dark", "ports": [80, {"tls": 443}], "a/b": 1, "": "nameless", "0": "zero"},
 "nodes": [{"id": "n1", "name": "Lamp"}, {"id": "n2", "name": "Door"}, {"id": "n3", "name": "Lamp"}],
 "notes": "# Setup\nfirst steps\n# Usage\nthen \"go\"\n",
 "a.b": {"c": [true, false]}}`
	at := func(s string) (int, int) {
		i := strings.Index(text, s)
		if i < 0 {
			panic(s)
		}
		return i, i + len(s)
	}
	b := &treeBuilder{text: []byte(text), tree: abi.Tree{Type: "json-object"}}
	add := func(parent int, kind abi.SectionKind, s, id, title string) int {
		from, to := at(s)
		return b.add(parent, kind, from, to, id, title)
	}
	add(-1, abi.SectionExact, `{"theme": "dark", "ports": [80, {"tls": 443}], "a/b": 1, "": "nameless", "0": "zero"}`, "settings", "settings")
	nodes := add(-1, abi.SectionExact, `[{"id": "n1", "name": "Lamp"}, {"id": "n2", "name": "Door"}, {"id": "n3", "name": "Lamp"}]`, "nodes", "nodes")
	lamps := b.add(nodes, abi.SectionGroup, 0, 0, "@name=Lamp", "Lamp")
	add(lamps, abi.SectionExact, `{"id": "n1", "name": "Lamp"}`, "n1", "Lamp")
	add(lamps, abi.SectionExact, `{"id": "n3", "name": "Lamp"}`, "n3", "Lamp")
	add(nodes, abi.SectionExact, `{"id": "n2", "name": "Door"}`, "n2", "Door")
	literal := `"# Setup\nfirst steps\n# Usage\nthen \"go\"\n"`
	notes := add(-1, abi.SectionExact, literal, "notes", "notes")
	from, to := at(literal)
	for _, span := range [][2]int{{0, 20}, {20, 38}} {
		i := b.add(notes, abi.SectionDecoded, span[0], span[1], "", map[int]string{0: "Setup", 20: "Usage"}[span[0]])
		b.tree.Sections[i].Literal = [2]int{from, to}
	}
	i := b.add(notes, abi.SectionDerived, 0, 0, "", "In short")
	b.tree.Sections[i].Body = []byte("How to begin.")
	add(-1, abi.SectionExact, `{"c": [true, false]}`, "a.b", "a.b")
	b.tree.Settle(0)
	return content{name: "flows", text: b.text, tree: b.tree}
}

// covers P-083 P-085 P-086
func TestReadForms(t *testing.T) {
	d := open(t, flows(), section.Settings{})
	for _, c := range []struct {
		rule, section string
		want          string // text of a leaf
		id            string // section in _meta
	}{
		{"a listed id", "settings", `{"theme": "dark", "ports": [80, {"tls": 443}], "a/b": 1, "": "nameless", "0": "zero"}`, "settings"},
		{"a leading slash is ignored", "/settings/theme", `"dark"`, "settings/theme"},
		{"blanks around are ignored", " settings/theme\n", `"dark"`, "settings/theme"},
		{"a line's brackets are taken off", "[settings/theme] theme (6B)", `"dark"`, "settings/theme"},
		{"groups add no segment", "nodes/n1", `{"id": "n1", "name": "Lamp"}`, "nodes/n1"},
		{"through its group", "nodes/@name=Lamp/n3", `{"id": "n3", "name": "Lamp"}`, "nodes/n3"},
		{"an array element by position, whatever its group", "nodes/1", `{"id": "n2", "name": "Door"}`, "nodes/n2"},
		{"below the last section", "settings/ports/1/tls", "443", "settings/ports/1/tls"},
		{"an escaped segment", "settings/a%2Fb", "1", "settings/a%2Fb"},
		{"an empty key", "settings/", `{"theme": "dark", "ports": [80, {"tls": 443}], "a/b": 1, "": "nameless", "0": "zero"}`, "settings"},
		{"a key of digits is a key in an object", "settings/0", `"zero"`, "settings/0"},
		{"below a member of a group", "nodes/n3/name", `"Lamp"`, "nodes/n3/name"},
		{"a decoded part", "notes/setup", "# Setup\nfirst steps\n", "notes/setup"},
		{"a decoded part by position", "notes/1", "# Usage\nthen \"go\"\n", "notes/usage"},
		{"the raw literal", "notes!", `"# Setup\nfirst steps\n# Usage\nthen \"go\"\n"`, "notes!"},
		{"a derived section says so", "notes/in-short", "derived text, not bytes of the original:\nHow to begin.", "notes/in-short"},
		{"a container whole", "nodes!", `[{"id": "n1", "name": "Lamp"}, {"id": "n2", "name": "Door"}, {"id": "n3", "name": "Lamp"}]`, "nodes!"},
		{"a range of bytes", "nodes!2-9", `"id": "`, "nodes!2-9"},
		{"a range of bytes of a value", "settings/theme!1-5", "dark", "settings/theme!1-5"},
		{"a range clipped to the section", "nodes/n2!20-9999", ` "Door"}`, "nodes/n2!20-28"},
		{"a key with a dot is literal first", "a.b/c/0", "true", "a.b/c/0"},
		{"dotted form", "settings.ports[1].tls", "443", "settings/ports/1/tls"},
		{"dotted form with a number", "nodes.1", `{"id": "n2", "name": "Door"}`, "nodes/n2"},
		{"a title for its slug", "notes/Usage", "# Usage\nthen \"go\"\n", "notes/usage"},
		{"from any section of that name", "n2", `{"id": "n2", "name": "Door"}`, "nodes/n2"},
		{"and on from there", "n2/id", `"n2"`, "nodes/n2/id"},
		{"a line", "~L2-2", " \"nodes\": [{\"id\": \"n1\", \"name\": \"Lamp\"}, {\"id\": \"n2\", \"name\": \"Door\"}, {\"id\": \"n3\", \"name\": \"Lamp\"}],\n", "~L2-2@100"},
		{"bytes named by their place", "~B15-20", "theme", "~B15-20"},
		{"the only leaf that a search finds", "?dark", `{"theme": "dark", "ports": [80, {"tls": 443}], "a/b": 1, "": "nameless", "0": "zero"}`, "settings"},
		{"a search below a section", "nodes?door", `{"id": "n2", "name": "Door"}`, "nodes/n2"},
		{"a gap", "~1", "{\"settings\": ", "~1"},
	} {
		a := d.Read(ref, c.section)
		if string(a.Text) != c.want || a.Meta.Section != c.id || a.IsError || a.Meta.Ref != ref {
			t.Errorf("%s: Read(%q) = %q\nof section %q, want %q of %q", c.rule, c.section, a.Text, a.Meta.Section, c.want, c.id)
		}
	}
}

func TestReadMeta(t *testing.T) {
	c := flows()
	d := open(t, c, section.Settings{})
	for id, want := range map[string]flow.AnswerKind{
		"": flow.AnswerIndex, "settings": flow.AnswerLeaf, "notes": flow.AnswerIndex, "notes/setup": flow.AnswerDecoded,
		"notes/in-short": flow.AnswerDerived, "?lamp": flow.AnswerSearch, "notes!": flow.AnswerLeaf, "settings/ports": flow.AnswerLeaf,
	} {
		if a := d.Read(ref, id); a.Meta.Kind != want || a.Meta.Ref != ref {
			t.Errorf("%q answers as %q of %q, want %q", id, a.Meta.Kind, a.Meta.Ref, want)
		}
	}
	a := d.Read(ref, "notes/usage")
	if lit := c.text[a.Meta.Literal[0]:a.Meta.Literal[1]]; *a.Meta.Bytes != [2]int{20, 38} || lit[0] != '"' {
		t.Errorf("decoded bytes %v of %q", *a.Meta.Bytes, lit)
	}
	a = d.Read(ref, "nodes")
	if b := a.Meta.Bytes; string(c.text[b[0]:b[1]][:7]) != `[{"id":` {
		t.Errorf("bytes of an index are %v", *b)
	}
}

func TestIndexOfASection(t *testing.T) {
	c := flows()
	c.tree.Sections[1].Summary = "[Three] things. In a house."
	d := open(t, c, section.Settings{LeafSize: 64})
	want := ` [Three] things. In a house.
[nodes/@name=Lamp] (56B)
[nodes/n2] Door (28B)
`
	if got := string(d.Read(ref, "nodes").Text); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	want = `json-object, 289 bytes, 4 parts
[settings] (85B)
[nodes/@name=Lamp] (56B)
[nodes/n2] Door (28B)
[notes/setup] (20B)
[notes/usage] (18B)
[notes/in-short] derived: In short (13B)
[a.b] (20B)
`
	if got := string(d.Read(ref, "").Text); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestSeveralFit(t *testing.T) {
	text := "<p><dep>one</dep><dep>two</dep><dep name='x'>three</dep></p>"
	b := &treeBuilder{text: []byte(text), tree: abi.Tree{Type: "xml"}}
	p := b.add(-1, abi.SectionExact, 0, len(text), "p", "p")
	b.add(p, abi.SectionExact, 3, 17, "dep=one", "dep one")
	b.add(p, abi.SectionExact, 17, 31, "dep=two", "dep two")
	b.add(p, abi.SectionExact, 31, len(text)-4, "dep=x", "dep x")
	d := open(t, content{text: b.text, tree: b.tree}, section.Settings{LeafSize: 64})
	a := d.Read(ref, "p/dep")
	want := "3 sections fit \"p/dep\"\n[p/dep=one] dep one (14B)\n[p/dep=two] dep two (14B)\n[p/dep=x] dep x (25B)\n"
	if string(a.Text) != want || a.Meta.Kind != flow.AnswerIndex || len(a.Meta.Offers) != 3 {
		t.Errorf("got %s\n%s", a.Meta.Kind, a.Text)
	}
	if a := d.Read(ref, "p/dep/x"); a.IsError != true {
		t.Errorf("below several: %s", a.Text)
	}
}

func TestUnknownSection(t *testing.T) {
	d := open(t, flows(), section.Settings{})
	for asked, want := range map[string]string{
		"setings": "settings", "nodes/n9": "nodes/n", "notes/usages": "notes/usage", "nodes/n1/nme": "nodes/n1/name", "\x1b[31m": "", "a\xff": "",
		strings.Repeat("long/", 5000): "", "nodes!x": "nodes", "nodes!5-2": "nodes", "@0..99": "", "~77": "",
	} {
		a := d.Read(ref, asked)
		if !a.IsError || !bytes.HasPrefix(a.Text, []byte("no section ")) {
			t.Errorf("%.40q: %s", asked, a.Text)
		}
		if want != "" && !bytes.Contains(a.Text, []byte("["+want)) {
			t.Errorf("%.40q offers no %q:\n%s", asked, want, a.Text)
		}
		if len(a.Meta.Offers) > 5 || bytes.ContainsAny(a.Text, "\x1b\xff") || len(a.Text) > 1000 {
			t.Errorf("%.40q: %d offers, %q", asked, len(a.Meta.Offers), a.Text)
		}
		for _, id := range a.Meta.Offers {
			if d.Read(ref, id).IsError {
				t.Errorf("%.40q offers %q, which is unknown too", asked, id)
			}
		}
	}
}

func TestWholeBeyondTheLimitIsAnIndexOfRanges(t *testing.T) {
	text := bytes.Repeat([]byte("line of the text\n"), 30_000)
	d := open(t, content{text: text, tree: abi.Tree{Type: "log"}}, section.Settings{})
	var got []byte
	var read func(id string)
	read = func(id string) {
		a := d.Read(ref, id)
		if a.IsError {
			t.Fatalf("%q: %s", id, a.Text)
		}
		if a.Meta.Kind == flow.AnswerLeaf {
			if len(a.Text) > 40_000 {
				t.Errorf("%q answers %d bytes", id, len(a.Text))
			}
			got = append(got, a.Text...)
		}
		for _, offer := range a.Meta.Offers {
			if !strings.Contains(offer, "!") {
				t.Errorf("%q offers %q", id, offer)
			}
			read(offer)
		}
	}
	read("!")
	if !bytes.Equal(got, text) {
		t.Errorf("ranges join to %d bytes, want %d", len(got), len(text))
	}
	if a := d.Read(ref, "!0-40000"); len(a.Text) != 40_000 {
		t.Errorf("a range of 40000 bytes has %d", len(a.Text))
	}
}

func TestWindowsNeverCutAnEscapeOrACharacter(t *testing.T) {
	lit := `"` + strings.Repeat(`\u00e9\ud83d\ude00\\\"日本\n`, 3000) + `"`
	c := content{text: []byte(`[` + lit + `]`), tree: abi.Tree{Type: "json-array"}}
	start, end := 1, 1+len(lit)
	c.tree.Sections = []abi.Section{{Parent: -1, Start: start, End: end, ID: "0"}}
	whole := func(id string, b [2]int) {
		window := string(c.text[max(b[0], start+1):min(b[1], end-1)]) // without the string's own quotes
		if !validString([]byte(`"` + window + `"`)) {
			t.Fatalf("window %q cuts an escape: %.30q ... %q", id, window, window[max(0, len(window)-30):])
		}
	}
	for size := 64; size < 90; size++ {
		d := open(t, c, section.Settings{LeafSize: size, MaxWholeBytes: 500})
		for _, id := range []string{"0", "0!"} {
			for a := d.Read(ref, id); len(a.Meta.Offers) > 0; a = d.Read(ref, a.Meta.Offers[len(a.Meta.Offers)/2]) {
				for _, offer := range a.Meta.Offers {
					whole(offer, *d.Read(ref, offer).Meta.Bytes)
				}
			}
		}
		for at := range 60 { // and what a client makes up
			offer := fmt.Sprintf("0!%d-%d", 100+at, 200+3*at)
			whole(offer, *d.Read(ref, offer).Meta.Bytes)
		}
	}
}

// covers P-088
func TestFinish(t *testing.T) {
	d := open(t, flows(), section.Settings{LeafSize: 64})
	last := `read_section(ref="` + ref + `", section="<id>") opens a part, "<id>!" gives it whole, "?words" searches; any path works.`
	text := []byte("json-object, 4 keys\n[not an offer]\nafter")
	got, meta := d.Finish(text, []abi.Mark{{Offset: 35, Section: 1}}, ref)
	want := "json-object, 4 keys\n [not an offer]\n[nodes/@name=Lamp] (56B)\n[nodes/n2] Door (28B)\nafter\n" + last
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if meta.Kind != flow.AnswerIndex || meta.Ref != ref || fmt.Sprint(meta.Offers) != "[nodes/@name=Lamp nodes/n2]" {
		t.Errorf("meta %+v", meta)
	}
	if string(text) != "json-object, 4 keys\n[not an offer]\nafter" {
		t.Error("the stage's text was modified")
	}

	got, meta = d.Finish([]byte("[1] page one"), nil, ref)
	last = `read_section(ref="` + ref + `", section="") lists the parts of the original, "?words" searches it.`
	if string(got) != "[1] page one\n"+last || meta.Kind != flow.AnswerDerived || meta.Offers != nil {
		t.Errorf("without a mark: %s, %+v", got, meta)
	}
	for _, m := range []abi.Mark{{Offset: -5, Section: -9}, {Offset: 1 << 40, Section: 1 << 40}, {Lines: -1, Bytes: -1}, {Lines: 1, Bytes: 1}} {
		if got, _ := d.Finish([]byte("ä"), []abi.Mark{m, m}, ""); !bytes.Contains(got, []byte("\n[")) && !bytes.HasPrefix(got, []byte("[")) {
			t.Errorf("mark %+v prints nothing: %q", m, got)
		}
	}
}

func TestFirstIndexComesAgain(t *testing.T) {
	d := open(t, flows(), section.Settings{})
	first := section.First{Text: []byte("4 keys\n"), Marks: []abi.Mark{{Offset: 7, Section: -1}}}
	want, _ := d.Finish(first.Text, first.Marks, ref)
	for _, empty := range []string{"", "/"} {
		if a := d.WithFirst(first).Read(ref, empty); !bytes.Equal(a.Text, want) || a.Meta.Kind != flow.AnswerIndex {
			t.Errorf("%q: %s", empty, a.Text)
		}
	}
}

// Equal headings: the id is the first, the title means all of them.
func TestATitleOfSeveralSections(t *testing.T) {
	text := []byte("# Proxy Setup\none\n# Other\n# Proxy Setup\ntwo\n")
	d := open(t, content{text: text, tree: splitMarkdown(text, 10)}, section.Settings{})
	for path, want := range map[string]string{"proxy-setup": "# Proxy Setup\none\n", "proxy-setup-2": "# Proxy Setup\ntwo\n", "Other": "# Other\n"} {
		if a := d.Read(ref, path); string(a.Text) != want {
			t.Errorf("%q reads %q, want %q", path, a.Text, want)
		}
	}
	if a := d.Read(ref, "Proxy Setup"); fmt.Sprint(a.Meta.Offers) != "[proxy-setup proxy-setup-2]" {
		t.Errorf("the title: %s", a.Text)
	}
}

// A reader who knows the keys of a text leaves out the items of its lists.
func TestPathWithoutTheItemsOfAList(t *testing.T) {
	text := []byte("spec:\n  versions:\n  - name: v1\n    schema: a\n  - name: v2\n    schema: b\n    scope: c\n")
	at := func(s string) int { return bytes.Index(text, []byte(s)) }
	b := &treeBuilder{text: text, tree: abi.Tree{Type: "yaml"}}
	spec := b.add(-1, abi.SectionExact, 0, len(text), "spec", "spec")
	versions := b.add(spec, abi.SectionExact, at("  versions"), len(text), "versions", "versions")
	v1 := b.add(versions, abi.SectionExact, at("  - name: v1"), at("  - name: v2"), "v1", "v1")
	b.add(v1, abi.SectionExact, at("    schema: a"), at("  - name: v2"), "schema", "schema: a")
	v2 := b.add(versions, abi.SectionExact, at("  - name: v2"), len(text), "v2", "v2")
	b.add(v2, abi.SectionExact, at("    schema: b"), at("    scope"), "schema", "schema: b")
	b.add(v2, abi.SectionExact, at("    scope"), len(text), "scope", "scope: c")
	d := open(t, content{text: text, tree: b.tree}, section.Settings{LeafSize: 8})
	for path, want := range map[string][]string{
		"spec/versions/scope":  {"spec/versions/v2/scope"},
		"spec/versions/schema": {"spec/versions/v1/schema", "spec/versions/v2/schema"},
		"spec/schema":          nil, // two levels are not left out
	} {
		a := d.Read(ref, path)
		got := a.Meta.Offers
		if len(want) == 1 && !a.IsError {
			got = []string{a.Meta.Section}
		}
		if a.IsError != (want == nil) || want != nil && !slices.Equal(got, want) {
			t.Errorf("%s: %t %q, want %q", path, a.IsError, got, want)
		}
	}
}

// Of the items of a list some have parts and some are leaves: a path leads to both.
func TestPathToPartsAndToLeavesThatHaveSuchAPart(t *testing.T) {
	text := []byte("jobs:\n- name: large\n  steps:\n  - run: a\n    with: b\n- name: small\n  steps:\n  - run: c\n- name: none\n")
	at := func(s string) int { return bytes.Index(text, []byte(s)) }
	b := &treeBuilder{text: text, tree: abi.Tree{Type: "yaml"}}
	jobs := b.add(-1, abi.SectionExact, 0, len(text), "jobs", "jobs")
	large := b.add(jobs, abi.SectionExact, at("- name: large"), at("- name: small"), "large", "large")
	steps := b.add(large, abi.SectionExact, at("  steps:"), at("- name: small"), "steps", "steps")
	b.add(steps, abi.SectionExact, at("  - run: a"), at("    with: b"), "run", "run: a")
	b.add(steps, abi.SectionExact, at("    with: b"), at("- name: small"), "with", "with: b")
	b.add(jobs, abi.SectionExact, at("- name: small"), at("- name: none"), "small", "small")
	b.add(jobs, abi.SectionExact, at("- name: none"), len(text), "none", "none")
	d := open(t, content{text: text, tree: b.tree}, section.Settings{LeafSize: 64})
	if a := d.Read(ref, "jobs/steps/run"); fmt.Sprint(a.Meta.Offers) != "[jobs/large/steps/run jobs/small]" {
		t.Errorf("jobs/steps/run offers %q", a.Meta.Offers)
	}
}
