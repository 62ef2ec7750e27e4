// Package devcmd is `mcpctl stage dev`: from a saved file to what it changed.
package devcmd

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/plugin"
)

// Options are what the command line said.
type Options struct {
	F       *factory.Factory
	Dir     string
	Project string
	Events  int
	Once    bool
	Output  string
}

var formats = []string{"table", "json"}

// NewCmd makes the command; runF replaces its work in tests.
func NewCmd(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "dev [DIR]",
		Short: "Build, install and compare at each save",
		Long: `Watch a plugin folder. At each save: build it, put the module into the home, where a running daemon takes it up, run
its fixtures as stage test does, and with --project the last contents that went through that project. What differs from
the build before is shown, with the change in tokens and how long each part took: build, admit (compile the module), run.

A build that fails shows what the compiler said; the version before goes on serving. An AssemblyScript stage is built
with --target debug, which takes half the time, one in Rust with the texts of panics; mcpctl stage test builds the
release.`,
		Example: `  mcpctl stage dev shout --project home
  mcpctl stage dev shout --once`,
		Args: factory.OptionalArg("[DIR]", &opts.Dir, "."),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case !slices.Contains(formats, opts.Output):
				return problem.Usagef("unknown output format %q", opts.Output).WithHint("mcpctl stage dev %s -o json", problem.Arg(opts.Dir))
			case opts.Events < 0 || opts.Events > mostEvents:
				return problem.Usagef("--events %d not in 0 to %d", opts.Events, mostEvents).WithHint("mcpctl stage dev %s --events 5", problem.Arg(opts.Dir))
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return run(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&opts.Project, "project", "p", "", "project whose last contents are run too; needs the daemon")
	fl.IntVar(&opts.Events, "events", 5, "how many of its contents")
	fl.BoolVar(&opts.Once, "once", false, "one round, then end; the exit status is 7 if a test fails")
	fl.StringVarP(&opts.Output, "output", "o", "table", "format: table, or json with one object a round")
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // all fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("events", cobra.FixedCompletions([]string{"0", "1", "5", "20"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// mostEvents bounds what is run at each save.
const mostEvents = 100

// lookEvery is how often the folder is looked at: less than a person notices, and of
// a few dozen files it costs nothing that shows.
const lookEvery = 100 * time.Millisecond

func run(ctx context.Context, opts *Options) error {
	w, err := open(ctx, opts)
	if err != nil {
		return err
	}
	defer w.close()
	seen, err := look(opts.Dir)
	if err != nil {
		return err
	}
	err = w.round(ctx, true)
	if opts.Once {
		return err
	}
	if err := w.tell(err); err != nil {
		return err
	}
	fmt.Fprintf(opts.F.IO.ErrOut, "watching %s; ctrl-c ends it\n", opts.Dir)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil // that is how it ends
		case <-tick.C:
		}
		now, err := look(opts.Dir)
		if err != nil {
			return err
		}
		sources, any := seen.changed(now)
		if !any {
			continue
		}
		seen = now
		if err := w.tell(w.round(ctx, sources)); err != nil {
			return err
		}
	}
}

// tell prints what went wrong in a round, which does not end the watch. It returns
// what does.
func (w *watch) tell(err error) error {
	switch {
	case err == nil, w.ctx.Err() != nil:
		return nil
	case w.opts.Output == "json":
		return w.print(&round{Problem: problem.From(err), Serving: w.serving})
	}
	problem.Print(w.opts.F.IO.ErrOut, err, false)
	if w.serving {
		fmt.Fprintln(w.opts.F.IO.ErrOut, "the version before goes on serving")
	}
	return nil
}

// openFolder reads the folder anew: its manifest may have changed.
func openFolder(dir string) (*plugin.Folder, error) {
	f, err := plugin.Open(dir)
	if err == nil && len(f.Manifest.Roles) != 1 {
		err = problem.New(abi.ErrConfig, "%s/plugin.yaml lists %d roles, want one", dir, len(f.Manifest.Roles))
	}
	return f, err
}
