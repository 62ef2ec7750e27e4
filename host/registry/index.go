package registry

import (
	"encoding/json"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// index keeps the hash of each file with its identity, which the system reports without reading
// it: an unchanged file is read neither at each scan nor at each start. It is used by one scan at a time.
//
// The system's time of the last change of a file cannot be set by its owner. A file is not
// noted while that time is so recent that another change could have the same one. A change
// through a memory mapping that was made earlier is not noticed; the content is checked
// against the hash whenever it is read.
type index struct {
	path  string // of the index on disk; empty: it is kept in memory only
	log   *slog.Logger
	now   func() time.Time
	files map[string]indexed
	dirty bool
}

type indexed struct {
	Identity string `json:"identity"`
	SHA256   string `json:"sha256"`
}

// settledAfter is the age of a change after which another one has another time. The times
// of some file systems have a resolution of two seconds.
const settledAfter = 3 * time.Second

// openIndex reads an index. One that is missing or damaged is empty.
func openIndex(path string, log *slog.Logger) *index {
	x := &index{path: path, log: log, now: time.Now, files: make(map[string]indexed)}
	if path == "" {
		return x
	}
	if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &x.files) != nil {
		clear(x.files)
	}
	if x.files == nil { // the text was "null"
		x.files = make(map[string]indexed)
	}
	return x
}

// find returns the hash of a file, or "".
func (x *index) find(name string, info fs.FileInfo) string {
	id, _, ok := identity(info)
	if e := x.files[name]; ok && e.Identity == id {
		return e.SHA256
	}
	return ""
}

// add notes the hash of a file, if it did not change between before and after, when it was
// read.
func (x *index) add(name string, before, after fs.FileInfo, hash string) {
	id, changed, ok := identity(before)
	now, _, _ := identity(after)
	if !ok || id != now || x.now().Sub(changed) < settledAfter {
		return
	}
	x.files[name] = indexed{id, hash}
	x.dirty = true
}

// keepOnly forgets the files that are not present, and stores the index if it has changed.
func (x *index) keepOnly(present map[string]bool) {
	for name := range x.files {
		if !present[name] {
			delete(x.files, name)
			x.dirty = true
		}
	}
	if !x.dirty || x.path == "" {
		return
	}
	x.dirty = false
	text, err := json.Marshal(x.files)
	if err == nil {
		err = atomicfile.Write(x.path, text, 0o600)
	}
	if err != nil {
		x.log.Debug("the index of modules cannot be stored", "cause", err) // files are read again
	}
}
