package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Files of this size have an index: less is shown whole, more is shown in windows.
const (
	minSize = 5_000
	maxSize = 12 << 20
)

// file is one that is measured.
type file struct {
	name string
	text []byte
}

// load reads what the options name.
func load(o options) ([]file, error) {
	var files []file
	for _, dir := range o.dirs {
		paths, err := below(dir, "")
		if err != nil {
			return nil, err
		}
		if files, err = read(files, dir, paths); err != nil {
			return nil, err
		}
	}
	sources, err := goSources(o.sources)
	if err != nil {
		return nil, err
	}
	files = append(files, sources...)
	files = slices.DeleteFunc(files, func(f file) bool { return !strings.Contains(f.name, o.match) })
	if len(files) == 0 {
		return nil, fmt.Errorf("no file of %d to %d bytes whose name holds %q", minSize, maxSize, o.match)
	}
	return files, nil
}

// goSources are n files of Go's own sources, evenly chosen.
func goSources(n int) ([]file, error) {
	if n <= 0 {
		return nil, nil
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	src := filepath.Join(strings.TrimSpace(string(root)), "src")
	paths, err := below(src, ".go")
	if err != nil {
		return nil, err
	}
	var chosen []string
	for i := range min(n, len(paths)) {
		chosen = append(chosen, paths[i*len(paths)/n])
	}
	return read(nil, src, chosen)
}

// below are the paths of files of a size to be measured below a folder, in order.
func below(dir, end string) (paths []string, err error) {
	err = filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.HasSuffix(p, end) {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Size() >= minSize && info.Size() <= maxSize {
			paths = append(paths, p)
		}
		return err
	})
	return paths, err
}

// read adds files, which are called as they are below a folder.
func read(files []file, dir string, paths []string) ([]file, error) {
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return nil, err
		}
		files = append(files, file{filepath.ToSlash(name), b})
	}
	return files, nil
}
