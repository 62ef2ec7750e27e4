// Package logs implements `mcpctl logs`, which prints the standard error of an MCP server.
package logs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// Options are the values of the command line.
type Options struct {
	F      *factory.Factory
	Server string
	Follow bool
	Tail   int // number of lines; -1 prints all
	Output string
}

// NewCmdLogs creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdLogs(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "logs SERVER",
		Short: "Print the standard error of a server",
		Long: `Print the last lines that a server wrote to standard error, from all its processes since the daemon started. Lines that
begin with "mcpctl:" describe the connection. Credentials of the server's configuration are masked. The daemon keeps
256 KiB for each server in memory. For a server with a URL, only the lines about its connection are available. --follow
continues after a restart of the daemon.`,
		Example: `  mcpctl logs files
  mcpctl logs server/files --follow --tail 20`,
		Args:              kinds.OneOf("server", &opts.Server),
		ValidArgsFunction: kinds.CompleteOne(f, "server"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.Output != "text" && opts.Output != "json" {
				return problem.Usagef("unknown output format %q", opts.Output).WithHint("mcpctl logs %s -o json", problem.Arg(opts.Server))
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return logsRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.BoolVarP(&opts.Follow, "follow", "f", false, "print new lines until interrupted")
	fl.IntVarP(&opts.Tail, "tail", "n", -1, "number of last lines to print first; -1 for all")
	fl.StringVarP(&opts.Output, "output", "o", "text", "format: text, json")
	_ = cmd.RegisterFlagCompletionFunc("tail", cobra.NoFileCompletions) // both fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// pollEvery is the interval at which a followed log is read.
const pollEvery = 300 * time.Millisecond

func logsRun(ctx context.Context, opts *Options) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	lines, err := s.ServerLog(ctx, opts.Server, 0)
	if err != nil {
		return err
	}
	if len(lines) == 0 && !opts.Follow {
		fmt.Fprintf(opts.F.IO.ErrOut, "server %s has not written anything since the daemon started\n", opts.Server)
	}
	last := int64(0)
	if n := len(lines); n > 0 {
		last = lines[n-1].ID
	}
	if opts.Tail >= 0 {
		lines = lines[max(0, len(lines)-opts.Tail):]
	}
	if err := opts.print(lines); err != nil || !opts.Follow {
		return err
	}
	return follow(ctx, s, opts, last)
}

// follow prints new lines until ctx is canceled. If no daemon is running, it waits for one.
func follow(ctx context.Context, s api.Service, opts *Options, last int64) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	waiting := false
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil // interrupting is the normal way to end
		}
		lines, err := s.ServerLog(ctx, opts.Server, last)
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, abi.ErrUnavailable) {
			if !waiting {
				fmt.Fprintln(opts.F.IO.ErrOut, "the daemon does not answer; waiting for it")
			}
			waiting = true
			continue
		}
		if err != nil {
			return err
		}
		waiting = false
		if err := opts.print(lines); err != nil {
			return err
		}
		if n := len(lines); n > 0 {
			last = lines[n-1].ID
		}
	}
}

func (opts *Options) print(lines []api.LogLine) error {
	for _, l := range lines {
		err := error(nil)
		if opts.Output == "json" {
			err = printer.JSONLine(opts.F.IO.Out, l)
		} else {
			_, err = fmt.Fprintf(opts.F.IO.Out, "%s %s\n", l.Time.Local().Format(time.TimeOnly), iostreams.Line(l.Text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
