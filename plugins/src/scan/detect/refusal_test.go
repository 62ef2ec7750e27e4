package detect

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/diff"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
	"github.com/mcpctl/mcpctl/plugins/src/scan/yaml"
)

// wronglyRefused returns the type of a proof that succeeds for a text although its line starts refuse
// the type, or "".
func wronglyRefused(b []byte) string {
	s := &survey{b: b}
	starts := s.lines()
	if _, ok := diff.Scan(b, part.Clues{}); ok && !starts.change {
		return "diff"
	}
	if _, ok := yaml.Scan(b, part.Clues{}); ok && !starts.mark && yaml.IsScalar(b) {
		return "YAML"
	}
	if json.New(b, options.JSON).Records(lines.Start(b)) && !opensSoon(b) {
		return "NDJSON"
	}
	if len(findValues(b, lines.Start(b))) > 0 && !starts.value {
		return "a value"
	}
	var whole census
	if whole.count(b, s.blocks(), 1); len(b) <= 2*censusWhole && s.isProse() != whole.isProse() {
		return "prose"
	}
	return ""
}

// pieces are one or more lines, of which texts are made that resemble many types. %s is a word.
var pieces = []string{
	"a b c d\n", "The %s reads each of them, and writes it.\n", "\n", "\r\n", "  %s\n", "x = %s(1, 2);\n", "\treturn %s\n", "}\n", "- %s\n", "# %s\n",
	"%s: 1\n", "key:\n", "  %s: 'it'\n", "- a: %s\n", "---\n", "...\n", "--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-a\n+b\n", "diff --git a/%s b/%s\n", "Index: %s\n",
	"commit 0123456789012345678901234567890123456789\nAuthor: %s\n\n    It is %s.\n\n", "From %s\n", "{\"a\": \"%s\"}\n", "[1, \"%s\"]\n", "{\"%s\", 1},\n", "[]%s{1}\n",
	"{\n", "[\n  1,\n  2\n]\n", "[[1], {}]\n", "{}\n", "[tail]\n", "{\"a\\\"b\" : 1}\n", "\"%s\"\n", "'it is\n\nso': 1\n", "// %s\n", "/* %s\n", "*/\n", "<%s>\n", "```\n", "%YAML 1.2\n", "&a\n", "| %s\n", ">\n",
	"2026-11-22T10:00:00Z INFO %s\n", "%s,1,2\n", strings.Repeat("word after word ", 40) + "\n", "é ü %s ß\n", "\xef\xbb\xbf", "@@ -1 +1 @@\n", "* a\n",
	"{{- if .%s }}\n", "{{- /* %s\n", "*/ -}}\n", "%s: {{ .a | b }}\n", "{{ .a }}%s: 1\n", "  {{ a }}{{ b }}\n",
}

func TestRefusalByLineStarts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 20_000 {
		var text strings.Builder
		few := make([]string, 1+rnd.IntN(4)) // a text of one type has few kinds of lines
		for i := range few {
			few[i] = pieces[rnd.IntN(len(pieces))]
		}
		for range 1 + rnd.IntN(40) {
			text.WriteString(strings.ReplaceAll(few[rnd.IntN(len(few))], "%s", vocabulary[rnd.IntN(len(vocabulary))]))
		}
		if wrong := wronglyRefused([]byte(text.String())); wrong != "" {
			t.Fatalf("%s is refused: %q", wrong, text.String())
		}
	}
}

func FuzzRefusals(f *testing.F) {
	for _, piece := range pieces {
		f.Add(strings.Repeat(strings.ReplaceAll(piece, "%s", "a"), 5))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if wrong := wronglyRefused([]byte(text)); wrong != "" {
			t.Errorf("%s is refused", wrong)
		}
	})
}

// The order without a hint, with one at a proof that parses, at one that counts, at
// JSON, and at a type without a proof.
func TestOrderOfProofs(t *testing.T) {
	for claim, want := range map[Type]string{
		"":      "json ndjson numbered mixed diff vue svelte html xml yaml toml ini properties hcl dockerfile gettext makefile markdown log csv prose code",
		YAML:    "json yaml ndjson numbered mixed diff vue svelte html xml toml ini properties hcl dockerfile gettext makefile markdown log csv prose code",
		Code:    "json ndjson numbered diff vue svelte html xml yaml toml ini properties hcl dockerfile gettext makefile code mixed markdown log csv prose",
		JSON:    "json ndjson numbered mixed diff vue svelte html xml yaml toml ini properties hcl dockerfile gettext makefile markdown log csv prose code",
		".conf": "json ndjson numbered mixed diff vue svelte html xml yaml toml ini properties hcl dockerfile gettext makefile",
	} {
		var got []string
		for _, i := range orderProofs("", claim, nil) {
			got = append(got, fmt.Sprint(proofs[i].name))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, want %s", claim, s, want)
		}
	}
}
