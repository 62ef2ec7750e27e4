package sectionsplit

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/example"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// itemForms are lines of which texts of a type are made. %d is a number.
var itemForms = map[string][]string{
	"hcl":        {"resource \"a%d\" \"b%d\" {\n", "  c%d = [1, \"}\"]\n", "  d%d {\n", "}\n", "# e\n", "\n", "f%d = {\n", "g = <<-E\n  resource \"no\" \"no\" {\nE\n"},
	"makefile":   {"a%d: b c%d\n", "\td $@\n", "E%d = f \\\n  g\n", "# h\n", "\n", "ifdef I%d\n", "endif\n", ".PHONY: j\n", "define K%d\na: b\nendef\n"},
	"dockerfile": {"FROM a%d AS b%d\n", "RUN c \\\n  # d\n  e\n", "RUN <<E\nFROM no\nE\n", "ARG F%d=1\n", "# g\n", "\n", "COPY --from=b%d . .\n"},
	"gettext":    {"#: a%d.c:1\n", "msgid \"b%d\"\n", "msgstr \"c\"\n", "\"d%d\"\n", "msgctxt \"e%d\"\n", "#, fuzzy\n", "\n", "#~ msgid \"f%d\"\n"},
}

// headers matches the text that may be between leaves of HCL: comments, headers and
// brackets.
var headers = regexp.MustCompile(`^(?:\s|#[^\n]*|[}]|\w+[^={\n]*=?\s*\{)*$`)

// Leaves of random texts, many of them invalid, join to the text, and ids are unique.
func TestLawsOnRandomItems(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 1))
	for kind, forms := range itemForms {
		for n := range 60 {
			var text strings.Builder
			for range 1 + rnd.IntN(120) {
				text.WriteString(strings.ReplaceAll(forms[rnd.IntN(len(forms))], "%d", fmt.Sprint(rnd.IntN(30))))
			}
			input := text.String()
			if n%3 == 1 {
				input = strings.ReplaceAll(input, "\n", "\r\n")
			}
			config := fmt.Sprintf(`{"minSize":0,"type":%q,"leafSize":%d,"maxLines":%d}`, kind, 100+rnd.IntN(300), 2+rnd.IntN(24))
			r := run1(input, config)
			at := 0
			for _, l := range append(leaves(r.Sections), span{len(input), len(input)}) {
				if gap := strings.ReplaceAll(input[at:l.start], "\r", ""); len(r.Sections) > 0 && strings.TrimSpace(gap) != "" && (kind != "hcl" || !headers.MatchString(gap)) {
					t.Fatalf("%s %s: %q is in no leaf of\n%s", kind, config, gap, input)
				}
				at = l.end
			}
			seen := map[string]bool{}
			for i, path := range example.Paths(r.Sections) {
				if seen[path] && r.Sections[i].Kind == stage.Exact {
					t.Fatalf("%s: two sections are %s", kind, path)
				}
				seen[path] = true
			}
		}
	}
}
