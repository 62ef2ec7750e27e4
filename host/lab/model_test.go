package lab

import (
	"errors"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Sections of content that a filter withheld cannot be read.
func TestWithheldContentCannotBeRead(t *testing.T) {
	read := new(Lab).reader(t.Context(), flow.Content{Bytes: []byte("secret")}, flow.Shown{Blocked: "withheld"})
	if a, err := read("!"); !errors.Is(err, abi.ErrDenied) || len(a.Text) > 0 {
		t.Errorf("read %q, %v", a.Text, err)
	}
}
