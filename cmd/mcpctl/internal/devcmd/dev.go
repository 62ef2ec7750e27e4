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
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
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
with --target debug, by a compiler that stays loaded, one in Rust without LTO and with the texts of panics; mcpctl stage
test builds the release. A role that is given another name leaves the home under its old one.`,
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

// lookEvery is how often the folder is looked at: less than a person notices. A folder
// that takes long to look at is given more rest, so that a watch costs little.
const (
	lookEvery = 25 * time.Millisecond
	restTimes = 20
)

func run(ctx context.Context, opts *Options) error {
	w, err := open(ctx, opts)
	if err != nil {
		return err
	}
	defer w.close()
	seen, err := toolchain.Look(opts.Dir)
	if err != nil {
		return err
	}
	r, err := w.round(ctx, true)
	if opts.Once {
		return err
	}
	if err := w.tell(r, err); err != nil {
		return err
	}
	fmt.Fprintf(opts.F.IO.ErrOut, "watching %s; ctrl-c ends it\n", opts.Dir)
	saves := &saves{seen: seen}
	saves.built(opts.Dir)
	for rest := lookEvery; ; {
		select {
		case <-ctx.Done():
			return nil // that is how it ends
		case <-time.After(rest):
		}
		start := time.Now()
		now, err := toolchain.Look(opts.Dir)
		if err != nil {
			return err
		}
		rest = max(lookEvery, restTimes*time.Since(start))
		sources, any := saves.settled(now)
		if !any {
			continue
		}
		if err := w.tell(w.round(ctx, sources)); err != nil {
			return err
		}
		saves.built(opts.Dir)
	}
}

// saves tells saves from what is still being written.
type saves struct {
	seen    toolchain.Files // what the last round was about
	pending toolchain.Files // at the look before, if that was something else
}

// built takes over what the last round has itself written.
func (s *saves) built(dir string) {
	if now, err := toolchain.Look(dir); err == nil { // the next look tells
		s.seen.Built(now)
	}
}

// settled reports whether a source, and whether anything, is not as it was at the last
// round, and has not changed since the look before: an editor may empty a file first
// and write it then.
func (s *saves) settled(now toolchain.Files) (sources, any bool) {
	if sources, any = s.seen.Changed(now); !any {
		s.pending = nil
		return false, false
	}
	if _, writing := s.pending.Changed(now); s.pending == nil || writing {
		s.pending = now
		return false, false
	}
	s.seen, s.pending = now, nil
	return sources, true
}

// tell prints what went wrong in a round, which does not end the watch. It returns
// what does. r is nil if the round was not printed: nothing was installed.
func (w *watch) tell(r *round, err error) error {
	switch {
	case err == nil, w.ctx.Err() != nil:
		return nil
	case w.opts.Output != "json":
		problem.Print(w.opts.F.IO.ErrOut, err, false)
		if r == nil && w.serving {
			fmt.Fprintln(w.opts.F.IO.ErrOut, "the version before goes on serving")
		}
	case r == nil:
		return w.print(&round{Problem: problem.From(err), Serving: w.serving})
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
