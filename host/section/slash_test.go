package section_test

import (
	"bytes"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section"
)

// Names with slashes need not be escaped in a path: as many segments as there are
// for a name are one.
func TestNamesWithSlashes(t *testing.T) {
	text := []byte(`{"paths": {"/pets": {"get": 1}, "/pets/{id}": {"get": {"summary": "a pet"}}},
	"packages": {"node_modules/@a/b": {"version": "1"}, "node_modules/@a/b/node_modules/c": {"version": "2"}},
	"a": {"b": 3}, "a/b": 4}`)
	for name, leaf := range map[string]int{"sections": 8, "values of a leaf": 1000} {
		d := open(t, content{text: text, tree: splitJSON(text, leaf, false)}, section.Settings{})
		for path, want := range map[string]string{
			"paths//pets/get":                                   "1",
			"paths//pets/{id}/get/summary":                      `"a pet"`,
			"packages/node_modules/@a/b/version":                `"1"`,
			"packages/node_modules/@a/b/node_modules/c/version": `"2"`,
			"packages/node_modules%2F@a%2Fb/version":            `"1"`,
			"a/b":                                               "3",
			"packages/node_modules/@a":                          "",
		} {
			a := d.Read(ref, path)
			if a.IsError != (want == "") || want != "" && string(a.Text) != want {
				t.Errorf("%s: %s reads %q, want %q", name, path, a.Text, want)
			}
		}
	}
}

func TestTitlesWithSlashes(t *testing.T) {
	text := []byte("# Doc\n## Input/Output\n### stdin/stdout/stderr\nstreams\n## Input\nkeys\n")
	d := open(t, content{text: text, tree: splitMarkdown(text, 10)}, section.Settings{})
	for path, want := range map[string]string{
		"Doc/Input/Output/stdin/stdout/stderr": "### stdin/stdout/stderr\nstreams\n",
		"Doc/Input":                            "## Input\nkeys\n",
	} {
		if a := d.Read(ref, path); string(a.Text) != want {
			t.Errorf("%s reads %q, want %q", path, a.Text, want)
		}
	}
}

// What stands deeper is found by its title, whatever its id is made of.
func TestATitleAnywhere(t *testing.T) {
	b := &treeBuilder{text: []byte("<h1>CSP</h1><h2 id=sotd>Status of this document</h2>draft"), tree: abi.Tree{Type: "html"}}
	at := bytes.Index(b.text, []byte("<h2"))
	top := b.add(-1, abi.SectionExact, 0, len(b.text), "csp", "CSP")
	b.add(top, abi.SectionExact, 0, at, "intro", "CSP")
	b.add(top, abi.SectionExact, at, len(b.text), "sotd", "Status of this document")
	d := open(t, content{text: b.text, tree: b.tree}, section.Settings{})
	if a := d.Read(ref, "Status of this Document"); !bytes.Equal(a.Text, b.text[at:]) {
		t.Errorf("the title reads %q", a.Text)
	}
}
