package host

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/lab"
)

// The sections of a run's result are read as with read_section.
func TestReadAfterRun(t *testing.T) {
	r := newRig(t, nil)
	text := "An introduction.\n\n" + strings.Repeat("# Part\n\nwords in it\n\n", 600)
	res, err := r.Lab().RunModel(t.Context(), lab.ModelRun{Model: "ungated-subindex", Type: abi.ToolResult, Input: []byte(text)})
	if err != nil || res.Meta.Kind != flow.AnswerIndex {
		t.Fatalf("%+v, %v", res.Meta, err)
	}
	leaf, err := res.Read("~L3-5")
	if err != nil || leaf.Meta.Ref != res.Meta.Ref || string(leaf.Text) != "# Part\n\nwords in it\n" {
		t.Errorf("lines 3 to 5 are %q of %q, want %q, %v", leaf.Text, leaf.Meta.Ref, res.Meta.Ref, err)
	}
	small, err := r.Lab().RunModel(t.Context(), lab.ModelRun{Model: "ungated-subindex", Type: abi.ToolResult, Input: []byte("small")})
	if err != nil || small.Meta.Kind != "" {
		t.Fatalf("%+v, %v", small.Meta, err)
	}
	if whole, err := small.Read("!"); err != nil || string(whole.Text) != "small" {
		t.Errorf("unchanged content gets %q, %v", whole.Text, err)
	}
}
