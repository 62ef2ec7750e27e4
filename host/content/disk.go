package content

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// disk is the storage of files. Tests replace it by one that fails.
type disk interface {
	list() ([]stat, error)
	read(name string) ([]byte, time.Time, error)
	head(name string, n int64) ([]byte, error)            // at most n bytes
	write(name string, data []byte, used time.Time) error // all or nothing
	touch(name string, at time.Time) error
	remove(name string) error
	close() error
}

type stat struct {
	name string
	size int64
	used time.Time
}

// tempPrefix is the prefix of files that are being written. Such a file at start was
// left by a process that was killed.
const tempPrefix = "tmp-"

// dir is a directory that only its owner can read. It uses os.Root: no name and no
// link leads out of it.
type dir struct{ root *os.Root }

func openDir(path string) (*dir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &dir{root}, nil
}

// list returns the files of the store and removes partial files and links.
func (d *dir) list() ([]stat, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	var files []stat
	for _, e := range entries {
		name := e.Name()
		known := isHash(name) || isRef(name)
		if strings.HasPrefix(name, tempPrefix) || known && !e.Type().IsRegular() {
			_ = d.root.Remove(name) // fails for a directory, which is ignored
			continue
		}
		info, err := e.Info()
		if !known || err != nil {
			continue
		}
		files = append(files, stat{name, info.Size(), info.ModTime()})
	}
	return files, nil
}

func (d *dir) read(name string) ([]byte, time.Time, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	if !info.Mode().IsRegular() {
		return nil, time.Time{}, fs.ErrInvalid
	}
	b, err := d.root.ReadFile(name)
	return b, info.ModTime(), err
}

func (d *dir) head(name string, n int64) ([]byte, error) {
	f, err := d.root.Open(name) // a regular file: list omits all others
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, n))
}

func (d *dir) write(name string, data []byte, used time.Time) error {
	temp := tempPrefix + rand.Text()
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = errors.Join(d.root.Chtimes(temp, used, used), d.root.Rename(temp, name))
	}
	if err != nil {
		_ = d.root.Remove(temp) // on failure, list removes it at the next start
	}
	return err
}

func (d *dir) touch(name string, at time.Time) error { return d.root.Chtimes(name, at, at) }
func (d *dir) remove(name string) error              { return d.root.Remove(name) }
func (d *dir) close() error                          { return d.root.Close() }
