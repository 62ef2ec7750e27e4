package section_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/section"
)

// markdown returns the body of an issue: several leaves long, with a badge first, which
// begins like JSON.
func markdown() string {
	return "[![build](https://ci/badge)](https://ci)\n\n" +
		"# Steps\n" + strings.Repeat("- press \"go\" \\ wait\n", 60) +
		"## Linux\n" + strings.Repeat("on a café's machine\n", 60) +
		"# Expected\n" + strings.Repeat("one long line without an end ", 400) +
		"\n# Steps\nagain\n"
}

// inner returns JSON that a server returned as text.
func inner() string {
	var b strings.Builder
	b.WriteString(`{"count": 60, "items": [`)
	for i := range 60 {
		fmt.Fprintf(&b, `%s{"name": "item %d", "note": "a \"quoted\" note\n%s"}`, map[bool]string{true: ", "}[i > 0], i, strings.Repeat("x", 60))
	}
	return b.String() + `]}`
}

// enterAs adds the tree of a decoded string as decoded sections below the section of
// its literal.
func (b *treeBuilder) enterAs(parent int, literal [2]int, inside abi.Tree) {
	from := len(b.tree.Sections)
	for _, s := range inside.Sections {
		s.Kind, s.Literal = abi.SectionDecoded, literal
		if s.Parent += from; s.Parent < from {
			s.Parent = parent
		}
		b.tree.Sections = append(b.tree.Sections, s)
	}
}

// issue returns a JSON answer with Markdown and JSON in strings that are split too.
func issue() content {
	text := []byte(`{"issue": {"number": 7, "body": `)
	b := &treeBuilder{tree: abi.Tree{Type: "json-object"}}
	top := b.add(-1, abi.SectionExact, 10, 0, "issue", "issue: object, 3 keys")
	value := func(parent int, id, title string, inside abi.Tree, decoded string) {
		start := len(text)
		text = jsonspan.AppendQuote(text, []byte(decoded))
		i := b.add(parent, abi.SectionExact, start, len(text), id, title)
		b.enterAs(i, [2]int{start, len(text)}, inside)
	}
	value(top, "body", "body: markdown, 4 headings", splitMarkdown([]byte(markdown()), 3000), markdown())
	text = append(text, `, "log": `...)
	value(top, "log", "log", abi.Tree{}, strings.Repeat("a line of a log\tthat is not split\n", 400))
	text = append(text, '}')
	b.tree.Sections[top].End = len(text)
	text = append(text, `, "result": `...)
	value(-1, "result", "result: json-object, 2 keys", splitJSON([]byte(inner()), 500, false), inner())
	text = append(text, '}')
	b.text = text
	b.tree.Settle(0)
	return content{name: "issue", text: text, tree: b.tree}
}

func literalOf(c content, id string) [2]int {
	for _, s := range c.tree.Sections {
		if s.ID == id {
			return [2]int{s.Start, s.End}
		}
	}
	panic(id)
}

