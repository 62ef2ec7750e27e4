package stagepage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// docs/section-split.md equals the page generated from the sources.
func TestPageIsThatOfTheSources(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	want, err := Page(os.DirFS(filepath.Join(root, "plugins", "src", "section-split")))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "docs", "section-split.md"))
	if err != nil || string(got) != want {
		t.Errorf("docs/section-split.md differs from the sources of the stage (%v): go generate ./cmd/mcpctl/...", err)
	}
}

// docs/stages.md equals the page generated from the sources.
func TestPageOfAllRolesIsThatOfTheSources(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	want, err := Roles(os.DirFS(filepath.Join(root, "plugins", "src")))
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{"\n## summarize\n\nA stage: ", "\n## gate\n\nA controller: ", "Without an LLM, content passes", "It does nothing in a project with", "| `pageSize` |"} {
		if !strings.Contains(want, role) {
			t.Errorf("%q is not on the page", role)
		}
	}
	got, err := os.ReadFile(filepath.Join(root, "docs", "stages.md"))
	if err != nil || string(got) != want {
		t.Errorf("docs/stages.md differs from the sources of the modules (%v): go generate ./cmd/mcpctl/...", err)
	}
}

func TestRolesRejectsInvalidSources(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{
		"nothing":                {},
		"an invalid plugin.yaml": {"a/plugin.yaml": {Data: []byte("nmae: x\n")}},
	} {
		if page, err := Roles(files); err == nil {
			t.Errorf("%s: no error, and the page is %q", name, page)
		}
	}
}

const plugin = `name: cut
kind: stage
abi: 1
summary: cuts
config:
  - {name: size, type: int, default: 3, min: 1, max: 1000000, help: "of a | b"}
  - {name: how, type: enum, values: [a, b], default: a, help: way}
examples: [testdata/x.txtar]
`

func TestPage(t *testing.T) {
	page, err := Page(fstest.MapFS{
		"plugin.yaml":      {Data: []byte(plugin)},
		"testdata/x.txtar": {Data: []byte("About it.\n-- config --\n{}\n-- input --\na\n-- want --\ndone\njson, 20 parts\n<index>\n" + strings.Repeat("[a] 0-1 a\n", 20))},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| `size` | int, 1 to 1000000 | `3` | of a \\| b |", "| `how` | a, b | `a` | way |",
		"### json: x\n\nAbout it.\n\nConfig: `{}`\n\n```\njson, 20 parts\n[a] 0-1 a\n", "[a] 0-1 a\n... 8 more lines\n```\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not contain %q:\n%s", want, page)
		}
	}
}

func TestInvalidPage(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{
		"no plugin.yaml":               {},
		"an example that is not there": {"plugin.yaml": {Data: []byte(plugin)}},
		"an example that passes":       {"plugin.yaml": {Data: []byte(plugin)}, "testdata/x.txtar": {Data: []byte("-- config --\n{}\n-- input --\na\n-- want --\npass\n")}},
		"an invalid plugin.yaml":       {"plugin.yaml": {Data: []byte("nmae: x\n")}},
	} {
		if page, err := Page(files); err == nil {
			t.Errorf("%s: no error, and the page is %q", name, page)
		}
	}
}
