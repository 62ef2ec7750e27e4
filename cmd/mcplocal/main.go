// Command mcplocal is the daemon: the MCP endpoint between a coding agent and
// its servers, the Wasm host, the cache, hot reload.
package main

import (
	"context"
	"os"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcplocal/internal/serve"
)

func main() {
	root := serve.NewRoot()
	if err := root.ExecuteContext(context.Background()); err != nil {
		problem.Print(os.Stderr, err, false)
		os.Exit(problem.Exit(err))
	}
}
