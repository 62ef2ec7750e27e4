package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/registry"
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

// Calls of projects that do not use a file in stages/ are answered while it is being loaded for
// the first time.
func TestNewModuleDelaysOnlyItsRoles(t *testing.T) {
	slow, err := os.ReadFile("../testdata/hostile/loop-initialize.wasm")
	if err != nil {
		t.Fatal(err)
	}
	dir := newHome(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("subindex"), "stages/slow.wasm": string(slow)})
	h, err := Open(t.Context(), Options{Home: homedir.Dir(dir), Version: "test", Settings: Settings{GuestTime: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	shown, err := h.transformer.Transform(t.Context(), scope, toolResult([]byte("# One\n\n"+strings.Repeat("text of one\n", 1000)+"# Two\n\ntext\n"), ""))
	if err != nil || !shown.Changed {
		t.Errorf("changed %t, %v", shown.Changed, err)
	}
	for _, s := range h.modules.Status() {
		if s.Source == registry.SourceLocal && s.State != registry.StateCompiling {
			t.Errorf("%s: %s", s.Name, s)
		}
	}
}
