package plugin

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/lab"
)

// A module that the author's compiler wrote, newer than all sources, is tested in the form
// in which it will be used: with its manifest. npm test of an AssemblyScript directory
// writes such a module.
func TestFreshPacksModuleOfCompiler(t *testing.T) {
	dir := t.TempDir()
	built := hosttest.Write("x")
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("plugin.yaml", []byte("name: head\nkind: stage\nabi: 1\nsummary: shows a head\nconfig:\n- {name: lines, type: int, default: 3}\n"))
	write("head.wasm", built)
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	file, module, err := f.Fresh(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	info, err := lab.InspectModule(file, module)
	if err != nil || !info.HasManifest || len(info.Manifest.Roles[0].Config) != 1 {
		t.Errorf("%v: %+v", err, info.Manifest)
	}
	if kept, err := os.ReadFile(file); err != nil || !bytes.Equal(kept, module) {
		t.Errorf("%s is not what is used: %v", file, err)
	}
	if _, again, err := f.Fresh(t.Context(), nil, nil); err != nil || !bytes.Equal(again, module) {
		t.Errorf("packed again, it is another one: %v", err)
	}
}
