package yaml

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
	"github.com/mcpctl/mcpctl/plugins/src/scan/yaml/syntax"
)

// listed returns the parts of a text as "path text", with | for line ends.
func listed(t *testing.T, text string) []string {
	t.Helper()
	doc, ok := Scan([]byte(text), part.Clues{Forced: true})
	if !ok {
		return nil
	}
	parttest.Check(t, []byte(text), doc, between)
	var out []string
	paths := make([]string, len(doc.Parts))
	for i, p := range doc.Parts {
		var n part.Name
		doc.Name(i, &n)
		if paths[i] = string(n.ID); p.Parent >= 0 {
			paths[i] = paths[p.Parent] + "/" + paths[i]
		}
		out = append(out, paths[i]+" "+strings.ReplaceAll(text[p.Start:p.End], "\n", "|"))
	}
	return out
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		want       []string
	}{
		{"keys and items", "a:\n  b: 1\n  c:\n    - x\n    - y\nd: 2\n", []string{"a a:|  b: 1|  c:|    - x|    - y|", "a/b   b: 1|", "a/c   c:|    - x|    - y|", "a/c/0     - x|", "a/c/1     - y|", "d d: 2|"}},
		{"list on the column of its key", "a:\n- x\n- y\nb: 1\n", []string{"a a:|- x|- y|", "a/0 - x|", "a/1 - y|", "b b: 1|"}},
		{"key on the line of its dash", "- a: 1\n  b: 2\n", []string{"0 - a: 1|  b: 2|", "0/a - a: 1|", "0/b   b: 2|"}},
		{"lists in lists", "- - x\n  - y\n- - z\n", []string{"0 - - x|  - y|", "0/0 - - x|", "0/1   - y|", "1 - - z|", "1/0 - - z|"}},
		{"comment belongs to the key below", "a: 1\n\n# of b\nb: 2\n", []string{"a a: 1||", "b # of b|b: 2|"}},
		{"deeper comment stays above", "a:\n  b: 1\n  # of a\nc: 2\n", []string{"a a:|  b: 1|  # of a|", "a/b   b: 1|  # of a|", "c c: 2|"}},
		{"head of a list with a comment belongs to the first item", "# of a\na: &x # why\n  - b\n  - c\n", []string{"a # of a|a: &x # why|  - b|  - c|", "a/0 # of a|a: &x # why|  - b|", "a/1   - c|"}},
		{"comment below a key belongs to the first item", "a:\n# of b\n- b\n", []string{"a a:|# of b|- b|", "a/0 # of b|- b|"}},
		{"block scalar is text", "a: |\n  b: 1\n # less\n  - c\n\nd: >-2 # keep\n   e: 1\n", []string{"a a: ||  b: 1| # less|  - c||", "d d: >-2 # keep|   e: 1|"}},
		{"block scalar in a list", "- |\n  a: 1\n- b: |\n    c: 1\n  d: 2\n", []string{"0 - ||  a: 1|", "1 - b: ||    c: 1|  d: 2|", "1/b - b: ||    c: 1|", "1/d   d: 2|"}},
		{"scalars of several lines", "a: x y\n  z\nb:\n  x\n  y\nc: \"x\n\n  d: 1\"\ne: 'it''s\n  f: 1'\n", []string{"a a: x y|  z|", "b b:|  x|  y|", "c c: \"x||  d: 1\"|", "e e: 'it''s|  f: 1'|"}},
		{"flow collections are leaves", "a: [x, 'y]',\n  {z: 1}]\nb: {\"c}\": 1, # d: 1]\n}\n", []string{"a a: [x, 'y]',|  {z: 1}]|", "b b: {\"c}\": 1, # d: 1]|}|"}},
		{"quoted keys", "\"a: b\": 1\n'c ''d': 2\n\"e\\x41\\\"\" : 3\n", []string{"a: b \"a: b\": 1|", "c 'd 'c ''d': 2|", "eA\" \"e\\x41\\\"\" : 3|"}},
		{"colon in a key", "a:b: 1\nhttp://c/: 2\n::: 3\n", []string{"a:b a:b: 1|", "http://c/ http://c/: 2|", ":: ::: 3|"}},
		{"hash without a blank before it", "a#b: c#d\ne: f #g: h\n", []string{"a#b a#b: c#d|", "e e: f #g: h|"}},
		{"complex keys", "? a b\n: - x\n  - y\n? [c,\n  d]\n: e: 1\n? f\n", []string{"a b ? a b|: - x|  - y|", "a b/0 ? a b|: - x|", "a b/1   - y|", "[c, ? [c,|  d]|: e: 1|", "[c,/e ? [c,|  d]|: e: 1|", "f ? f|"}},
		{"merge keys and aliases are text", "a: &a\n  x: 1\nb:\n  <<: *a\n  y: *a\n*a : z\n", []string{"a a: &a|  x: 1|", "a/x a: &a|  x: 1|", "b b:|  <<: *a|  y: *a|", "b/<<   <<: *a|", "b/y   y: *a|", "*a *a : z|"}},
		{"tags and anchors before keys", "!t a: 1\n&b c: 2\n- d\n", []string{"a !t a: 1|", "c &b c: 2|- d|"}},
		{"tag on a line of its own", "a:\n  !t\n  b: 1\n", []string{"a a:|  !t|  b: 1|", "a/b   !t|  b: 1|"}},
		{"documents", "%YAML 1.2\n---\na: 1\n...\n# of the next\n--- # why\nb: 1\n---\n- c\n", []string{"0 %YAML 1.2|---|a: 1|", "0/a %YAML 1.2|---|a: 1|", "1 # of the next|--- # why|b: 1|", "1/b # of the next|--- # why|b: 1|", "2 - c|", "2/0 - c|"}},
		{"document that is one scalar", "a: 1\n--- |\n b: 1\n---\nc\n", []string{"0 a: 1|", "0/a a: 1|", "1 --- || b: 1|", "2 c|"}},
		{"empty documents and a last comment", "---\n---\na: 1\n---\n# end\n", []string{"a a: 1|---|# end|"}},
		{"mark in a block scalar", "a: |\n  ---\n  b\nc: 1\n", []string{"a a: ||  ---|  b|", "c c: 1|"}},
		{"BOM and CRLF", "\ufeffa:\r\n  - b\r\n\r\nc: |\r\n  d: 1\r\n", []string{"a a:\r|  - b\r|\r|", "a/0   - b\r|\r|", "c c: |\r|  d: 1\r|"}},
		{"tab after colon and dash", "a:\tb\nc:\n-\td\n", []string{"a a:\tb|", "c c:|-\td|", "c/0 -\td|"}},
		{"lines of a template", "a:\n{{- if .x }}\n  b: 1\n{{- end }}\nc: {{ .y }} z\n", []string{"a a:|{{- if .x }}|  b: 1|{{- end }}|", "a/b {{- if .x }}|  b: 1|{{- end }}|", "c c: {{ .y }} z|"}},
		{"line with an invalid indentation", "a:\n    b: 1\n  c\nd: 2\n", []string{"a a:|    b: 1|  c|", "a/b     b: 1|  c|", "d d: 2|"}},
		{"quote that is not closed", "a: \"b\nc: 1\n", []string{"a a: \"b|", "c c: 1|"}},
		{"bracket that is not closed", "a: [b\nc: 1\n", []string{"a a: [b|", "c c: 1|"}},
		{"no end of the last line", "a:\n- b: |", []string{"a a:|- b: |", "a/0 - b: |", "a/0/b - b: |"}},
		{"a scalar has no parts", "just text\n", nil},
		{"empty text", "", nil},
	} {
		if got := listed(t, c.text); strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s: %q\n got %q\nwant %q", c.rule, c.text, got, c.want)
		}
	}
}

