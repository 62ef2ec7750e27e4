// Package restart implements `mcpctl restart`.
package restart

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// Options are the values of the command line.
type Options struct {
	F       *factory.Factory
	Servers []string
}

// NewCmdRestart creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdRestart(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "restart NAME...",
		Short: "Restart MCP servers without closing sessions",
		Long: `Stop the processes of a server, or its HTTP connections, and start them again for each session that uses it. Sessions
stay open and read the new lists of tools; calls in flight end with an error. The command returns when the server accepts
calls, and fails if it does not within 10 seconds. To restart the daemon, use "mcpctl daemon stop" and "start".`,
		Example: `  mcpctl restart files
  mcpctl restart server/files server/notes`,
		Args: func(_ *cobra.Command, args []string) error {
			kind, names, err := kinds.NamesOf("server", "restart", args)
			if err == nil && kind != "server" {
				err = problem.Usagef("a %s has no process to restart", kind).WithHint("mcpctl reload")
			}
			opts.Servers = names
			return err
		},
		ValidArgsFunction: completeServers(f),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return restartRun(cmd.Context(), opts)
		},
	}
	return cmd
}

// completeServers completes "NAME...", "server NAME..." and "server/NAME...".
func completeServers(f *factory.Factory) cobra.CompletionFunc {
	names, slashes := f.Names("server"), kinds.CompleteOne(f, "server")
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return slashes(cmd, args, prefix)
		}
		return names(cmd, args, prefix)
	}
}

func restartRun(ctx context.Context, opts *Options) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	for _, name := range opts.Servers {
		progress := opts.F.IO.Progress("restarting " + name)
		r, err := s.RestartServer(ctx, name)
		progress()
		if err != nil {
			return err
		}
		if r.Connections == 0 {
			fmt.Fprintf(opts.F.IO.Out, "server/%s is not running: it starts with the next session\n", name)
			continue
		}
		fmt.Fprintf(opts.F.IO.Out, "server/%s restarted (%s)\n", name, printer.Plural(r.Connections, "connection"))
	}
	return nil
}
