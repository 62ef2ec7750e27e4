package create

import (
	"os"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/install"
	"github.com/mcpctl/mcpctl/host"
)

// packFile puts the manifest of a plugin folder into its module.
func packFile(dir, module string) error {
	wasm, err := os.ReadFile(module)
	if err != nil {
		return err
	}
	packed, err := host.Pack(dir, wasm, host.PackOptions{})
	if err != nil {
		return err
	}
	return os.WriteFile(module, packed.Module, 0o644)
}

// installFile puts a packed module into the home.
func installFile(dir, module, stages string) error {
	packed, err := os.ReadFile(module)
	if err != nil {
		return err
	}
	return install.Module(stages, module, packed, dir, time.Now())
}
