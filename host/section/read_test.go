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

// flows returns a document with sections of all kinds: values without sections below
// "settings", a group below "nodes", decoded and derived sections below "notes".
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

func TestRead(t *testing.T) {
	d := open(t, flows(), section.Settings{})
	for _, c := range []struct {
		rule, section string
		want          string // text of a leaf
		id            string // section in _meta
	}{
		{"offered id", "settings", `{"theme": "dark", "ports": [80, {"tls": 443}], "a/b": 1, "": "nameless", "0": "zero"}`, "settings"},
		{"leading slash", "/settings/theme", `"dark"`, "settings/theme"},
		{"surrounding white space", " settings/theme\n", `"dark"`, "settings/theme"},
		{"brackets of a copied line", "[settings/theme] theme (6B)", `"dark"`, "settings/theme"},
		{"member of a group", "nodes/n1", `{"id": "n1", "name": "Lamp"}`, "nodes/n1"},
		{"member below its group", "nodes/@name=Lamp/n3", `{"id": "n3", "name": "Lamp"}`, "nodes/n3"},
		{"position of an array element", "nodes/1", `{"id": "n2", "name": "Door"}`, "nodes/n2"},
		{"path below the last section", "settings/ports/1/tls", "443", "settings/ports/1/tls"},
		{"escaped segment", "settings/a%2Fb", "1", "settings/a%2Fb"},
		{"trailing slash", "settings/", `{"theme": "dark", "ports": [80, {"tls": 443}], "a/b": 1, "": "nameless", "0": "zero"}`, "settings"},
		{"key of digits in an object", "settings/0", `"zero"`, "settings/0"},
		{"path below a member of a group", "nodes/n3/name", `"Lamp"`, "nodes/n3/name"},
		{"decoded part", "notes/setup", "# Setup\nfirst steps\n", "notes/setup"},
		{"position of a decoded part", "notes/1", "# Usage\nthen \"go\"\n", "notes/usage"},
		{"literal of a string", "notes!", `"# Setup\nfirst steps\n# Usage\nthen \"go\"\n"`, "notes!"},
		{"derived section", "notes/in-short", "derived text, not bytes of the original:\nHow to begin.", "notes/in-short"},
		{"bytes of a container", "nodes!", `[{"id": "n1", "name": "Lamp"}, {"id": "n2", "name": "Door"}, {"id": "n3", "name": "Lamp"}]`, "nodes!"},
		{"range of bytes", "nodes!2-9", `"id": "`, "nodes!2-9"},
		{"range of bytes of a value", "settings/theme!1-5", "dark", "settings/theme!1-5"},
		{"range that ends after the section", "nodes/n2!20-9999", ` "Door"}`, "nodes/n2!20-28"},
		{"key with a dot", "a.b/c/0", "true", "a.b/c/0"},
		{"dots", "settings.ports[1].tls", "443", "settings/ports/1/tls"},
		{"dots with a position", "nodes.1", `{"id": "n2", "name": "Door"}`, "nodes/n2"},
		{"title", "notes/Usage", "# Usage\nthen \"go\"\n", "notes/usage"},
		{"name without its parents", "n2", `{"id": "n2", "name": "Door"}`, "nodes/n2"},
		{"path from a name without its parents", "n2/id", `"n2"`, "nodes/n2/id"},
		{"line", "~L2-2", " \"nodes\": [{\"id\": \"n1\", \"name\": \"Lamp\"}, {\"id\": \"n2\", \"name\": \"Door\"}, {\"id\": \"n3\", \"name\": \"Lamp\"}],\n", "~L2-2@100"},
		{"span of bytes", "~B15-20", "theme", "~B15-20"},
		{"search with one hit", "?dark", `{"theme": "dark", "ports": [80, {"tls": 443}], "a/b": 1, "": "nameless", "0": "zero"}`, "settings"},
		{"search below a section", "nodes?door", `{"id": "n2", "name": "Door"}`, "nodes/n2"},
		{"gap", "~1", "{\"settings\": ", "~1"},
	} {
		a := d.Read(ref, c.section)
		if string(a.Text) != c.want || a.Meta.Section != c.id || a.IsError || a.Meta.Ref != ref {
			t.Errorf("%s: Read(%q) = %q\nof section %q, want %q of section %q", c.rule, c.section, a.Text, a.Meta.Section, c.want, c.id)
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
			t.Errorf("Read(%q) has kind %q and ref %q, want %q", id, a.Meta.Kind, a.Meta.Ref, want)
		}
	}
	a := d.Read(ref, "notes/usage")
	if lit := c.text[a.Meta.Literal[0]:a.Meta.Literal[1]]; *a.Meta.Bytes != [2]int{20, 38} || lit[0] != '"' {
		t.Errorf("decoded part has the span %v in the string %q", *a.Meta.Bytes, lit)
	}
	a = d.Read(ref, "nodes")
	if b := a.Meta.Bytes; string(c.text[b[0]:b[1]][:7]) != `[{"id":` {
		t.Errorf("index has the span %v", *b)
	}
}

