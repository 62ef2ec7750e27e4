package toolchain

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Files that a module is built of, as patterns of their names, and folders that hold
// none of them.
var (
	sourceFiles = []string{"plugin.yaml", "go.mod", "*.go", "Cargo.toml", "Cargo.lock", "*.rs", "package.json", "asconfig.json", "*.ts", "Makefile", "compile_flags.txt", "*.c", "*.h"}
	skipFolders = []string{"testdata", "target", "node_modules", "build"}
)

// Skips reports whether a folder of that name holds nothing that a module is built of.
func Skips(name string) bool { return name[0] == '.' || slices.Contains(skipFolders, name) }

// IsSource reports whether a file, by its path in the plugin folder, is one that a
// module is built of.
func IsSource(rel string) bool {
	dir, base := filepath.Split(filepath.ToSlash(rel))
	for part := range strings.SplitSeq(dir, "/") {
		if part != "" && Skips(part) {
			return false
		}
	}
	for _, pattern := range sourceFiles {
		if ok, _ := filepath.Match(pattern, base); ok {
			return true
		}
	}
	return false
}

// Newest is when a source of a folder was changed last.
func Newest(dir string) (newest time.Time, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path) // both begin with dir
		if d.IsDir() {
			if rel != "." && Skips(d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !IsSource(rel) {
			return nil
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
		return err
	})
	return newest, err
}

// Stale reports whether a source of the folder is newer than the module, or whether
// there is no module.
func Stale(dir, module string) (bool, error) {
	built, err := os.Stat(module)
	if os.IsNotExist(err) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	newest, err := Newest(dir)
	return newest.After(built.ModTime()), err
}
