package stagecmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/host"
)

// NewCmdPack makes the command.
func NewCmdPack(f *factory.Factory) *cobra.Command {
	var module, out, name, version string
	cmd := &cobra.Command{
		Use:   "pack DIR",
		Short: "Put plugin.yaml into a module as its manifest",
		Long: `Append the manifest of a plugin folder to a compiled module. A folder with plugin folders in it gives one module
with a role for each. A manifest that is there already is replaced.`,
		Example: `  mcpctl stage pack shout --module shout.wasm
  mcpctl stage pack plugins/src --module build.wasm -o builtin.wasm --name builtin`,
		Args: factory.ExactArgs("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			if module == "" {
				return problem.Usagef("pack needs --module FILE.wasm")
			}
			if out == "" {
				out = module
			}
			return pack(f, args[0], module, out, host.PackOptions{Name: name, Version: version})
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&module, "module", "", "compiled module")
	fl.StringVarP(&out, "out", "o", "", "file to write (default: the module itself)")
	fl.StringVar(&name, "name", "", "name of the module (default: of the folder)")
	fl.StringVar(&version, "version", "", "version of the module")
	return cmd
}

func pack(f *factory.Factory, dir, module, out string, opts host.PackOptions) error {
	wasm, err := os.ReadFile(module)
	if os.IsNotExist(err) {
		return problem.New(abi.ErrNotFound, "%v", err)
	}
	if err != nil {
		return err
	}
	packed, manifest, err := host.Pack(dir, wasm, opts)
	if err != nil {
		return err
	}
	if err := writeBeside(out, packed); err != nil {
		return err
	}
	fmt.Fprintf(f.IO.Out, "%s: %d roles, %d bytes\n", out, len(manifest.Roles), len(packed))
	return nil
}

// writeBeside replaces a file by rename, so that a daemon that watches it never
// reads half of it.
func writeBeside(file string, b []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(b)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}
