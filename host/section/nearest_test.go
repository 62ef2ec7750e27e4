package section_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
)

// TestNearest checks that an unknown section offers the parts of the section that its path
// reached first.
func TestNearest(t *testing.T) {
	text := []byte(`{"nodes": [{"id": "a1", "x": "` + strings.Repeat("x", 90) + `", "wires": []}, {"id": "b2", "name": "Door", "y": 1}], "nosach": 1}`)
	d := open(t, content{text: text, tree: splitJSON(text, 100, false)}, section.Settings{LeafSize: 64})
	for _, c := range []struct{ rule, asked, want string }{
		{"members of a section", "nodes/0/wire", "[nodes/0/wires nodes/0/id nodes/0/x"},
		{"keys of a value that is not a section", "nodes/1/nam", "[nodes/1/name nodes/1/"},
		{"similar ids elsewhere", "nodes/nosuch", "[nodes/0 nodes/1 nosach "},
		{"similar ids at the top", "node", "[nodes"},
		{"search below an unknown section", "nodes/0/wire?x", "[nodes/0/wires"},
		{"bytes of an unknown section", "nodes/0/wire!", "[nodes/0/wires"},
	} {
		a := d.Read(ref, c.asked)
		if got := fmt.Sprint(a.Meta.Offers); !a.IsError || !strings.Contains(got, c.want) {
			t.Errorf("%s: Read(%q) offers %s, want %s", c.rule, c.asked, got, c.want)
		}
		seen := map[string]bool{}
		for _, id := range a.Meta.Offers {
			if seen[id] || d.Read(ref, id).IsError {
				t.Errorf("%s: %q is offered twice or unknown", c.rule, id)
			}
			seen[id] = true
		}
	}
}

// TestPastEnd checks that an answer about a line or position after the last one has the
// number of the last one.
func TestPastEnd(t *testing.T) {
	array := []byte(`{"list": [` + strings.Repeat(`1, `, 99) + `1], "s": "text"}`)
	lines := bytes.Repeat([]byte("one line of a text\n"), 500)
	list := []byte("{\"list\":\n[100,\n200,\n300],\n\"s\": 1}\n")
	for _, c := range []struct {
		rule string
		content
		asked, want string
	}{
		{"range of bytes", content{text: array, tree: splitJSON(array, 100, false)}, "s!90-95", "it has 6 bytes, counted from 0\n"},
		{"range of bytes of the content", content{text: lines}, "!9500-9600", "it has 9500 bytes, counted from 0\n"},
		{"position", content{text: array, tree: splitJSON(array, 100, false)}, "list/100", `"list" has 100 parts, counted from 0` + "\n"},
		{"position of a value", content{text: array}, "list/100", `"list" has 100 parts, counted from 0` + "\n"},
		{"line", content{text: lines}, "line 501", "the content has the lines 1 to 500\n"},
		{"window", content{text: lines}, "~L501-600", "the content has the lines 1 to 500\n"},
		{"line of a section", content{text: list, tree: splitJSON(list, 5, false)}, "list/L9", `"list" has the lines 2 to 4` + "\n"},
	} {
		a := open(t, c.content, section.Settings{}).Read(ref, c.asked)
		if !a.IsError || a.Meta.Kind != flow.AnswerIndex || !strings.Contains(string(a.Text), c.want) {
			t.Errorf("%s: Read(%q) =\n%s\nwant %s", c.rule, c.asked, a.Text, c.want)
		}
	}
}

// TestNearestOfText checks that an unknown name that is in a text offers the section
// with the text, and never an empty id.
func TestNearestOfText(t *testing.T) {
	d := open(t, leaves("markdown", "alpha one", "beta with a Sub one in it", "gamma three"), section.Settings{LeafSize: 64})
	if a := d.Read(ref, "Sub one"); !a.IsError || len(a.Meta.Offers) == 0 || a.Meta.Offers[0] != "beta" {
		t.Errorf("name in a leaf: %s", a.Text)
	}
	if a := d.Read(ref, "!50-10"); !a.IsError || len(a.Meta.Offers) > 0 || strings.Contains(string(a.Text), "[]") {
		t.Errorf("invalid range: %s", a.Text)
	}
}
