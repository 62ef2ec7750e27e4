package host

import (
	"path/filepath"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
)

// A lazy Host that only reads objects compiles no module; one that is asked for its stages
// loads them.
func TestLazy(t *testing.T) {
	home := homedir.Dir(t.TempDir())
	h, err := Open(t.Context(), Options{Home: home, Version: "test", Offline: true, Lazy: true})
	if err != nil {
		t.Fatal(err)
	}
	if files, err := filepath.Glob(filepath.Join(home.WasmCache(), "*", "*")); err != nil || len(files) > 0 {
		t.Errorf("compiled before a call: %v, %v", files, err)
	}
	if role, _, err := h.Role(t.Context(), "section-split", true); err != nil || role.Kind != abi.KindStage {
		t.Errorf("%+v, %v", role, err)
	}
	if st, err := h.Stages(t.Context()); err != nil || len(st) < 5 {
		t.Errorf("%v, %v", st, err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}
