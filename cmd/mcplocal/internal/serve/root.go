package serve

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/cmdline"
	"github.com/mcpctl/mcpctl/cmd/internal/release"
)

// NewRoot returns the command tree of mcplocal.
func NewRoot() *cobra.Command {
	root := &cobra.Command{
		Use:               "mcplocal",
		Short:             "The mcpctl daemon",
		Long:              "mcplocal serves the MCP endpoint of every project in the home. mcpctl starts it when it is needed.",
		Version:           release.Version,
		SilenceUsage:      true,
		SilenceErrors:     true,
		DisableAutoGenTag: true,
	}
	root.SetVersionTemplate(fmt.Sprintf("mcplocal %s\n", release.Version))
	root.AddCommand(NewCmdServe(nil), newCmdCompile(os.Exit), newCmdWorker())
	cmdline.Strict(root)
	return root
}
