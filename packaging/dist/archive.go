package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// writeArchive packs a tree under one directory named as the archive: a zip for
// Windows, otherwise a tar. Owners, times and the order of files do not depend on
// the machine.
func (r release) writeArchive(p product, t target, tree string) (string, error) {
	name := r.fileName(p, t)
	pack, suffix := packTar, ".tar.gz"
	if t.os == "windows" {
		pack, suffix = packZip, ".zip"
	}
	file := filepath.Join(r.out, name+suffix)
	f, err := os.Create(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if err := pack(f, os.DirFS(tree), name, r.time); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return file, f.Close()
}

func packTar(w io.Writer, tree fs.FS, top string, modified time.Time) error {
	zw, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	tw := tar.NewWriter(zw)
	err = eachFile(tree, func(name string, mode fs.FileMode, text []byte) error {
		h := &tar.Header{Name: path.Join(top, name), Mode: int64(mode), Size: int64(len(text)), ModTime: modified, Format: tar.FormatPAX}
		if err := tw.WriteHeader(h); err != nil {
			return err
		}
		_, err := tw.Write(text)
		return err
	})
	if err != nil {
		return err
	}
	if err := tw.Close(); err != nil {
		return err
	}
	return zw.Close()
}

func packZip(w io.Writer, tree fs.FS, top string, modified time.Time) error {
	zw := zip.NewWriter(w)
	err := eachFile(tree, func(name string, mode fs.FileMode, text []byte) error {
		h := &zip.FileHeader{Name: path.Join(top, name), Method: zip.Deflate, Modified: modified}
		h.SetMode(mode)
		f, err := zw.CreateHeader(h)
		if err != nil {
			return err
		}
		_, err = f.Write(text)
		return err
	})
	if err != nil {
		return err
	}
	return zw.Close()
}

// eachFile visits the files of a tree in the order of their names. Programs have mode
// 0755, all others 0644, independent of the umask of the build.
func eachFile(tree fs.FS, visit func(name string, mode fs.FileMode, text []byte) error) error {
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if path.Dir(name) == "bin" {
			mode = 0o755
		}
		return visit(name, mode, text)
	})
}

// writeSums writes the checksums of files as sha256sum -c reads them.
func writeSums(out string, files []string) error {
	slices.Sort(files)
	var b bytes.Buffer
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(text), filepath.Base(file))
	}
	return os.WriteFile(out, b.Bytes(), 0o644)
}