func TestIndexOfSection(t *testing.T) {
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

func TestSet(t *testing.T) {
	text := "<p><dep>one</dep><dep>two</dep><dep name='x'>three</dep></p>"
	b := &treeBuilder{text: []byte(text), tree: abi.Tree{Type: "xml"}}
	p := b.add(-1, abi.SectionExact, 0, len(text), "p", "p")
	b.add(p, abi.SectionExact, 3, 17, "dep=one", "dep one")
	b.add(p, abi.SectionExact, 17, 31, "dep=two", "dep two")
	b.add(p, abi.SectionExact, 31, len(text)-4, "dep=x", "dep x")
	d := open(t, content{text: b.text, tree: b.tree}, section.Settings{LeafSize: 64})
	a := d.Read(ref, "p/dep")
	want := "3 sections match \"p/dep\"\n[p/dep=one] dep one (14B)\n[p/dep=two] dep two (14B)\n[p/dep=x] dep x (25B)\n"
	if string(a.Text) != want || a.Meta.Kind != flow.AnswerIndex || len(a.Meta.Offers) != 3 {
		t.Errorf("got %s\n%s", a.Meta.Kind, a.Text)
	}
	if a := d.Read(ref, "p/dep/x"); a.IsError != true {
		t.Errorf("unknown section below a set: %s", a.Text)
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
			t.Errorf("Read(%.40q) does not offer %q:\n%s", asked, want, a.Text)
		}
		if len(a.Meta.Offers) > 5 || bytes.ContainsAny(a.Text, "\x1b\xff") || len(a.Text) > 1000 {
			t.Errorf("%.40q: %d offers, %q", asked, len(a.Meta.Offers), a.Text)
		}
		for _, id := range a.Meta.Offers {
			if d.Read(ref, id).IsError {
				t.Errorf("Read(%.40q) offers %q, which is unknown too", asked, id)
			}
		}
	}
}

// TestWhole checks that "!" of more bytes than the limit is an index of ranges that join to
// the content.
func TestWhole(t *testing.T) {
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
				t.Errorf("Read(%q) returned %d bytes", id, len(a.Text))
			}
			got = append(got, a.Text...)
		}
		for _, offer := range a.Meta.Offers {
			if !strings.Contains(offer, "!") {
				t.Errorf("Read(%q) offers %q, which is not a range", id, offer)
			}
			read(offer)
		}
	}
	read("!")
	if !bytes.Equal(got, text) {
		t.Errorf("ranges join to %d bytes, want %d", len(got), len(text))
	}
	if a := d.Read(ref, "!0-40000"); len(a.Text) != 40_000 {
		t.Errorf("the range of 40000 bytes has %d bytes", len(a.Text))
	}
}

