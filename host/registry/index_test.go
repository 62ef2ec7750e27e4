package registry

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// later lets the index believe that all files have settled.
func later(h *home) {
	h.scanning.Lock()
	defer h.scanning.Unlock()
	h.index.now = func() time.Time { return time.Now().Add(time.Hour) }
}

// hashes returns the hashes in the index.
func hashes(h *home) map[string]string {
	h.scanning.Lock()
	defer h.scanning.Unlock()
	all := make(map[string]string)
	for name, e := range h.index.files {
		all[name] = e.SHA256
	}
	return all
}

func needsIdentity(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("files are read at each scan")
	}
}

// A file that has not changed is not read again, whatever its name in the index says.
func TestUnchangedFileIsNotRead(t *testing.T) {
	needsIdentity(t)
	path := filepath.Join(t.TempDir(), "index.json")
	h := newHome(t, Options[*fakeModule]{Index: path})
	h.write("stages/mine.wasm", "ok mine:stage.")
	h.rescan()
	if got := hashes(h); len(got) != 0 {
		t.Errorf("files that have just changed are in the index: %v", got)
	}
	later(h)
	h.rescan()
	want := NewFile([]byte("ok mine:stage.")).Hash
	if got := hashes(h)["mine.wasm"]; got != want {
		t.Errorf("index has %q", got)
	}
	if got := openIndex(path, h.log).files["mine.wasm"].SHA256; got != want {
		t.Errorf("the index on disk has %q", got)
	}

	// The hash of the index is used, and the content is checked against it.
	h.scanning.Lock()
	defer h.scanning.Unlock()
	wrong := h.index.files["mine.wasm"]
	wrong.SHA256 = NewFile(nil).Hash
	h.index.files["mine.wasm"] = wrong
	root, err := os.OpenRoot(h.stages)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f, err := h.index.file(root, "mine.wasm")
	if err != nil || f.Hash != wrong.SHA256 {
		t.Fatalf("%q, %v", f.Hash, err)
	}
	if _, err := f.Read(); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("content with another hash: %v", err)
	}
}

// A file is read again although its size and the time of its last modification are the same.
func TestChangedFileIsRead(t *testing.T) {
	needsIdentity(t)
	h := newHome(t, Options[*fakeModule]{})
	later(h)
	h.write("stages/mine.wasm", "ok mine:stage v:1.")
	h.rescan()
	file := filepath.Join(h.stages, "mine.wasm")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // longer than the resolution of the time of a change
	if err := os.WriteFile(file, []byte("ok mine:stage v:2."), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	h.rescan()
	h.want("mine", local("ok mine:stage v:2."))
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	h.rescan()
	if got := hashes(h); len(got) != 0 {
		t.Errorf("a deleted file is in the index: %v", got)
	}
}

func TestDamagedIndexIsEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.json")
	for _, text := range []string{"", "null", "[]", `{"a.wasm":{"identity":"1","sha256":"00"},`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if x := openIndex(path, nil); len(x.files) != 0 || x.files == nil {
			t.Errorf("%q: %v", text, x.files)
		}
	}
}
