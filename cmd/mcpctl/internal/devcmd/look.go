package devcmd

import (
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
)

// files are those of a plugin folder that matter, by path in it.
type files map[string]stamp

// stamp tells one state of a file from another.
type stamp struct {
	changed time.Time
	size    int64
	source  bool // the module is built of it
}

// look lists the sources and the fixtures of a folder. The folders that builds fill
// are not entered.
func look(dir string) (files, error) {
	found := files{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path != dir {
				return nil // gone since it was listed: an editor's temporary file
			}
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && toolchain.Skips(d.Name()) && d.Name() != "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		source := toolchain.IsSource(rel)
		if !source && !strings.HasPrefix(filepath.ToSlash(rel), "testdata/") {
			return nil
		}
		if info, err := d.Info(); err == nil {
			found[rel] = stamp{info.ModTime(), info.Size(), source}
		}
		return nil
	})
	return found, err
}

// changed reports whether a source, and whether anything, is not as it was.
func (f files) changed(now files) (sources, any bool) {
	for name, s := range now {
		if before, ok := f[name]; !ok || !before.changed.Equal(s.changed) || before.size != s.size {
			sources, any = sources || s.source, true
		}
	}
	for name, s := range f {
		if _, ok := now[name]; !ok {
			sources, any = sources || s.source, true
		}
	}
	return sources, any
}
