// Command mcpctl is the command line interface of mcpctl. `mcpctl mcp` is an MCP server on
// stdio for MCP clients.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/manage"
	"github.com/mcpctl/mcpctl/cmd/internal/release"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/cli"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program immediately
	status := run(ctx, iostreams.System(os.Getenv), os.Args[1:])
	stop()
	os.Exit(status)
}

// run runs the command line and returns its exit status.
func run(ctx context.Context, streams *iostreams.Streams, args []string) int {
	streams.In = iostreams.Until(ctx, streams.In)
	f := &factory.Factory{
		IO: streams, Version: release.Version, Env: os.Getenv,
		Local: func(ctx context.Context, home string) (factory.LocalService, error) {
			return manage.OpenLocal(ctx, home)
		},
		OpenDirect: func(ctx context.Context, home string) (factory.LocalService, error) {
			return manage.OpenDirect(ctx, home)
		},
	}
	return cli.Main(ctx, f, args)
}
