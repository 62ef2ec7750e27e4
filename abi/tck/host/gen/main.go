// Command gen generates the guests that check a host from their archives: NAME.wat, and
// NAME.wasm with wat2wasm of wabt. It runs in the directory of the archives.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/abi/tck/host"
	"github.com/mcpctl/mcpctl/abi/tck/internal/archive"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run() error {
	assembler, err := exec.LookPath("wat2wasm")
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen: no wat2wasm (Debian: apt install wabt), guests are not changed")
		return nil
	}
	paths, err := filepath.Glob("*.txtar")
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := assemble(assembler, strings.TrimSuffix(path, ".txtar")); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// assemble writes the guest of one archive.
func assemble(assembler, name string) error {
	text, err := os.ReadFile(name + ".txtar")
	if err != nil {
		return err
	}
	a := archive.Parse(string(text))
	c, err := host.Parse(a)
	if err != nil {
		return err
	}
	if err := os.WriteFile(name+".wat", []byte(c.Wat(a.Summary())), 0o644); err != nil {
		return err
	}
	if out, err := exec.Command(assembler, name+".wat", "-o", name+".wasm").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	file, err := os.ReadFile(name + ".wasm")
	if err != nil {
		return err
	}
	if file, err = module.WithManifest(file, []byte(c.Manifest())); err != nil {
		return err
	}
	return os.WriteFile(name+".wasm", file, 0o644)
}
