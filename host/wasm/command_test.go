package wasm

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// TestRefusalsAreOneLine verifies that the error is one short line without control
// characters, for any names in the module.
func TestRefusalsAreOneLine(t *testing.T) {
	name := "\x1b]52;c;aGk=\x07\n\u202eevil" + strings.Repeat("x", 100<<10)
	s := &script{exports: []string{"mcpctl_" + name}}
	_, err := module.Inspect("head", s.returns(0).wasm())
	if err == nil || len(err.Error()) > 5<<10 || strings.ContainsAny(err.Error(), "\x1b\x07\n\u202e") || !strings.Contains(err.Error(), `\u001b]52;`) {
		t.Errorf("%d bytes: %.200q", len(err.Error()), err)
	}
}
