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

// Files of these sizes have an index: smaller ones are shown whole, larger ones in windows.
const (
	minSize = 5_000
	maxSize = 12 << 20
)

// file is a file to measure.
type file struct {
	name string
	text []byte
}

// loadFiles reads the files that the options select.
func loadFiles(o options) ([]file, error) {
	var files []file
	for _, dir := range o.dirs {
		paths, err := listFiles(dir, "")
		if err != nil {
			return nil, err
		}
		if files, err = readFiles(files, dir, paths); err != nil {
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
		return nil, fmt.Errorf("no file of %d to %d bytes with %q in the name", minSize, maxSize, o.match)
	}
	return files, nil
}

// goSources returns n files of Go's own sources, evenly distributed.
func goSources(n int) ([]file, error) {
	if n <= 0 {
		return nil, nil
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	src := filepath.Join(strings.TrimSpace(string(root)), "src")
	paths, err := listFiles(src, ".go")
	if err != nil {
		return nil, err
	}
	var chosen []string
	for i := range min(n, len(paths)) {
		chosen = append(chosen, paths[i*len(paths)/n])
	}
	return readFiles(nil, src, chosen)
}

// listFiles returns the sorted paths of files in a directory tree with a suffix and a
// size to measure.
func listFiles(dir, suffix string) (paths []string, err error) {
	err = filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.HasSuffix(p, suffix) {
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

// readFiles appends files. Their names are relative to dir.
func readFiles(files []file, dir string, paths []string) ([]file, error) {
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
