package problem

import (
	"fmt"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// A module that is no stage of any kind is refused with the way to build one.
func TestModuleWithoutMarkerTellsHowToBuildOne(t *testing.T) {
	err := fmt.Errorf("%w: module \"head\": exports no %s and is no extism or WASI command module", abi.ErrGuest, abi.ExportMarker)
	if p := From(err); p.Hint != "mcpctl create stage my-stage --lang go" {
		t.Errorf("hint %q", p.Hint)
	}
}
