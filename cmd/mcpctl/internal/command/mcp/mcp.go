// Package mcp is `mcpctl mcp`: the stdio entry of a client. It carries messages
// between the client and the daemon's endpoint, starts the daemon if none runs,
// and keeps the client's session when the daemon is restarted.
package mcp

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/daemon"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// Options are the arguments and flags of the command.
type Options struct {
	F       *factory.Factory
	Project string
}

// NewCmdMCP makes the command; runF replaces its work in tests.
func NewCmdMCP(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "mcp --project PROJECT",
		Short: "Serve a project over stdio, for MCP clients",
		Long: `Serve MCP on standard input and output for one project: the command in the configuration of a client. It starts the
daemon if none runs. The client's session survives a restart of the daemon; everything after this entry can change
without changing the client's configuration.`,
		Example: `  mcpctl mcp --project home
  claude mcp add home -- mcpctl mcp --project home`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.Project == "" {
				return problem.Usagef("mcp needs --project PROJECT").WithHint("mcpctl get projects")
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return mcpRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVarP(&opts.Project, "project", "p", "", "project to serve")
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // fails only for an unknown flag
	return cmd
}

func mcpRun(ctx context.Context, opts *Options) error {
	client, err := opts.F.Daemon()
	if err != nil {
		return err
	}
	ensure := func(ctx context.Context) error { return daemon.Ensure(ctx, opts.F) }
	if err := ensure(ctx); err != nil {
		return err
	}
	if _, err := client.Object(ctx, "project", "", opts.Project); err != nil {
		return err
	}
	again := func(ctx context.Context) error { // whose failure a model reads
		err := ensure(ctx)
		if err == nil {
			return nil
		}
		fmt.Fprintln(opts.F.IO.ErrOut, "mcpctl:", err)
		return errNotSent
	}
	b := newBridge(client.HTTP(), client.URL("/projects/"+opts.Project+"/mcp"), again, opts.F.IO.Out)
	b.dir, _ = os.Getwd() // without one, servers that refer to it report that they need it
	return b.run(ctx, opts.F.IO.In)
}
