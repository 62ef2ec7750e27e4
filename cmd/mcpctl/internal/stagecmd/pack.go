package stagecmd

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/atomicfile"
	"github.com/mcpctl/mcpctl/cmd/internal/install"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host"
)

// NewCmdPack makes the command.
func NewCmdPack(f *factory.Factory) *cobra.Command {
	opts := &packOptions{f: f}
	cmd := &cobra.Command{
		Use:   "pack DIR",
		Short: "Put plugin.yaml into a module as its manifest",
		Long: `Append the manifest of a plugin folder to a compiled module. A folder with plugin folders in it gives one module
with a role for each. A manifest that is there already is replaced. A module built by Go gets its jumps back, which
its compiler can only write as a loop around all of a function: that takes a third off its time.

With --install the module goes into the home as well, where a running daemon takes it up, and "mcpctl describe stage"
tells which folder it was built in.`,
		Example: `  mcpctl stage pack shout --module shout.wasm --install
  mcpctl stage pack plugins/src --module build.wasm -o builtin.wasm --name builtin`,
		Args: factory.ExactArgs("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			if opts.module == "" {
				return problem.Usagef("pack needs --module FILE.wasm").WithHint("mcpctl stage pack %s --module FILE.wasm", args[0])
			}
			if opts.out == "" {
				opts.out = opts.module
			}
			opts.dir = args[0]
			return pack(opts)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&opts.module, "module", "", "compiled module")
	fl.StringVarP(&opts.out, "out", "o", "", "file to write (default: the module itself)")
	fl.StringVar(&opts.manifest.Name, "name", "", "name of the module (default: of the folder)")
	fl.StringVar(&opts.manifest.Version, "version", "", "version of the module")
	fl.BoolVar(&opts.install, "install", false, "put the module into the home as well")
	return cmd
}

type packOptions struct {
	f                *factory.Factory
	dir, module, out string
	install          bool
	manifest         host.PackOptions
}

func pack(opts *packOptions) error {
	wasm, err := opts.f.ReadFile(opts.module)
	if err != nil {
		return err
	}
	packed, err := host.Pack(opts.dir, wasm, opts.manifest)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(opts.out, packed.Module, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(opts.f.IO.Out, "%s: %s, %s bytes\n", opts.out, printer.Plural(len(packed.Manifest.Roles), "role"), printer.Count(len(packed.Module)))
	if packed.Flow.Unnamed {
		fmt.Fprintln(opts.f.IO.ErrOut, "note: it would be faster with the names of its functions: go build -ldflags=-w, without -s")
	}
	if !opts.install {
		return nil
	}
	home, err := opts.f.Home()
	if err != nil {
		return err
	}
	return install.Module(filepath.Join(home, "stages"), opts.out, packed.Module, opts.dir, time.Now())
}
