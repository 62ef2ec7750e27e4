package wasm

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/mcpctl/mcpctl/plugins"
)

// A module that was prepared before has the same description as one that is prepared now.
func TestPreparedIsRead(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine loads large modules, which is slow with the race detector")
	}
	files := map[string][]byte{"builtin": plugins.Builtin, "controllers": plugins.Controllers}
	examples, err := filepath.Glob("../../examples/dist/*.wasm")
	if err != nil || len(examples) == 0 {
		t.Fatal(examples, err)
	}
	for _, path := range examples {
		if files[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	for name, file := range files {
		sum := sha256.Sum256(file)
		hash := hex.EncodeToString(sum[:])
		for _, trusted := range []bool{true, false} {
			fresh, err := prepare(dir, name, hash, func() ([]byte, error) { return file, nil }, trusted)
			if err != nil {
				t.Fatal(err)
			}
			code, err := fresh.code()
			if err != nil {
				t.Fatal(err)
			}
			if err := fresh.store(code); err != nil {
				t.Fatal(err)
			}
			read := false
			again, err := prepare(dir, name, hash, func() ([]byte, error) { read = true; return file, nil }, trusted)
			if err != nil {
				t.Fatal(err)
			}
			if read {
				t.Errorf("%s: the file is read again", name)
			}
			stored, err := again.code()
			if err != nil || string(stored) != string(code) {
				t.Errorf("%s: %d bytes of code, want %d, %v", name, len(stored), len(code), err)
			}
			fresh.code, again.code, again.isStored = nil, nil, false
			if !reflect.DeepEqual(again, fresh) {
				t.Errorf("%s, trusted %v:\ngot  %+v\nwant %+v", name, trusted, again, fresh)
			}
		}
	}
}
