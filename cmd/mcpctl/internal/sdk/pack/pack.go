// Package pack packs a directory of sources into a reproducible zip file: equal content
// gives equal bytes. It is sorted, has no times, and excludes build outputs.
package pack

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// built are the names of build outputs in a directory.
var built = []string{"target", "node_modules", "Cargo.lock", "package-lock.json"}

// Files returns the files of a directory that belong to its archive, with slashes, in
// lexical order: of an SDK those that building and testing a stage requires; with all, also
// its own tests and dot files.
func Files(dir string, all bool) (names []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err != nil || name == ".":
			return err
		case slices.Contains(built, d.Name()) || strings.HasSuffix(name, ".wasm") || !all && !wanted(d.Name()):
			if d.IsDir() {
				return filepath.SkipDir
			}
		case !d.IsDir():
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	return names, err
}

// wanted leaves out the tests of an SDK itself.
func wanted(base string) bool {
	return !strings.HasSuffix(base, "_test.go") && base != "testdata" && base != "tests" && !strings.HasPrefix(base, ".")
}

// Zip packs a directory.
func Zip(dir string, all bool) ([]byte, error) {
	names, err := Files(dir, all)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	w.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(b); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
