// Package logs is `mcpctl logs`: the standard error of an MCP server.
package logs

import (
	"context"
	"encoding/json"
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
)

// Options are the values of the command line.
type Options struct {
	F      *factory.Factory
	Server string
	Follow bool
	Tail   int // lines; -1: all that are kept
	Output string
}

// NewCmdLogs makes the command; runF replaces its work in tests.
func NewCmdLogs(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "logs SERVER",
		Short: "Print what a server writes to its standard error",
		Long: `Print the last lines that a server wrote to its standard error, of all its processes since the daemon started. Lines that
begin with "mcpctl:" are about the connection. Credentials of the server's configuration are replaced. The daemon keeps
256 KiB for each server, in memory. A server with a URL runs elsewhere: only the lines about its connection are here.
--follow goes on after the daemon was restarted.`,
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
	fl.BoolVarP(&opts.Follow, "follow", "f", false, "go on and print new lines until interrupted")
	fl.IntVarP(&opts.Tail, "tail", "n", -1, "number of last lines to begin with; -1 for all")
	fl.StringVarP(&opts.Output, "output", "o", "text", "format: text, json")
	_ = cmd.RegisterFlagCompletionFunc("tail", cobra.NoFileCompletions) // both fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// pollEvery is how often a followed log is read.
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
		fmt.Fprintf(opts.F.IO.ErrOut, "server %s has written nothing since the daemon started\n", opts.Server)
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

// follow prints new lines until ctx ends. While no daemon runs it waits for one.
func follow(ctx context.Context, s api.Service, opts *Options, last int64) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	waiting := false
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil // interrupted: the normal end of a followed log
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
	e := json.NewEncoder(opts.F.IO.Out)
	e.SetEscapeHTML(false)
	for _, l := range lines {
		err := error(nil)
		if opts.Output == "json" {
			err = e.Encode(l)
		} else {
			_, err = fmt.Fprintf(opts.F.IO.Out, "%s %s\n", l.Time.Local().Format(time.TimeOnly), iostreams.Line(l.Text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
