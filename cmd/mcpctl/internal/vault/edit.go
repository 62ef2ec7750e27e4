package vault

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/filelock"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// Edit replaces the text of a home's secrets.yaml by the result of edit, which gets the present
// text and
// its secrets. It locks out other edits of the home. If secrets.yaml is a symbolic link, its target
// is
// replaced.
//
// Errors: abi.ErrDenied if other users can read the file, abi.ErrConfig for an invalid file or a
// dangling link, and those of edit. After an error the file is unchanged.
func Edit(home string, edit func(text []byte, known secret.Lookup) ([]byte, error)) error {
	lock, err := lockEdits(home)
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(filelock.Unlock(lock), lock.Close()) }() // the lock also ends with the process
	secrets, err := secret.Load(home)
	if err != nil {
		return err
	}
	file, err := atomicfile.Resolve(filepath.Join(home, secret.FileName))
	if err != nil {
		return problem.New(abi.ErrConfig, "%v", err).WithHint("ls -l %s", problem.Arg(filepath.Join(home, secret.FileName)))
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	edited, err := edit(text, secrets.Lookup(nil))
	if errors.Is(err, abi.ErrConfig) {
		return problem.From(err).WithHint("${EDITOR:-vi} %s", problem.Arg(file))
	}
	if err != nil || bytes.Equal(edited, text) {
		return err
	}
	return atomicfile.Write(file, edited, 0o600)
}

// lockEdits waits until no other process edits the secrets of the home.
func lockEdits(home string) (*os.File, error) {
	dir := filepath.Join(home, "run")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "secrets.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := filelock.Lock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
