package create

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/internal/schemafile"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/sdk"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/manifest"
	"github.com/mcpctl/mcpctl/host/object"
)

// StageOptions are the arguments and flags for a stage or controller.
type StageOptions struct {
	F       *factory.Factory
	Name    string
	Kind    string // stage or controller
	Lang    string
	Dir     string
	NoBuild bool
	Output  string // table or json

	made made // the output of -o json
}

// made is the result of create stage.
type made struct {
	Name   string     `json:"name"`
	Kind   string     `json:"kind"`
	Lang   string     `json:"lang"`
	Dir    string     `json:"dir"`
	Files  []string   `json:"files"`
	Module string     `json:"module,omitempty"` // file in the directory; empty if it was not built
	Steps  []madeStep `json:"steps,omitempty"`
	Lacks  string     `json:"lacks,omitempty"` // the tool without which it was not built
	Helps  string     `json:"helps,omitempty"` // the way to get that
}

type madeStep struct {
	Step string `json:"step"` // build, pack, test, install
	Nano int64  `json:"ns"`
}

// Kinds of new directories.
const (
	kindStage      = "stage"
	kindController = "controller"
)

var pluginKinds = []string{kindStage, kindController}

// NewCmdStage makes the command; runF replaces its work in tests.
func NewCmdStage(f *factory.Factory, runF func(context.Context, *StageOptions) error) *cobra.Command {
	opts := &StageOptions{F: f}
	cmd := &cobra.Command{
		Use:        "stage NAME",
		SuggestFor: []string{"stage new", "stage create"},
		Short:      "Create a stage or a controller of your own",
		Long: `Create a directory with all files of a stage: manifest, one source file, build file, tests, a README. Then build it, run
its tests, and install the module into the home, from which a running daemon loads it. mcpctl contains the SDK, so
nothing is downloaded. If the compiler is missing, the directory is created nevertheless, with a hint how to get it.

A stage determines the text that a model reads of one result. With --kind controller create a controller, which steers
a session: instructions, the list of tools, calls and their results. A filter is a stage whose plugin.yaml contains
kind: filter, without transforms.`,
		Example: `  mcpctl create stage shout --lang go
  mcpctl create stage shout-c --lang c --no-build
  mcpctl create stage brake --kind controller`,
		Args: factory.OneArg("NAME", &opts.Name),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(toolchain.Languages, opts.Lang) {
				return problem.Usagef("--lang %q, want one of %s", opts.Lang, strings.Join(toolchain.Languages, ", ")).WithHint("mcpctl create stage %s --lang go", opts.Name)
			}
			if opts.Output != "table" && opts.Output != "json" {
				return problem.Usagef("unknown output format %q", opts.Output).WithHint("mcpctl create stage %s -o json", opts.Name)
			}
			if !slices.Contains(pluginKinds, opts.Kind) {
				p := problem.Usagef("--kind %q, want stage or controller", opts.Kind)
				if opts.Kind == string(abi.KindFilter) {
					p.Cause = "a filter is a stage whose plugin.yaml contains kind: filter, without transforms"
					return p.WithHint("mcpctl create stage %s", opts.Name)
				}
				return p.WithHint("mcpctl create stage %s --kind controller", opts.Name)
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			opts.made = made{Name: opts.Name, Kind: opts.Kind, Lang: opts.Lang, Dir: cmp.Or(opts.Dir, opts.Name)}
			if err := stageRun(cmd.Context(), opts); err != nil || opts.Output != "json" {
				return err
			}
			return printer.JSON(opts.F.IO.Out, opts.made)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&opts.Kind, "kind", kindStage, "kind of plugin: stage or controller")
	fl.StringVar(&opts.Lang, "lang", string(toolchain.Go), "language: "+strings.Join(toolchain.Languages, ", "))
	fl.StringVar(&opts.Dir, "dir", "", "directory to create, or an empty one (default: NAME)")
	fl.BoolVar(&opts.NoBuild, "no-build", false, "write the files only")
	fl.StringVarP(&opts.Output, "output", "o", "table", "format: table or json")
	_ = cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(pluginKinds, cobra.ShellCompDirectiveNoFileComp)) // as below
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(toolchain.Languages, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	return cmd
}

func stageRun(ctx context.Context, opts *StageOptions) error {
	if _, err := object.ParseName(opts.Name); err != nil {
		return problem.From(err).WithHint("mcpctl create stage my-stage")
	}
	if err := checkBuiltin(opts); err != nil {
		return err
	}
	if opts.Dir == "" {
		opts.Dir = opts.Name
	}
	home, err := opts.F.Home()
	if err != nil {
		return err
	}
	lang := toolchain.Language(opts.Lang)
	sdkDir, err := sdk.Unpack(lang, filepath.Join(home, "sdk"))
	if err != nil {
		return err
	}
	if err := schemafile.Write(home); err != nil {
		return err
	}
	if err := writePlugin(opts, home, sdkDir); err != nil {
		return err
	}
	if opts.NoBuild {
		return nil
	}
	chain, err := toolchain.Find(toolchain.System{Getenv: opts.F.Env}, lang, opts.Dir)
	var missing *toolchain.Missing
	if errors.As(err, &missing) {
		return opts.notBuilt(missing)
	}
	if err != nil {
		return err
	}
	return buildAndInstall(ctx, opts, home, chain)
}

// checkBuiltin refuses the name of a built-in of another kind, which would not
// serve, and warns of one that the new stage hides.
func checkBuiltin(opts *StageOptions) error {
	role, ok := host.BuiltinRole(opts.Name)
	if !ok {
		return nil
	}
	if string(role.Kind) != opts.Kind {
		p := problem.New(abi.ErrConflict, "%q is a built-in %s", opts.Name, role.Kind)
		p.Cause = fmt.Sprintf("a %s of that name would not serve", opts.Kind)
		return p.WithHint("mcpctl create stage my-%s --kind %s", opts.Name, opts.Kind)
	}
	fmt.Fprintf(opts.F.IO.ErrOut, "warning: it hides the built-in %q; mcpctl delete stage %s brings that back\n", opts.Name, opts.Name)
	return nil
}

// notBuilt reports a missing tool. The files exist, so this is not a failure.
func (o *StageOptions) notBuilt(m *toolchain.Missing) error {
	o.made.Lacks, o.made.Helps = m.Tool, m.Install
	then := " && "
	if strings.HasPrefix(m.Install, "https://") { // a page to be read
		then = ", then "
	}
	fmt.Fprintf(o.F.IO.ErrOut, "warning: no %s, the %s is not built\n  %s\nhint: %s%smcpctl stage dev %s --once\n", m.Tool, o.Kind, m.Why, m.Install, then, problem.Arg(o.Dir))
	return nil
}

// printStep prints a step for a person; -o json prints the result at the end.
func (o *StageOptions) printStep(form string, args ...any) {
	if o.Output != "json" {
		fmt.Fprintf(o.F.IO.Out, form, args...)
	}
}

// isEmptyDir reports whether path is a directory without entries.
func isEmptyDir(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) == 0
}

func writePlugin(opts *StageOptions, home, sdkDir string) error {
	if _, err := os.Lstat(opts.Dir); err == nil && !isEmptyDir(opts.Dir) {
		return problem.New(abi.ErrConflict, "directory %s exists already", opts.Dir).WithHint("mcpctl create stage %s --dir OTHER", opts.Name)
	}
	files, err := sdk.Files(abi.RoleKind(opts.Kind), toolchain.Language(opts.Lang), opts.Name, sdkDir)
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(opts.Dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if f.Name == "plugin.yaml" {
			f.Text = append([]byte(schemafile.FromAnywhere(home, manifest.SchemaFile)), f.Text...)
		}
		if err := os.WriteFile(path, f.Text, 0o644); err != nil {
			return err
		}
		opts.made.Files = append(opts.made.Files, path)
		opts.printStep("wrote %s\n", path)
	}
	return nil
}
