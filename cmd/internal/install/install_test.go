package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

func plugin(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plugin.yaml"), []byte("name: shout\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRecordContainsPluginDirectory(t *testing.T) {
	stages, dir, wasm := filepath.Join(t.TempDir(), "stages"), plugin(t), []byte("\x00asm")
	now := time.Date(2026, 11, 21, 12, 0, 0, 999, time.UTC)
	if err := Module(stages, "some/where/shout.wasm", wasm, dir, now); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(stages, "shout.wasm")); err != nil || string(got) != string(wasm) {
		t.Errorf("module is %q, %v", got, err)
	}
	r, ok, err := Of(stages, "shout.wasm")
	if err != nil || !ok || r != (Record{dir, now.Truncate(time.Second), hashOf(wasm)}) {
		t.Errorf("record is %+v, %v, %v", r, ok, err)
	}
	if why := r.Fault(hashOf(wasm)); why != "" {
		t.Errorf("fault: %s", why)
	}
}

func TestFault(t *testing.T) {
	here := plugin(t)
	for _, tc := range []struct{ name, dir, hash, want string }{
		{"valid record", here, "a", ""},
		{"module without a hash, never loaded", here, "", ""},
		{"replaced module", here, "b", "not the one"},
		{"moved or deleted directory", filepath.Join(here, "gone"), "a", "moved or deleted"},
		{"directory without plugin.yaml", t.TempDir(), "a", "no longer has a plugin.yaml"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Record{Dir: tc.dir, Hash: "a"}.Fault(tc.hash)
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("fault %q, want %q", got, tc.want)
			}
		})
	}
}

func TestOfReportsInvalidRecords(t *testing.T) {
	for _, tc := range []struct{ name, text string }{
		{"not JSON", "folder: /x"},
		{"relative directory", `{"folder":"x"}`},
		{"too large", `{"folder":"/x","hash":"` + strings.Repeat("a", maxRecord) + `"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			stages := t.TempDir()
			if err := os.WriteFile(filepath.Join(stages, "x.source.json"), []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, ok, err := Of(stages, "x.wasm"); ok || !errors.Is(err, abi.ErrConfig) {
				t.Errorf("Of = %v, %v", ok, err)
			}
		})
	}
	if _, ok, err := Of(t.TempDir(), "x.wasm"); ok || err != nil {
		t.Errorf("a manually copied module: %v, %v", ok, err)
	}
}

func TestPruneKeepsRecordsOfExistingModules(t *testing.T) {
	stages, dir := t.TempDir(), plugin(t)
	for _, name := range []string{"stays.wasm", "goes.wasm"} {
		if err := Module(stages, name, []byte(name), dir, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(stages, "goes.wasm")); err != nil {
		t.Fatal(err)
	}
	if err := Prune(stages); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := Of(stages, "stays.wasm"); !ok {
		t.Error("the record of an existing module was removed")
	}
	if _, ok, _ := Of(stages, "goes.wasm"); ok {
		t.Error("the record of a missing module was kept")
	}
}

// When a role was renamed, the module with its old name is removed, but only if it was
// installed from the same directory and has not changed since.
func TestRemoveOthersRemovesModulesOfTheSameDirectory(t *testing.T) {
	stages, dir, other := filepath.Join(t.TempDir(), "sta[g]es"), plugin(t), plugin(t)
	put := func(name, dir string) {
		t.Helper()
		if err := Module(stages, name, []byte(name), dir, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	put("old.wasm", dir)
	put("new.wasm", dir)
	put("neighbour.wasm", other)
	put("replaced.wasm", dir)
	for name, text := range map[string]string{"replaced.wasm": "another", "byhand.wasm": "x", "odd.source.json": "no record"} {
		if err := os.WriteFile(filepath.Join(stages, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	removed, err := RemoveOthers(stages, "new.wasm", dir)
	if err != nil || len(removed) != 1 || removed[0] != "old" {
		t.Errorf("removed %q, %v", removed, err)
	}
	left, _ := os.ReadDir(stages)
	var names []string
	for _, e := range left {
		names = append(names, e.Name())
	}
	const want = "byhand.wasm neighbour.source.json neighbour.wasm new.source.json new.wasm odd.source.json replaced.source.json replaced.wasm"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("remaining: %s\nwant: %s", got, want)
	}
}
