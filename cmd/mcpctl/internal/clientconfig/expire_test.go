package clientconfig

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// copies counts the backup files with a suffix.
func copies(t *testing.T, b Backups, suffix string) int {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(b.Dir, "*"+suffix))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// The path of the home directory may contain glob characters.
func TestBackupsInADirectoryWithGlobCharacters(t *testing.T) {
	b, file := scratch(t)
	b.Dir = filepath.Join(b.Dir, "work [old]*")
	for i := range maxCopies + 5 {
		set(t, b, file, fmt.Sprint("home", i))
	}
	if left, _ := os.ReadDir(b.Dir); len(left) != 2*maxCopies+5 {
		t.Errorf("%d files, want %d copies and a record of each change", len(left), maxCopies)
	}
	if h, err := b.History("home"); err != nil || len(h) == 0 {
		t.Errorf("no history: %v, %v", h, err)
	}
	undo(t, b)
	if _, err := b.Last(); err != nil {
		t.Error(err)
	}
}

// The newest copies of each file are kept, and all records: undo reverts all changes, the oldest
// ones
// without a copy.
func TestOldCopiesAreRemoved(t *testing.T) {
	b, file := scratch(t)
	other := filepath.Join(filepath.Dir(file), "other.json")
	const before = `{"token": "t", "mcpServers": {}}`
	writeFile(t, file, before)
	set(t, b, other, "home")
	const changes = 3 * maxCopies
	for i := range changes {
		set(t, b, file, fmt.Sprint("home", i))
	}
	if n := copies(t, b, ".before"); n != maxCopies+1 {
		t.Errorf("%d copies kept, want %d of one file and 1 of the other", n, maxCopies)
	}
	if n := copies(t, b, ".json"); n != changes+1 {
		t.Errorf("%d records, want all %d", n, changes+1)
	}
	for range changes {
		undo(t, b)
	}
	text, err := os.ReadFile(file)
	if err != nil || !sameJSON(text, []byte(before)) {
		t.Errorf("after all undos the file holds %s, %v", text, err)
	}
	undo(t, b)
	if _, err := os.Stat(other); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the other file: %v", err)
	}
	if left, _ := os.ReadDir(b.Dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A whole file can only be restored from its copy.
func TestRestoreWithoutACopy(t *testing.T) {
	b, file := scratch(t)
	writeFile(t, file, "{}")
	set(t, b, file, "home")
	r, err := b.Last()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(r.copyOf(r.Files[0])); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Restore(); !errors.Is(err, abi.ErrNotFound) || !strings.Contains(err.Error(), "no copy of "+file) {
		t.Errorf("Restore: %v", err)
	}
	r.Files[0].Changes = nil // like the records of an earlier version
	if _, _, err := r.Revert(); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("Revert: %v", err)
	}
}

func TestOldOverwrittenFilesAreRemoved(t *testing.T) {
	b, file := scratch(t)
	writeFile(t, file, "{}")
	set(t, b, file, "home")
	f, err := Read(file, JSON)
	if err != nil {
		t.Fatal(err)
	}
	var newest []string
	for range 2 * maxCopies {
		if newest, err = b.Keep([]*File{f}); err != nil {
			t.Fatal(err)
		}
	}
	if n := copies(t, b, ".overwritten"); n != maxCopies {
		t.Errorf("%d overwritten files kept, want %d", n, maxCopies)
	}
	if _, err := os.Stat(newest[0]); err != nil {
		t.Error(err)
	}
}

// A dangling link is not replaced by a file that contains only the new entry.
func TestWriteRejectsADanglingLink(t *testing.T) {
	b, file := scratch(t)
	target := filepath.Join(filepath.Dir(file), "dotfiles.json")
	if err := os.Symlink(target, file); err != nil {
		t.Skip(err)
	}
	f, err := Read(file, JSON)
	if err == nil {
		err = f.Set("home", []byte(entry), "mcpServers")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Write("home", f); !errors.Is(err, abi.ErrConfig) || !strings.Contains(err.Error(), target) {
		t.Errorf("Write: %v", err)
	}
	if _, err := os.Readlink(file); err != nil {
		t.Errorf("the link is replaced: %v", err)
	}
	writeFile(t, target, `{"a":1}`)
	set(t, b, file, "home")
	if text, err := os.ReadFile(target); err != nil || !strings.Contains(string(text), `"a":1`) || !strings.Contains(string(text), `"home"`) {
		t.Errorf("the target holds %s, %v", text, err)
	}
	if _, err := os.Readlink(file); err != nil {
		t.Errorf("the link is replaced: %v", err)
	}
}