// TestBordersOfRanges checks that windows and ranges split neither characters nor JSON
// escapes.
func TestBordersOfRanges(t *testing.T) {
	if testing.Short() {
		t.Skip("has one goroutine, and takes long with the race detector")
	}
	lit := `"` + strings.Repeat(`\u00e9\ud83d\ude00\\\"日本\n`, 3000) + `"`
	c := content{text: []byte(`[` + lit + `]`), tree: abi.Tree{Type: "json-array"}}
	start, end := 1, 1+len(lit)
	c.tree.Sections = []abi.Section{{Parent: -1, Start: start, End: end, ID: "0"}}
	whole := func(id string, b [2]int) {
		window := string(c.text[max(b[0], start+1):min(b[1], end-1)]) // without the quotes of the string
		if !validString([]byte(`"` + window + `"`)) {
			t.Fatalf("window %q splits an escape: %.30q ... %q", id, window, window[max(0, len(window)-30):])
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
		for at := range 60 { // a range that no index offered
			offer := fmt.Sprintf("0!%d-%d", 100+at, 200+3*at)
			whole(offer, *d.Read(ref, offer).Meta.Bytes)
		}
	}
}

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
		t.Error("the text of the stage was modified")
	}

	got, meta = d.Finish([]byte("[1] page one"), nil, ref)
	last = `read_section(ref="` + ref + `", section="") lists the parts of the original, "?words" searches it.`
	if string(got) != "[1] page one\n"+last || meta.Kind != flow.AnswerDerived || meta.Offers != nil {
		t.Errorf("no mark: %s, %+v", got, meta)
	}
	for _, m := range []abi.Mark{{Offset: -5, Section: -9}, {Offset: 1 << 40, Section: 1 << 40}, {Lines: -1, Bytes: -1}, {Lines: 1, Bytes: 1}} {
		if got, _ := d.Finish([]byte("ä"), []abi.Mark{m, m}, ""); !bytes.Contains(got, []byte("\n[")) && !bytes.HasPrefix(got, []byte("[")) {
			t.Errorf("mark %+v: no index in %q", m, got)
		}
	}
}

// TestWithFirst checks that the first index has the lines of the stage when it is read
// again.
func TestWithFirst(t *testing.T) {
	d := open(t, flows(), section.Settings{})
	first := section.First{Text: []byte("4 keys\n"), Marks: []abi.Mark{{Offset: 7, Section: -1}}}
	want, _ := d.Finish(first.Text, first.Marks, ref)
	for _, empty := range []string{"", "/"} {
		if a := d.WithFirst(first).Read(ref, empty); !bytes.Equal(a.Text, want) || a.Meta.Kind != flow.AnswerIndex {
			t.Errorf("%q: %s", empty, a.Text)
		}
	}
}

// TestTitleOfSeveralSections checks that a title names all sections with the same heading,
// and an id only one of them.
func TestTitleOfSeveralSections(t *testing.T) {
	text := []byte("# Proxy Setup\none\n# Other\n# Proxy Setup\ntwo\n")
	d := open(t, content{text: text, tree: splitMarkdown(text, 10)}, section.Settings{})
	for path, want := range map[string]string{"proxy-setup": "# Proxy Setup\none\n", "proxy-setup-2": "# Proxy Setup\ntwo\n", "Other": "# Other\n"} {
		if a := d.Read(ref, path); string(a.Text) != want {
			t.Errorf("Read(%q) = %q, want %q", path, a.Text, want)
		}
	}
	if a := d.Read(ref, "Proxy Setup"); fmt.Sprint(a.Meta.Offers) != "[proxy-setup proxy-setup-2]" {
		t.Errorf("title: %s", a.Text)
	}
}

// TestPathWithoutItems checks that a path may skip the items of a list.
func TestPathWithoutItems(t *testing.T) {
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
		"spec/schema":          nil, // a path may skip only one level
	} {
		a := d.Read(ref, path)
		got := a.Meta.Offers
		if len(want) == 1 && !a.IsError {
			got = []string{a.Meta.Section}
		}
		if a.IsError != (want == nil) || want != nil && !slices.Equal(got, want) {
			t.Errorf("Read(%q): error %t, offers %q, want %q", path, a.IsError, got, want)
		}
	}
}

// TestPathToItemsAndParts checks a path that matches parts of some items of a list, and
// others that are leaves.
func TestPathToItemsAndParts(t *testing.T) {
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
		t.Errorf("Read(jobs/steps/run) offers %q", a.Meta.Offers)
	}
}
