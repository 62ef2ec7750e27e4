// Package dev implements `mcpctl stage dev`, which builds, tests and installs a stage whenever a file is saved.
package dev

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
)

// Options are the arguments and flags of the command.
type Options struct {
	F       *factory.Factory
	Path    string // plugin directory or module file
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
		Use:   "dev [DIR|FILE.wasm]",
		Short: "Build, install and compare at each save",
		Long: `Watch a plugin directory. At each save: build it, install the module into the home, from which a running daemon loads
it, run its fixtures as stage test does, and with --project the last contents that went through that project. The output
shows the differences from the previous build, the change in tokens, and the time of each step: build, admit (compile
the module), run.

If a build fails, the compiler's messages are shown and the previous version keeps serving. AssemblyScript is built with
--target debug by a compiler that stays loaded, Rust without LTO and with panic messages; mcpctl stage test builds the
release. If the role is renamed, the module stays in the home under the old name.

With FILE.wasm, a compiler of your own writes the module: each time the file changes, it is checked, installed and run
on the inputs of stage test FILE.wasm. While the file is incomplete, invalid or deleted, one error is printed and the
last valid version serves.`,
		Example: `  mcpctl stage dev shout --project home
  mcpctl stage dev shout --once
  mcpctl stage dev ./target/shout.wasm`,
		Args:              factory.OptionalArg("[DIR|FILE.wasm]", &opts.Path, "."),
		ValidArgsFunction: factory.DirOrModule,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case !slices.Contains(formats, opts.Output):
				return problem.Usagef("unknown output format %q", opts.Output).WithHint("mcpctl stage dev %s -o json", problem.Arg(opts.Path))
			case opts.Events < 0 || opts.Events > mostEvents:
				return problem.Usagef("--events %d not in 0 to %d", opts.Events, mostEvents).WithHint("mcpctl stage dev %s --events 5", problem.Arg(opts.Path))
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

// mostEvents bounds the contents that are run after each save.
const mostEvents = 100

// lookEvery is the interval between two looks at the source: less than a person notices. A
// directory that takes long to look at is given more rest, so that a watch costs little.
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
	seen, err := w.source.look()
	if err != nil {
		return err
	}
	r, err := w.round(ctx, true)
	if opts.Once {
		return withoutOwnHint(err)
	}
	if err := w.printError(r, err); err != nil {
		return err
	}
	fmt.Fprintf(opts.F.IO.ErrOut, "watching %s; ctrl-c ends it\n", opts.Path)
	saves := &saves{seen: seen, looks: w.source.looks()}
	saves.built(w.source)
	isLost := false // a look has failed, and that was reported
	for rest := lookEvery; ; {
		select {
		case <-ctx.Done():
			return nil // that is how it ends
		case <-time.After(rest):
		}
		start := time.Now()
		now, err := w.source.look()
		if err != nil { // the directory may come back: git and editors replace directories
			if !isLost {
				if err := w.printError(nil, err); err != nil {
					return err
				}
			}
			isLost = true
			continue
		}
		isLost = false
		rest = max(lookEvery, restTimes*time.Since(start))
		sources, any := saves.settled(now)
		if !any {
			continue
		}
		if err := w.printError(w.round(ctx, sources)); err != nil {
			return err
		}
		saves.built(w.source)
	}
}

// saves separates saved files from files that are still being written.
type saves struct {
	seen    toolchain.Files // the files of the last round
	pending toolchain.Files // the files of the look before, if they differ from seen
	looks   int             // equal looks after which pending files are saved
	equal   int             // equal looks so far
}

// built adopts the files that the last round has itself written.
func (s *saves) built(src source) {
	if now, err := src.look(); err == nil { // the next look reports the error
		s.seen.Built(now)
	}
}

// settled reports whether a source, and whether any file, differs from the last round
// and has been unchanged for s.looks looks: an editor may empty a file first and write it
// then.
func (s *saves) settled(now toolchain.Files) (sources, any bool) {
	if sources, any = s.seen.Changed(now); !any {
		s.pending = nil
		return false, false
	}
	if _, writing := s.pending.Changed(now); s.pending == nil || writing {
		s.pending, s.equal = now, 0
		return false, false
	}
	if s.equal++; s.equal < s.looks {
		return false, false
	}
	s.seen, s.pending = now, nil
	return sources, true
}

// isDev reports whether a command is stage dev.
func isDev(command string) bool { return strings.HasPrefix(command, "mcpctl stage dev ") }

// withoutOwnHint removes the hint from an error if it is the command that is running.
func withoutOwnHint(err error) error {
	if err == nil {
		return nil
	}
	if p := problem.From(err); isDev(p.Hint) {
		return p.WithHint("")
	}
	return err
}

// printError prints the error of a round, which does not end the watch. It returns an error
// that does. r is nil if the round was not printed because nothing was installed.
func (w *watch) printError(r *round, err error) error {
	switch {
	case err == nil, w.ctx.Err() != nil:
		return nil
	case w.opts.Output != "json":
		problem.Print(w.opts.F.IO.ErrOut, problem.From(withoutOwnHint(err)), false)
		if r == nil && w.serving {
			fmt.Fprintln(w.opts.F.IO.ErrOut, "the previous version keeps serving")
		}
	case r == nil:
		return w.print(&round{Problem: problem.From(err), Serving: w.serving})
	}
	return nil
}
