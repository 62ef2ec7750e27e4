package yaml

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
	"github.com/mcpctl/mcpctl/plugins/src/scan/yaml/syntax"
)

// bomb returns nine levels of ten aliases each.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [lol]\n")
	for i := range 9 {
		b.WriteString("a" + string(rune('1'+i)) + ": &a" + string(rune('1'+i)) + " [" + strings.Repeat("*a"+string(rune('0'+i))+", ", 9) + "x]\n")
	}
	return b.String()
}

func TestExtremeDocuments(t *testing.T) {
	deep := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String() + strings.Repeat(" ", n) + "b: 1\n"
	}
	for _, c := range []struct {
		rule, text string
		parts      int
	}{
		{"lists 100,000 deep on one line", "a:\n" + strings.Repeat("- ", 100_000) + "x\n", 1 + syntax.MaxLevels - 1},
		{"flow collections 100,000 deep", "a: " + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "\nb: 1\n", 2},
		{"flow collections without an end", "a: 1\n" + strings.Repeat("b: [\n", 100_000), 0},
		{"quotes without an end", "a: 1\n" + strings.Repeat("b: \"\\\n", 100_000), 0},
		{"keys 1,000 deep", deep(1000), syntax.MaxLevels},
		{"12 MB on one line", "a: 1\nb: [" + strings.Repeat("{c: d, e: \"f\"}, ", 750_000) + "]\n", 2},
		{"key of 12 MB", "a: 1\n" + strings.Repeat("b", 12_000_000) + ": 2\n", 2},
		{"aliases that expand exponentially", bomb(), 10},
		{"block scalar of 2 MB", "a: |\n" + strings.Repeat("  b: - c\n", 222_222) + "d: 1\n", 2},
		{"50,000 siblings", strings.Repeat("- name: x\n", 50_000), 100_000},
		{"more entries than nodes", "a:\n" + strings.Repeat(" - b:\n   c: 1\n", 100_000), 100_001},
		{"100,000 actions in a line", "{{ a }}\nb: " + strings.Repeat("{{ c }}", 100_000) + "\nd: [\n", 0},
		{"100,000 lines of actions in a block scalar", "{{ a }}\nb: |\n" + strings.Repeat("{{ c }}\n", 100_000) + "  d\ne: {{ f }}\n", 2},
		{"block scalars with lines of actions that end them", "{{/*\n*/}}\n" + strings.Repeat("b: |\n{{ c }}\n{{ d }}\n", 30_000), 30_000},
		{"actions without an end", "{{ a\n" + strings.Repeat("b: {{ c\n", 100_000), 0},
		{"strings without an end in actions", "{{ a }}\n" + strings.Repeat("b: {{ \"c }}\n", 100_000), 0},
		{"statements and comments without an end", strings.Repeat("{% a\n{# b: \"\n", 100_000), 0},
		{"braces", "{% a %}\nb: 1\n" + strings.Repeat("{", 500_000) + "\n", 0},
		{"comments without an end in actions", strings.Repeat("{{/* a\nb: \"\n", 100_000), 0},
		{"100,000 documents", strings.Repeat("---\na: 1\nb: 2\n", 100_000), 0},
	} {
		b := []byte(c.text)
		doc, ok := Scan(b, part.Clues{File: "a.yaml"})
		switch {
		case c.parts == 0 && ok && len(doc.Parts) > syntax.MaxParts(len(b)):
			t.Errorf("%s: %d parts", c.rule, len(doc.Parts))
		case c.parts > 0 && (!ok || len(doc.Parts) != c.parts):
			t.Errorf("%s: %t, want %d parts: %d", c.rule, ok, c.parts, len(doc.Parts))
		}
		if ok && len(doc.Parts) < 1<<12 {
			parttest.Check(t, b, doc, between)
		}
	}
}

// If the documents are too many, they share one part. It used to be looked up after
// the list of parts had been cleared.
func TestManyDocumentsAndALongLastOne(t *testing.T) {
	text := strings.Repeat("---\na: 1\n", syntax.MaxDocuments+1) + "---\n" + many(40, func(i int) string { return fmt.Sprintf("k%d: 1\n", i) })
	doc, ok := Scan([]byte(text), part.Clues{})
	if !ok || doc.Count != fmt.Sprint(syntax.MaxDocuments+2, " documents") || len(doc.Parts) > 0 {
		t.Errorf("%t %+v", ok, doc)
	}
}

func FuzzScan(f *testing.F) {
	tested.Fuzz(f, []string{"a:\n- b: |\n   c\n  d: [e,\n f]\n", "--- # x\n? a\n: - b\n...\n%Y\n---\n'c': \"d\n e\"\n", "\ufeffa: &x\r\n  !t\r\n  b: *x\r\n", "- - - a\n  - # b\n    c: 1\n", "{{ a }}\nb:\tc\n\td\n", "{% if a %}\nb: 1\n{% endif %}{# c\n#}\n", "{{- /*\na\n*/ -}}\nb: |\n{{ c }}\n  d {{ \"}}\" }}\n{{ `e\n` }}: 1\n"}, nil)
}
