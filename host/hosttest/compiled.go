package hosttest

import (
	"os"
	"path/filepath"
)

// CompiledCode returns a directory for compiled code that all tests of this repository use,
// also those of later runs: compiling the built-in modules takes seconds, and a minute under
// the race detector. The key of compiled code is its module, so a module that has changed
// is compiled again.
func CompiledCode() (string, error) {
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "layout_test.go")); err == nil {
			break
		}
		parent := filepath.Dir(root)
		if parent == root {
			return os.MkdirTemp("", "compiled")
		}
		root = parent
	}
	dir := filepath.Join(root, ".cache", "tests", "wasm")
	return dir, os.MkdirAll(dir, 0o700)
}