func TestTextsThatAreNotYAML(t *testing.T) {
	line := "The quick brown fox jumps over the lazy dog, and no one minds that at all.\n"
	for rule, text := range map[string]string{
		"prose":                        strings.Repeat(line, 9),
		"a colon in prose":             "Note: this.\n" + strings.Repeat(line, 9),
		"a dialogue":                   strings.Repeat("Alice: "+line+"Bob: "+line, 9),
		"front matter above a text":    "---\ntitle: a\ndate: b\n---\n\n" + strings.Repeat(line, 9),
		"a list of sentences":          strings.Repeat("- "+line, 9),
		"headings and lists":           "# Log\n\n" + strings.Repeat("## v1\n- Fix: it\n- "+line+"- "+line, 9),
		"a list with boxes":            strings.Repeat("- [x] write it\n- [ ] read it\n", 9),
		"labels in C":                  strings.Repeat("retry:\n\tx = f(x);\n\tif (x)\n\t\tgoto retry;\n", 9),
		"cases in Go":                  "switch x {\n" + strings.Repeat("case 1:\n\tf()\ndefault:\n\treturn\n", 9) + "}\n",
		"Python":                       strings.Repeat("def f(x):\n    y = g(x)\n    return y\n\n", 9),
		"a log":                        strings.Repeat("2026-11-21 08:15:00 INFO main: started\n2026-11-21 08:15:01 WARN main: slow\n", 9),
		"INI":                          "[server]\nhost = a\nport = 1\n[client]\nhost = b\n",
		"TOML":                         "title = \"a\"\n[x]\ny = [1, 2]\n",
		"CSV":                          strings.Repeat("1,ab,2.5,\"x: y\"\n", 20),
		"help of a command":            "Usage:\n  tool [command]\n\nCommands of it:\n  get    one\n  put    two\n  drop   three\n\nFlags:\n  -h   help\n  -v   more\n",
		"JSON with a comma too many":   "{\"a\": 1,\n\"b\": [2,],}\n",
		"CSS":                          "a {\n  color: red;\n}\nb {\n  color: blue;\n}\n",
		"a diff":                       "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a: 1\n+a: 2\n",
		"a Makefile":                   "all: a b\n\tgo build\n\na: x\n\ttouch a\n",
		"a quote that is never closed": "a: 1\nb: \"x\nc: 2\n",
		"one key":                      "a: 1\n",
	} {
		if _, ok := Scan([]byte(text), part.Clues{}); ok {
			t.Errorf("%s: accepted as YAML", rule)
		}
	}
}

