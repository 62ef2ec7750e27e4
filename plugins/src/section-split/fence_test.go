package sectionsplit

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/example"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/detect"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func TestLargeFencesInALargeSectionAreCutOut(t *testing.T) {
	text := "# Deploy\n\n" + strings.Repeat(fox, 10) + "```yaml title=\"a\"\n" + services + "```\n\n" +
		strings.Repeat(fox, 10) + "```\nshort\n```\n\n~~~go\n" + source + "~~~\n\n# Small\n\n```json\n" + `{"a":1}` + "\n```\n"
	r := run1(text, `{}`)
	checkLaws(t, "fences", text, r)
	paths := example.Paths(r.Sections)
	for path, want := range map[string]string{
		"deploy/intro":   "# Deploy\n",
		"deploy/code":    services,
		"deploy/text":    "```\n\nThe quick",
		"deploy/code-2":  source,
		"deploy/text-2":  "~~~\n\n",
		"deploy/code/99": "- name: web\n",
		"small":          "# Small\n",
	} {
		i := slices.Index(paths, path)
		if i < 0 || !strings.HasPrefix(r.Sections[i].Text, want) {
			t.Errorf("no section %s that begins %.20q", path, want)
		}
	}
	code := r.Sections[slices.Index(paths, "deploy/code")]
	if code.Text != services || code.Title != "yaml, 100 items: - name: web replicas: 3 image: registry/web:1 - name: web..." {
		t.Errorf("%q", code.Title)
	}
}

// A fence names a language; the hint for detection is the extension of its files.
func TestFenceLanguageHasTypedExtension(t *testing.T) {
	for _, language := range []string{"javascript", "typescript", "Python", "golang", "csharp", "rust", "kotlin", "ruby", "shell", "protobuf", "elixir", "perl", "powershell"} {
		if ext := detect.Extension(language); !detect.IsTyped("x." + ext) {
			t.Errorf("%s: no type has files .%s", language, ext)
		}
	}
	var n part.Name
	new(namer).nameCode([]byte("let a = 1;\n"), "typescript title=\"a.ts\"", &n)
	if string(n.Title) != "typescript: let a = 1;" || string(n.Hint) != "x.ts" {
		t.Errorf("%q, hint %q", n.Title, n.Hint)
	}
}

func TestFencesAreCutInTextWithoutHeadings(t *testing.T) {
	text := "Here is what was found, as it was asked for in the call.\n\n```json\n" + tasks + "\n```\n" + strings.Repeat(fox, 60)
	r := run1(text, `{"type":"prose"}`)
	checkLaws(t, "fence", text, r)
	if i := slices.Index(example.Paths(r.Sections), "L3/code/0"); i < 0 || r.Sections[i].Kind != stage.Exact {
		t.Errorf("%q", listed(r)[:4])
	}
}

func TestFrontMatterIsYAML(t *testing.T) {
	text := "---\n" + strings.Repeat("- name: web\n  image: registry/web:1\n  replicas: 3\n", 90) + "---\n\n# Name\n\n" + strings.Repeat(fox, 40)
	text = strings.Replace(text, "- name", "items:\n- name", 1)
	r := run1(text, `{"type":"markdown"}`)
	checkLaws(t, "front matter", text, r)
	if !slices.Contains(example.Paths(r.Sections), "front-matter/items/89") {
		t.Errorf("%q", listed(r)[:4])
	}
}
