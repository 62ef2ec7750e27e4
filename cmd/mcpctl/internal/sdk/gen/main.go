// Command gen packs a folder of sources into a zip file that is the same for the
// same content: sorted, without times; tests are left out unless asked for.
package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	out := flag.String("o", "", "file to write")
	all := flag.Bool("all", false, "tests, testdata and dot files too")
	flag.Parse()
	if err := run(*out, flag.Arg(0), *all); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(out, dir string, all bool) error {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	w.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // in lexical order
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || d.IsDir() || !all && !wanted(name) {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: filepath.ToSlash(name), Method: zip.Deflate})
		if err != nil {
			return err
		}
		_, err = f.Write(b)
		return err
	})
	if err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(out, buf.Bytes(), 0o644)
}

// wanted: what an author needs to build and test a stage.
func wanted(name string) bool {
	return !strings.HasSuffix(name, "_test.go") && !strings.Contains(name, "testdata") && !strings.HasPrefix(filepath.Base(name), ".")
}
