package toolchain

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Patterns of the source files of a module, and the directories that contain none.
var (
	sourceFiles = []string{"plugin.yaml", "go.mod", "*.go", "Cargo.toml", lockFile, "*.rs", "package.json", "asconfig.json", "*.ts", "Makefile", "compile_flags.txt", "*.c", "*.h"}
	skipDirs    = []string{fixtures, "target", "node_modules", "build"}
)

// fixtures is the directory with the tests of a module.
const fixtures = "testdata"

// lockFile is a source that its compiler writes, if it is not there.
const lockFile = "Cargo.lock"

func skips(name string) bool { return name[0] == '.' || slices.Contains(skipDirs, name) }

// isSource reports whether a module is built of the files of that name.
func isSource(name string) bool {
	return slices.ContainsFunc(sourceFiles, func(pattern string) bool {
		ok, _ := filepath.Match(pattern, name) // fails for a bad pattern only
		return ok
	})
}

// Files are the states of the relevant files of a plugin directory at one time, by their
// relative paths.
type Files map[string]stamp

// stamp identifies one state of a file.
type stamp struct {
	changed time.Time
	size    int64
	source  bool // the module is built of it; otherwise it is tested with it
}

// Look lists the sources and the fixtures of a plugin directory. It skips the directories
// that builds write.
//
// Errors: those of the directory itself; a file that disappears in the meantime is left out.
func Look(dir string) (Files, error) {
	found := Files{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path != dir {
				return nil // gone since it was listed: an editor's temporary file
			}
			return err
		}
		rel, _ := filepath.Rel(dir, path) // both begin with dir
		if d.IsDir() {
			if rel != "." && rel != fixtures && skips(d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		source := !strings.HasPrefix(rel, fixtures+string(filepath.Separator))
		if source && !isSource(d.Name()) {
			return nil
		}
		if info, err := d.Info(); err == nil {
			found[rel] = stamp{info.ModTime(), info.Size(), source}
		}
		return nil
	})
	return found, err
}

// LookAt lists a single source file. A file that does not exist is an empty list.
func LookAt(file string) (Files, error) {
	info, err := os.Stat(file)
	if os.IsNotExist(err) {
		return Files{}, nil
	}
	if err != nil {
		return nil, err
	}
	return Files{file: {info.ModTime(), info.Size(), true}}, nil
}

// Changed reports whether a source, and whether anything, is not as it was.
func (f Files) Changed(now Files) (sources, any bool) {
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

// Built copies to f the stamps of the files that a build itself wrote, so that they do
// not cause another build.
func (f Files) Built(now Files) {
	if s, ok := now[lockFile]; ok {
		f[lockFile] = s
	}
}

// Stale reports whether the module is missing or older than a source in the directory.
func Stale(dir, module string) (bool, error) {
	built, err := os.Stat(module)
	if os.IsNotExist(err) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	files, err := Look(dir)
	for _, s := range files {
		if s.source && s.changed.After(built.ModTime()) {
			return true, err
		}
	}
	return false, err
}