// The characters of the merge key "<<" do not count as signs of code.
func TestMergeKeys(t *testing.T) {
	text := "base: &base\n  restart: always\n" + many(20, func(i int) string {
		return fmt.Sprintf("svc%d:\n  <<: *base\n  image: registry.example.org/app:%d\n  restart: always\n", i, i)
	})
	if doc, ok := Scan([]byte(text), part.Clues{}); !ok || doc.Count != "21 keys" {
		t.Errorf("%t %v", ok, doc)
	}
}

func TestEmbeddedDocuments(t *testing.T) {
	long := strings.Repeat("x", syntax.MinEmbedded)
	for _, c := range []struct {
		rule, text, part, hint string
	}{
		{"file by its key", "a:\n  # b\n  b.yaml: |-\n    c: " + long + "\n    d: 1\n  # of a\ne: 1\n", "    c: " + long + "\n    d: 1\n  # of a\n", "b.yaml"},
		{"block scalar that begins like JSON", "a: |\n  {\"b\": \"" + long + "\"}\n", "  {\"b\": \"" + long + "\"}\n", "a"},
		{"flow collection like JSON", "- {\"b\":\n\"" + long + "\"}\n- c: 1\n", "{\"b\":\n\"" + long + "\"}\n", ""},
		{"plain text", "a: |\n  b " + long + "\n", "", ""},
		{"short file", "a.json: |\n  {\"b\": 1}\n", "", ""},
	} {
		doc, ok := Scan([]byte(c.text), part.Clues{Forced: true})
		if !ok {
			t.Fatalf("%s: refused", c.rule)
		}
		parttest.Check(t, []byte(c.text), doc, between)
		got, hint := "", ""
		for i, p := range doc.Parts {
			if p.Kind == part.Text {
				var n part.Name
				doc.Name(i, &n)
				got, hint = c.text[p.Start:p.End], string(n.Hint)
			}
		}
		if got != c.part || hint != c.hint {
			t.Errorf("%s: %q %q, want %q %q", c.rule, got, hint, c.part, c.hint)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{"start of a value", "a: b  c # d\n", "[a] a: b c"},
		{"quoted value", "a: 'it is'\n", "[a] a: it is"},
		{"block scalar", "a: |-\n  one\n\n  two\n", "[a] a: one two"},
		{"value of several lines", "a:\n  one\n  two\n", "[a] a: one two"},
		{"no value", "a:\n", "[a] a: null"},
		{"empty value", "a: ''\n", `[a] a: ""`},
		{"mapping and list", "a:\n  b: 1\n  c: 2\nd: [1]\ne:\n- 1\n", "[a] a: b: 1, c: 2|[a/b] b: 1|[a/c] c: 2|[d] d: [1]|[e] e: list of 1: 1|[e/0] 1"},
		{"lists by their first items", "a:\n- name: web\n  b: 1\n- id: db\nc:\n- x y\n- z\nd:\n- name: web\n- b: 1\ne:\n- [1]\n- [2]\n", "[a] a: list of 2: web, db|[a/web] b: 1|[a/web/name] name: web|[a/web/b] b: 1|[a/db] 1 key|[a/db/id] id: db|[c] c: list of 2: x y, z|[c/0] x y|[c/1] z|[d] d: list of 2: web|[d/web] 1 key|[d/web/name] name: web|[d/1] b: 1|[d/1/b] b: 1|[e] e: list of 2: [1], [2]|[e/0] [1]|[e/1] [2]"},
		{"title of an item omits the name that is its id", "- name: x\n  kind: y\n- id: z\n", "[x] y|[x/name] name: x|[x/kind] kind: y|[z] 1 key|[z/id] id: z"},
		{"item without a name has its entries as title", "- a: 1\n  b:\n    c: 2\n", "[0] a: 1, b: 1 key|[0/a] a: 1|[0/b] b: c: 2|[0/b/c] c: 2"},
		{"repeated name is not an id", "- {x: 1}\n- name: a\n- name: a\n  key: k\n- name: 12\n", "[0] {x: 1}|[1] a|[1/name] name: a|[k] a, key: k|[k/name] name: a|[k/key] key: k|[3] 12|[3/name] name: 12"},
		{"document by kind and name", "kind: Service\nmetadata:\n  name: web\n---\nname: b\n---\n- c\n", "[Service:web] Service web|[Service:web/kind] kind: Service|[Service:web/metadata] metadata: web|[Service:web/metadata/name] name: web|[b] b: 1 key|[b/name] name: b|[2] list of 1|[2/0] c"},
	} {
		doc, ok := Scan([]byte(c.text), part.Clues{Forced: true})
		if !ok {
			t.Errorf("%s: refused", c.rule)
			continue
		}
		var got []string
		paths := make([]string, len(doc.Parts))
		for i, p := range doc.Parts {
			var n part.Name
			doc.Name(i, &n)
			if paths[i] = string(n.ID); p.Parent >= 0 {
				paths[i] = paths[p.Parent] + "/" + paths[i]
			}
			got = append(got, fmt.Sprintf("[%s] %s", paths[i], n.Title))
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q\n got %s\nwant %s", c.rule, c.text, strings.Join(got, "|"), c.want)
		}
	}
}