func TestDecodedSections(t *testing.T) {
	c := issue()
	d := open(t, c, section.Settings{})
	body, result := literalOf(c, "body"), literalOf(c, "result")
	linux := "## Linux\n" + strings.Repeat("on a café's machine\n", 60)
	for _, r := range []struct {
		rule, section, id, want string
		kind                    flow.AnswerKind
		literal                 [2]int // zero: bytes of the original
	}{
		{"part of Markdown in a string", "issue/body/steps/linux", "issue/body/steps/linux", linux, flow.AnswerDecoded, body},
		{"title", "issue/body/Steps/Linux", "issue/body/steps/linux", linux, flow.AnswerDecoded, body},
		{"position among the parts of a string", "issue/body/2", "issue/body/steps-2", "# Steps\nagain\n", flow.AnswerDecoded, body},
		{"dots", "issue.body.steps-2", "issue/body/steps-2", "# Steps\nagain\n", flow.AnswerDecoded, body},
		{"name without its parents", "steps-2", "issue/body/steps-2", "# Steps\nagain\n", flow.AnswerDecoded, body},
		{"gap in a string", "issue/body/~1", "issue/body/~1", "[![build](https://ci/badge)](https://ci)\n\n", flow.AnswerDecoded, body},
		{"decoded text of a part", "issue/body/steps-2!", "issue/body/steps-2!", "# Steps\nagain\n", flow.AnswerDecoded, body},
		{"range of a decoded part", "issue/body/steps-2!2-7", "issue/body/steps-2!2-7", "Steps", flow.AnswerDecoded, body},
		{"literal of a string", "issue/body!", "issue/body!", string(c.text[body[0]:body[1]]), flow.AnswerLeaf, [2]int{}},
		{"range of a literal ends outside of escapes", "issue/body!54-77", "issue/body!54-76", `- press \"go\" \\ wait`, flow.AnswerLeaf, [2]int{}},
		{"JSON in a string", "result/count", "result/count", "60", flow.AnswerDecoded, result},
		{"array element in a string", "result/items/3/name", "result/items/3/name", `"item 3"`, flow.AnswerDecoded, result},
		{"array element with dots", "result.items[3].name", "result/items/3/name", `"item 3"`, flow.AnswerDecoded, result},
		{"path below the last section", "result/items/59/note", "result/items/59/note", `"a \"quoted\" note\n` + strings.Repeat("x", 60) + `"`, flow.AnswerDecoded, result},
		{"search below a string with one hit", "issue/body?again", "issue/body/steps-2", "# Steps\nagain\n", flow.AnswerDecoded, body},
		{"search for text that is escaped in the original", `?press "go" \`, "issue/body/steps/~1", "# Steps\n" + strings.Repeat("- press \"go\" \\ wait\n", 60), flow.AnswerDecoded, body},
		{"search in JSON in a string", "?item 42", "result/items/42", `{"name": "item 42", "note": "a \"quoted\" note\n` + strings.Repeat("x", 60) + `"}`, flow.AnswerDecoded, result},
	} {
		a := d.Read(ref, r.section)
		if a.IsError || a.Meta.Kind != r.kind || a.Meta.Section != r.id || string(a.Text) != r.want {
			t.Errorf("%s: Read(%q) = %s %q (error %t)\n%.200q\nwant %s %q\n%.200q", r.rule, r.section, a.Meta.Kind, a.Meta.Section, a.IsError, a.Text, r.kind, r.id, r.want)
			continue
		}
		checkDecodedBytes(t, c, r.rule, a, r.literal)
	}
}

// checkDecodedBytes checks that mcpctl/bytes is a span of the decoded string that
// mcpctl/literal names, or of the original.
func checkDecodedBytes(t *testing.T, c content, rule string, a flow.Answer, literal [2]int) {
	t.Helper()
	text := c.text
	if literal != [2]int{} {
		text, _ = jsonspan.Unquote(c.text[literal[0]:literal[1]])
		if a.Meta.Literal == nil || *a.Meta.Literal != literal {
			t.Errorf("%s: literal %v, want %v", rule, a.Meta.Literal, literal)
			return
		}
	} else if a.Meta.Literal != nil {
		t.Errorf("%s: bytes of the original have the literal %v", rule, *a.Meta.Literal)
	}
	if b := a.Meta.Bytes; b == nil || !bytes.Equal(text[b[0]:b[1]], a.Text) && a.Meta.Kind != flow.AnswerIndex {
		t.Errorf("%s: the answer is not the bytes %v", rule, a.Meta.Bytes)
	}
}

func TestIndexOfString(t *testing.T) {
	c := issue()
	d := open(t, c, section.Settings{})
	want := "[issue/body/~1] [![build](https://ci/badge)](https://ci) (42B)\n" +
		"[issue/body/steps] (2.5K)\n" +
		"[issue/body/expected] (12K)\n" +
		"[issue/body/steps-2] (14B)\n"
	a := d.Read(ref, "issue/body")
	if string(a.Text) != want || a.Meta.Kind != flow.AnswerIndex {
		t.Errorf("got %s\n%swant\n%s", a.Meta.Kind, a.Text, want)
	}
	checkDecodedBytes(t, c, "span of a string", a, [2]int{})

	steps := open(t, c, section.Settings{LeafSize: 600}).Read(ref, "issue/body/steps")
	if steps.Meta.Kind != flow.AnswerIndex {
		t.Fatalf("%s", steps.Meta.Kind)
	}
	checkDecodedBytes(t, c, "span of an index inside a string", steps, literalOf(c, "body"))
}

// TestWindowsOfDecodedPart checks that windows of a long decoded part count the lines and
// bytes of the decoded text.
func TestWindowsOfDecodedPart(t *testing.T) {
	c := issue()
	d := open(t, c, section.Settings{})
	body := literalOf(c, "body")
	whole, _ := jsonspan.Unquote(c.text[body[0]:body[1]])
	a := d.Read(ref, "issue/body/expected")
	checkDecodedBytes(t, c, "index of windows", a, body)
	var got []byte
	for _, id := range a.Meta.Offers {
		w := d.Read(ref, id)
		checkDecodedBytes(t, c, id, w, body)
		if w.Meta.Kind != flow.AnswerDecoded || !strings.HasPrefix(id, "issue/body/expected/~L") {
			t.Errorf("window %q has kind %s", id, w.Meta.Kind)
		}
		got = append(got, w.Text...)
	}
	if b := a.Meta.Bytes; !bytes.Equal(got, whole[b[0]:b[1]]) {
		t.Errorf("%d windows join to %d bytes, want %d", len(a.Meta.Offers), len(got), b[1]-b[0])
	}
	small := open(t, c, section.Settings{MaxWholeBytes: 3000})
	for _, id := range small.Read(ref, "issue/body/expected!").Meta.Offers {
		if w := small.Read(ref, id); w.Meta.Kind != flow.AnswerDecoded || !strings.Contains(id, "!") {
			t.Errorf("window %q has kind %s", id, w.Meta.Kind)
		}
	}
}

// TestUnsplitString checks that a string that was not split is answered as its literal.
func TestUnsplitString(t *testing.T) {
	c := issue()
	a := open(t, c, section.Settings{}).Read(ref, "issue/log")
	if a.Meta.Kind != flow.AnswerIndex || a.Meta.Literal != nil {
		t.Fatalf("%s %v", a.Meta.Kind, a.Meta.Literal)
	}
	var got []byte
	d := open(t, c, section.Settings{})
	for _, id := range a.Meta.Offers {
		got = append(got, d.Read(ref, id).Text...)
	}
	if lit := literalOf(c, "log"); !bytes.Equal(got, c.text[lit[0]:lit[1]]) {
		t.Errorf("windows join to %d bytes, want the literal", len(got))
	}
}

func TestLawOfDecodedLeaves(t *testing.T) {
	c := issue()
	for i, set := range allSettings {
		r := crawled(open(t, c, set), c.text)
		if err := r.Err(); err != nil {
			t.Errorf("settings %d: %v", i, err)
		}
		checkBudget(t, fmt.Sprint("settings ", i), r, set)
	}
}

// TestNestedDocument checks that keys and commas are structure in a JSON document inside
// of YAML.
func TestNestedDocument(t *testing.T) {
	long := strings.Repeat("x", 500)
	text := []byte("data:\n  a.json: |\n    {\"one\": \"" + long + "\", \"two\": [\"" + long + "\"]}\n  b: " + long + "\n")
	at := func(s string) int { return bytes.Index(text, []byte(s)) }
	b := &treeBuilder{text: text, tree: abi.Tree{Type: "yaml"}}
	data := b.add(-1, abi.SectionExact, 0, len(text), "data", "data")
	file := b.add(data, abi.SectionExact, at("  a.json"), at("  b: "), "a.json", "a.json")
	b.add(file, abi.SectionExact, at("  a.json"), at("    {"), "head", "head")
	inner := b.add(file, abi.SectionExact, at("    {"), at("  b: "), "text", "text")
	b.add(inner, abi.SectionExact, at("\"x"), at(", "), "one", "one")
	b.add(inner, abi.SectionExact, at("[\"x"), at("}"), "two", "two")
	d := open(t, content{text: text, tree: b.tree}, section.Settings{LeafSize: 100})
	want := "[data/a.json/text/one] (502B)\n[data/a.json/text/two] (504B)\n"
	if got := string(d.Read(ref, "data/a.json/text").Text); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	want = "[data/a.json/head] (12B)\n" + want + "[data/~2] b: " // which no section covers
	if got := string(d.Read(ref, "data").Text); !strings.HasPrefix(got, want) {
		t.Errorf("%q, want it to begin %q", got, want)
	}
}
