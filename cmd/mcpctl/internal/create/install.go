package create

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/host"
)

func packFile(dir, module string) error {
	wasm, err := os.ReadFile(module)
	if err != nil {
		return err
	}
	packed, _, err := host.Pack(dir, wasm, host.PackOptions{})
	if err != nil {
		return err
	}
	return os.WriteFile(module, packed, 0o644)
}

// install copies a module into the home: written beside and renamed, never
// linked, so that a watching daemon sees the whole or nothing.
func install(module, stages string) error {
	b, err := os.ReadFile(module)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(stages, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(stages, ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(b)
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), filepath.Join(stages, filepath.Base(module)))
}
