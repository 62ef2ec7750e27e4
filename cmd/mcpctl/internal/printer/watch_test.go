package printer

import (
	"bytes"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

type thing struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Note  string `json:"note,omitempty"` // not shown in tables
}

func listing(list ...thing) Listing {
	l := Listing{Value: list, Table: func(bool) *iostreams.Table {
		t := iostreams.NewTable("NAME", "STATE")
		for _, v := range list {
			t.Row(v.Name, v.State)
		}
		return t
	}}
	for _, v := range list {
		l.Names = append(l.Names, "thing/"+v.Name)
	}
	return l
}

func TestWatchPrintsChanges(t *testing.T) {
	steps := []Listing{
		listing(),
		listing(thing{"one", "ready", ""}, thing{"two", "<new>", ""}),
		listing(thing{"one", "ready", ""}, thing{"two", "<new>", ""}), // nothing
		listing(thing{"one", "ready", "seen"}, thing{"two", "<new>", ""}),
		listing(thing{"longer name", "ready", ""}, thing{"two", "failed", ""}),
	}
	for format, want := range map[string]string{
		"table": "NAME  STATE\none   ready\ntwo   <new>\n" +
			"longer name  ready\ntwo          failed\none          (deleted)\n",
		"name": "thing/one\nthing/two\nthing/one\nthing/longer name\nthing/two\nthing/one deleted\n",
		"json": `{"type":"ADDED","object":{"name":"one","state":"ready"}}
{"type":"ADDED","object":{"name":"two","state":"<new>"}}
{"type":"MODIFIED","object":{"name":"one","state":"ready","note":"seen"}}
{"type":"ADDED","object":{"name":"longer name","state":"ready"}}
{"type":"MODIFIED","object":{"name":"two","state":"failed"}}
{"type":"DELETED","object":{"name":"one","state":"ready","note":"seen"}}
`,
	} {
		t.Run(format, func(t *testing.T) {
			var b bytes.Buffer
			w := NewWatch(&iostreams.Streams{Out: &b}, format)
			for _, l := range steps {
				if err := w.Show(l); err != nil {
					t.Fatal(err)
				}
			}
			if b.String() != want {
				t.Errorf("got\n%s\nwant\n%s", b.String(), want)
			}
		})
	}
}

func TestWatchAsYAMLIsAStreamOfDocuments(t *testing.T) {
	var b bytes.Buffer
	w := NewWatch(&iostreams.Streams{Out: &b}, "yaml")
	for _, l := range []Listing{listing(thing{"one", "ready", ""}), listing()} {
		if err := w.Show(l); err != nil {
			t.Fatal(err)
		}
	}
	const object = "object:\n  name: one\n  state: ready\n"
	if want := "---\ntype: ADDED\n" + object + "---\ntype: DELETED\n" + object; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// Prompts with the same name in different projects are different items.
func TestWatchIdentifiesItemsByKey(t *testing.T) {
	l := listing(thing{"a", "x", ""}, thing{"a", "y", ""})
	l.Keys = []string{"p/a", "q/a"}
	var b bytes.Buffer
	w := NewWatch(&iostreams.Streams{Out: &b}, "table")
	for range 2 {
		if err := w.Show(l); err != nil {
			t.Fatal(err)
		}
	}
	if want := "NAME  STATE\na     x\na     y\n"; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
