package secret

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/host/filelock"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// Rewrite replaces the text of a home's secrets.yaml by the result of edit, which gets the
// present text and its secrets. It locks out other edits of the home. If secrets.yaml is a
// symbolic link, its target is replaced.
//
// Errors: those of Load, atomicfile.Resolve and edit. After an error the file is unchanged.
func Rewrite(home string, edit func(text []byte, known File) ([]byte, error)) error {
	lock, err := lockEdits(home)
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(filelock.Unlock(lock), lock.Close()) }() // the lock also ends with the process
	secrets, err := Load(home)
	if err != nil {
		return err
	}
	file, err := atomicfile.Resolve(filepath.Join(home, FileName))
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	edited, err := edit(text, secrets)
	if err != nil || bytes.Equal(edited, text) {
		return err
	}
	return atomicfile.Write(file, edited, homedir.FileMode)
}

// lockEdits waits until no other process edits the secrets of the home.
func lockEdits(home string) (*os.File, error) {
	dir := filepath.Join(home, "run")
	if err := os.MkdirAll(dir, homedir.DirMode); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "secrets.lock"), os.O_RDWR|os.O_CREATE, homedir.FileMode)
	if err != nil {
		return nil, err
	}
	if err := filelock.Lock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
