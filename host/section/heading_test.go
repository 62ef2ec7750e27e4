package section_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section"
)

// TestEqualHeadings checks that the lines of Sections with the same heading show the
// text below it.
func TestEqualHeadings(t *testing.T) {
	for kind, text := range map[string]string{
		"markdown": "## Leak\n\nPackage: a\n\n## Leak\n\nPackage: b\n\n## Other\n\nPackage: c\n",
		"html":     "<h2>Leak</h2><p>Package: a</p><h2>Leak</h2><p>Package: b</p><h2>Other</h2><p>Package: c</p>",
	} {
		b := &treeBuilder{tree: abi.Tree{Type: kind}}
		starts := regexp.MustCompile(`##|<h2>`).FindAllStringIndex(text, -1)
		for i, at := range starts {
			end := len(text)
			if i+1 < len(starts) {
				end = starts[i+1][0]
			}
			title := "Leak"
			if i == 2 {
				title = "Other"
			}
			b.add(-1, abi.SectionExact, at[0], end, "", title)
		}
		b.tree.Settle(0)
		d := open(t, content{text: []byte(text), tree: b.tree}, section.Settings{})
		index, _ := d.Index(-1, 0, 0)
		for _, line := range []string{"[leak] Package: a (", "[leak-2] Package: b (", "[other] ("} {
			if !strings.Contains(string(index), line) {
				t.Errorf("%s: no line %q in\n%s", kind, line, index)
			}
		}
		d = open(t, content{text: []byte(text), tree: b.tree}, section.Settings{MaxLines: 2})
		index, _ = d.Index(-1, 0, 0)
		if want := "[@leak..leak-2] 2 parts: Package: a .. Package: b ("; !strings.Contains(string(index), want) {
			t.Errorf("%s: no line %q in\n%s", kind, want, index)
		}
	}
}

// If a heading is a version, its line shows the text below the heading, which describes the changes.
func TestHeadingsThatAreVersions(t *testing.T) {
	const text = "## 2.1.0\n\n**Bugs:**\n\n- Fix a leak\n\n## [2.0.0](https://a.example/2) (2020-10-15)\n\n[All changes](https://a.example/all)\n\n- Add a lamp\n\n## Roadmap\n\nMore lamps\n"
	b := &treeBuilder{tree: abi.Tree{Type: "markdown"}}
	starts := regexp.MustCompile(`##`).FindAllStringIndex(text, -1)
	for i, title := range []string{"2.1.0", "2.0.0 (2020-10-15)", "Roadmap"} {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		b.add(-1, abi.SectionExact, starts[i][0], end, "", title)
	}
	b.tree.Settle(0)
	d := open(t, content{text: []byte(text), tree: b.tree}, section.Settings{})
	index, _ := d.Index(-1, 0, 0)
	for _, line := range []string{"[2-1-0] Bugs: - Fix a leak (", "[2-0-0-2020-10-15] Add a lamp (", "[roadmap] ("} {
		if !strings.Contains(string(index), line) {
			t.Errorf("no line %q in\n%s", line, index)
		}
	}
}
