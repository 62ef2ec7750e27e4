package section_test

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section"
)

// A name that no array has is searched for in each array once: reading the object for each
// of them would take minutes.
func TestUnknownNameInManyArrays(t *testing.T) {
	text := []byte("{" + strings.Repeat(`"k": ["a"], `, 100_000) + `"z": 1}`)
	d := open(t, content{text: text, tree: abi.Tree{Type: "json-object"}}, section.Settings{})
	if a := d.Read(ref, "nokey"); !a.IsError {
		t.Errorf("%.80s", a.Text)
	}
}
