// Command mcplocal is the daemon: the MCP endpoint between a coding agent and
// its servers, the Wasm host, the cache, hot reload.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/cmdline"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/internal/release"
	"github.com/mcpctl/mcpctl/cmd/mcplocal/internal/serve"
)

func main() {
	root := &cobra.Command{
		Use:           "mcplocal",
		Short:         "The mcpctl daemon",
		Long:          "mcplocal runs the MCP endpoint of every project in the home. mcpctl starts it when it is needed.",
		Version:       release.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate(fmt.Sprintf("mcplocal %s\n", release.Version))
	root.AddCommand(serve.NewCmdServe(nil))
	cmdline.Strict(root)
	if err := root.ExecuteContext(context.Background()); err != nil {
		problem.Print(os.Stderr, err, false)
		os.Exit(problem.Exit(err))
	}
}
