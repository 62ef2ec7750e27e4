package section_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section"
)

// TestPathsIntoBlocks checks that a path may continue in a leaf with a key or a heading: it
// leads to the block with that name, else to the leaf if it contains the name.
func TestPathsIntoBlocks(t *testing.T) {
	yaml := []byte("services:\n  web:\n    image: nginx\n    ports:\n    - name: http\n      port: 80\n    - name: tls\n      port: 443\n    labels: {team: core}\n  db:\n    image: postgres\n    ports: []\n")
	y := &treeBuilder{text: yaml, tree: abi.Tree{Type: "yaml"}}
	services := y.add(-1, abi.SectionExact, 0, len(yaml), "services", "services")
	web, db := bytes.Index(yaml, []byte("  web:")), bytes.Index(yaml, []byte("  db:"))
	y.add(services, abi.SectionExact, web, db, "web", "web")
	y.add(services, abi.SectionExact, db, len(yaml), "db", "db")
	changes := []byte("# Changes\n\n## 1.2.0\n\n### Added\n\n- a lamp\n\n### Bug fixes\n\n- a leak\n\n## 1.1.0\n\n### Added\n\n- a pump\n\n## v1.0.0 - 2020-01-01\n\n### Added\n\n- a valve\n")
	docs := map[string]*section.Doc{
		"yaml":     open(t, content{text: yaml, tree: y.tree}, section.Settings{}),
		"markdown": open(t, content{text: changes, tree: splitMarkdown(changes, 60)}, section.Settings{}),
	}
	for _, c := range []struct{ rule, doc, path, want string }{
		{"key", "yaml", "services/web/image", "    image: nginx\n"},
		{"key of a key", "yaml", "services.web.ports.name", ""},
		{"item of a list", "yaml", "services/web/ports/1", "    - name: tls\n      port: 443\n"},
		{"key of an item", "yaml", "services/web/ports/0/port", "      port: 80\n"},
		{"key in braces", "yaml", "services/web/labels/team", "    labels: {team: core}\n"},
		{"key of several leaves", "yaml", "services/image!", "    image: nginx\n    image: postgres\n"},
		{"heading", "markdown", "changes/1-2-0/Added", "### Added\n\n- a lamp\n\n"},
		{"slug of a heading", "markdown", "changes/1-2-0/bug-fixes", "### Bug fixes\n\n- a leak\n\n"},
		{"heading in a leaf, from anywhere", "markdown", "Bug fixes", "### Bug fixes\n\n- a leak\n\n"},
		{"version without its v", "markdown", "1.0.0/Added", "### Added\n\n- a valve\n"},
		{"titles", "markdown", "Changes/1.1.0/Added", "### Added\n\n- a pump\n\n"},
	} {
		a := docs[c.doc].Read(ref, c.path)
		if got := string(a.Text); c.want != "" && got != c.want || a.IsError {
			t.Errorf("%s: Read(%q) = %q, want %q", c.rule, c.path, got, c.want)
		}
	}
	for path, doc := range map[string]string{"services/web/ports/2": "yaml", "services/web/0": "yaml", "1.2": "markdown"} {
		if a := docs[doc].Read(ref, path); !a.IsError {
			t.Errorf("Read(%q) = %q, want an error", path, a.Text)
		}
	}
	a := docs["yaml"].Read(ref, "services.web.ports.name")
	for _, line := range []string{"name: http (", "name: tls ("} {
		if !strings.Contains(string(a.Text), line) {
			t.Errorf("keys of items: no %q in %s", line, a.Text)
		}
	}
}

// TestPathsIntoNestedBlocks checks that a path of many segments with the same name takes no
// longer than the content is large.
func TestPathsIntoNestedBlocks(t *testing.T) {
	const depth = 600
	b := &treeBuilder{tree: abi.Tree{Type: "yaml"}}
	parent := -1
	for n := range depth {
		b.text = append(b.text, strings.Repeat(" ", n)+"k:\n"...)
	}
	for at := range 40 {
		parent = b.add(parent, abi.SectionExact, at*(at-1)/2+3*at, len(b.text), "k", "k")
	}
	d := open(t, content{text: b.text, tree: b.tree}, section.Settings{})
	reads := testing.AllocsPerRun(1, func() { d.Read(ref, strings.Repeat("k/", depth)) })
	if reads > 1e6 {
		t.Errorf("%g allocations for a path of %d segments", reads, depth)
	}
}
