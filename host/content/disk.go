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

// disk is where files lie; tests put a failing one in its place.
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

// tempPrefix marks files that are being written. One that is there at start is
// left of a process that died.
const tempPrefix = "tmp-"

// dir is a folder that only its owner reads. Names go through os.Root: no name
// and no link leads out of it.
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

// list returns the files that are ours, and removes partial ones and links.
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
		ours := isHash(name) || isRef(name)
		if strings.HasPrefix(name, tempPrefix) || ours && !e.Type().IsRegular() {
			_ = d.root.Remove(name) // a folder of that name stays, and is never read
			continue
		}
		info, err := e.Info()
		if !ours || err != nil {
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
	f, err := d.root.Open(name) // list has left out what is no regular file
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
		_ = d.root.Remove(temp) // else the next start sweeps it
	}
	return err
}

func (d *dir) touch(name string, at time.Time) error { return d.root.Chtimes(name, at, at) }
func (d *dir) remove(name string) error              { return d.root.Remove(name) }
func (d *dir) close() error                          { return d.root.Close() }
