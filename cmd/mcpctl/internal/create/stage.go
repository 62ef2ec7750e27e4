package create

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/internal/schemafile"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/sdk"
	"github.com/mcpctl/mcpctl/host/object"
)

// StageOptions are what the command line said.
type StageOptions struct {
	F       *factory.Factory
	Name    string
	Kind    string // stage or controller
	Lang    string
	Dir     string
	NoBuild bool
}

// What a new folder can hold.
const (
	kindStage      = "stage"
	kindController = "controller"
)

var pluginKinds = []string{kindStage, kindController}

// NewCmdStage makes the command; runF replaces its work in tests.
func NewCmdStage(f *factory.Factory, runF func(context.Context, *StageOptions) error) *cobra.Command {
	opts := &StageOptions{F: f}
	cmd := &cobra.Command{
		Use:   "stage NAME",
		Short: "Make a stage or a controller of your own",
		Long: `Write a folder with everything a stage needs: manifest, one source file, build file, a test, a README. Then build
it, run its tests, and put the module into the home, where a running daemon takes it up. The SDK travels inside
mcpctl: nothing is downloaded.

A stage decides what a model reads of one result. With --kind controller it is a controller, which steers a session:
instructions, the list of tools, calls and their results. A filter is a stage whose plugin.yaml says kind: filter.`,
		Example: `  mcpctl create stage shout --lang go
  mcpctl create stage brake --kind controller
  mcpctl create stage shout --lang go --no-build`,
		Args: factory.OneArg("NAME", &opts.Name),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.Lang != "go" {
				return problem.Usagef("--lang %q: this version has go", opts.Lang).WithHint("mcpctl create stage %s --lang go", opts.Name)
			}
			if !slices.Contains(pluginKinds, opts.Kind) {
				return problem.Usagef("--kind %q, want stage or controller", opts.Kind).WithHint("mcpctl create stage %s --kind controller", opts.Name)
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return stageRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&opts.Kind, "kind", kindStage, "what to make: stage or controller")
	fl.StringVar(&opts.Lang, "lang", "go", "language: go")
	fl.StringVar(&opts.Dir, "dir", "", "folder to make (default: NAME)")
	fl.BoolVar(&opts.NoBuild, "no-build", false, "write the files only")
	_ = cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(pluginKinds, cobra.ShellCompDirectiveNoFileComp))    // as below
	_ = cmd.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions([]string{"go"}, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	return cmd
}

func stageRun(ctx context.Context, opts *StageOptions) error {
	if _, err := object.ParseName(opts.Name); err != nil {
		return problem.From(err).WithHint("mcpctl create stage my-stage")
	}
	if opts.Dir == "" {
		opts.Dir = opts.Name
	}
	home, err := opts.F.Home()
	if err != nil {
		return err
	}
	sdkDir, err := sdk.Go(filepath.Join(home, "sdk"))
	if err != nil {
		return err
	}
	if err := schemafile.Write(home); err != nil {
		return err
	}
	if err := writeFolder(opts, home, sdkDir); err != nil {
		return err
	}
	if opts.NoBuild {
		return nil
	}
	if _, err := exec.LookPath("go"); err != nil {
		fmt.Fprintf(opts.F.IO.ErrOut, "warning: go not found in PATH, the %s is not built\n  install Go 1.24 or later: https://go.dev/dl\nhint: cd %s && make && make install\n", opts.Kind, opts.Dir)
		return nil
	}
	return buildAndInstall(ctx, opts, home)
}

func writeFolder(opts *StageOptions, home, sdkDir string) error {
	if _, err := os.Lstat(opts.Dir); err == nil {
		return problem.New(abi.ErrConflict, "folder %s is there already", opts.Dir).WithHint("mcpctl create stage %s --dir OTHER", opts.Name)
	}
	template := sdk.GoStage
	if opts.Kind == kindController {
		template = sdk.GoController
	}
	files, err := template(opts.Name, sdkDir)
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(opts.Dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if f.Name == "plugin.yaml" {
			f.Text = append([]byte(schemafile.FromAnywhere(home, object.PluginSchema)), f.Text...)
		}
		if err := os.WriteFile(path, f.Text, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(opts.F.IO.Out, "wrote %s\n", path)
	}
	return nil
}

// buildAndInstall runs the steps an author repeats, and says how long each took.
func buildAndInstall(ctx context.Context, opts *StageOptions, home string) error {
	module := filepath.Join(opts.Dir, opts.Name+".wasm")
	steps := []struct {
		name string
		run  func() error
	}{
		{"test", func() error { return goTool(ctx, opts, nil, "test", "./...") }},
		{"build", func() error {
			return goTool(ctx, opts, []string{"GOOS=wasip1", "GOARCH=wasm"}, "build", "-buildmode=c-shared", "-trimpath", "-ldflags=-w", "-o", opts.Name+".wasm", ".")
		}},
		{"pack", func() error { return packFile(opts.Dir, module) }},
		{"install", func() error { return installFile(opts.Dir, module, filepath.Join(home, "stages")) }},
	}
	for _, s := range steps {
		start := time.Now()
		done := opts.F.IO.Progress(s.name)
		err := s.run()
		done()
		if err != nil {
			return err
		}
		fmt.Fprintf(opts.F.IO.ErrOut, "%-8s %.1fs\n", s.name, time.Since(start).Seconds())
	}
	fmt.Fprintf(opts.F.IO.Out, "stage/%s created\n", opts.Name)
	next := "mcpctl stage run " + opts.Name + " < FILE"
	if opts.Kind == kindController {
		next = fmt.Sprintf("cd %s; mcpctl apply -f try.yaml; mcpctl console --script session.yaml --project %s", opts.Dir, opts.Name)
	}
	fmt.Fprintf(opts.F.IO.ErrOut, "next: %s; edit %s, then: make install\n", next, opts.Dir)
	return nil
}

func goTool(ctx context.Context, opts *StageOptions, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = opts.Dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false", "GOTOOLCHAIN=local"), env...) // nothing is downloaded
	out, err := cmd.CombinedOutput()
	if err != nil {
		return &problem.Problem{Code: "E_FAILED", Message: fmt.Sprintf("go %s in %s failed", args[0], opts.Dir), Cause: string(out), Hint: "cd " + opts.Dir + " && make"}
	}
	return nil
}
