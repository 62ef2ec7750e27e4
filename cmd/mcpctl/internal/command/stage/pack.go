package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/install"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/plugin"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
	"github.com/mcpctl/mcpctl/host/lab"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// NewCmdPack makes the command.
func NewCmdPack(f *factory.Factory) *cobra.Command {
	opts := &packOptions{f: f}
	cmd := &cobra.Command{
		Use:        "pack DIR",
		SuggestFor: []string{"stage build"},
		Short:      "Put plugin.yaml into a module as its manifest",
		Long: `Append the manifest of a plugin directory to a compiled module: --module, or the one that is built from the directory
and written into it. A directory of plugin directories gives one module with a role for each. An existing manifest is
replaced. The language and the SDK are recorded too if the compiler did not record them. In a module built by Go, jumps
are restored that Go's compiler can only write as a loop around the whole function: this saves a third of its time.

With --install the module is also installed into the home, from which a running daemon loads it, and "mcpctl describe
stage" shows the directory in which it was built.`,
		Example: `  mcpctl stage pack shout --install
  mcpctl stage pack shout --module shout.wasm --install
  mcpctl stage pack plugins/src --module build.wasm -o builtin.wasm --name builtin`,
		Args: factory.ExactArgs("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.dir = args[0]
			if opts.lang != "" && !slices.Contains(toolchain.Languages, opts.lang) {
				return problem.Usagef("--lang %q, want one of %s", opts.lang, strings.Join(toolchain.Languages, ", ")).WithHint("mcpctl stage pack --help")
			}
			return pack(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&opts.module, "module", "", "compiled module, instead of building the directory")
	fl.StringVarP(&opts.out, "out", "o", "", "file to write (default: the module itself)")
	fl.StringVar(&opts.manifest.Name, "name", "", "name of the module (default: of the directory)")
	fl.StringVar(&opts.manifest.Version, "version", "", "version of the module")
	fl.StringVar(&opts.lang, "lang", "", "language to record in the module (default: that of the directory): "+strings.Join(toolchain.Languages, ", "))
	_ = cmd.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(toolchain.Languages, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	fl.BoolVar(&opts.install, "install", false, "also install the module into the home")
	fl.BoolVar(&opts.json, "json", false, "print the result as JSON")
	return cmd
}

type packOptions struct {
	f                *factory.Factory
	dir, module, out string
	lang             string
	install, json    bool
	manifest         lab.PackOptions
}

func pack(ctx context.Context, opts *packOptions) error {
	wasm, err := opts.compiled(ctx)
	if err != nil {
		return err
	}
	opts.manifest.File = opts.module
	packed, err := lab.Pack(opts.dir, wasm, plugin.WithOrigin(opts.dir, toolchain.Language(opts.lang), opts.manifest))
	if err != nil {
		return opts.explain(err)
	}
	if err := atomicfile.Write(opts.out, packed.Module, 0o644); err != nil {
		return err
	}
	if packed.Flow.Unnamed {
		fmt.Fprintln(opts.f.IO.ErrOut, "note: it would be faster with the names of its functions: go build -ldflags=-w, without -s")
	}
	if opts.install {
		home, err := opts.f.Home()
		if err != nil {
			return err
		}
		if err := install.Module(filepath.Join(home, "stages"), opts.out, packed.Module, opts.dir, time.Now()); err != nil {
			return err
		}
		if err := opts.f.ReloadDaemon(ctx); err != nil {
			return err
		}
	}
	return opts.printPacked(packed)
}

// explain adds a hint to the error about a refused module.
func (o *packOptions) explain(err error) error {
	if plug, noFolder := plugin.Open(o.dir); noFolder == nil {
		err = plug.WithMissingExport(err)
	}
	if o.module == "" {
		return err
	}
	p := problem.FromFile(err, o.module)
	if words := strings.Fields(p.Hint); len(words) > 2 && words[1] == "stage" && words[2] == "pack" { // the command that failed
		p = p.WithHint("mcpctl stage inspect %s", problem.Arg(o.module))
	}
	return p
}

// compiled returns the module to pack: the given one, or that of the directory, which is
// built now. It sets the path of the packed module.
func (o *packOptions) compiled(ctx context.Context) ([]byte, error) {
	if o.module != "" {
		warnStale(o.f, o.dir, o.module)
		o.out = cmp.Or(o.out, o.module)
		return o.f.ReadFile(o.module)
	}
	plug, err := plugin.Open(o.dir)
	if errors.Is(err, abi.ErrNotFound) {
		if inside, _ := filepath.Glob(filepath.Join(o.dir, "*", "plugin.yaml")); len(inside) > 0 { // fails for a bad pattern only
			return nil, problem.Usagef("directory %s contains several plugin directories: pack needs the module that was built from them", o.dir).
				WithHint("mcpctl stage pack %s --module FILE.wasm", o.dir)
		}
	}
	if err != nil {
		return nil, err
	}
	chain, err := plug.Chain(o.f.Env)
	if err != nil {
		return nil, err
	}
	done := o.f.IO.Progress("building " + o.dir)
	defer done()
	o.out = cmp.Or(o.out, plug.Module())
	return plug.Compile(ctx, chain, false)
}

// warnStale warns if a module is older than a source of the plugin directory: it would
// be packed or shown with the manifest of another version.
func warnStale(f *factory.Factory, dir, module string) {
	if stale, err := toolchain.Stale(dir, module); err == nil && stale { // reading the files reports err
		fmt.Fprintf(f.IO.ErrOut, "warning: %s is older than a source in %s; \"mcpctl stage test %s\" builds it\n",
			iostreams.Line(module), iostreams.Line(dir), iostreams.Line(problem.Arg(dir)))
	}
}

// printPacked prints the path and size of the packed module.
func (o *packOptions) printPacked(packed lab.Packed) error {
	if !o.json {
		_, err := fmt.Fprintf(o.f.IO.Out, "%s: %s, %s bytes\n", o.out, printer.Plural(len(packed.Manifest.Roles), "role"), printer.Count(len(packed.Module)))
		return err
	}
	info, err := lab.InspectModule(o.out, packed.Module)
	if err != nil {
		return err
	}
	return printer.JSON(o.f.IO.Out, struct {
		File      string `json:"file"`
		Installed bool   `json:"installed"`
		lab.ModuleInfo
	}{o.out, o.install, info})
}
