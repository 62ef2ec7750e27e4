// Package serve implements the commands of mcpd.
package serve

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/cmdline"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/internal/release"
)

// NewRoot returns the command tree of mcpd.
func NewRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "mcpd",
		Short: "The team server of mcpctl",
		Long: `mcpd stores the servers, projects and prompts that a team shares. It keeps its files in $MCPD_HOME, by
default ~/.mcpd: a database of SQLite, unless --db names one of PostgreSQL, and the keys of stored credentials.`,
		Version:           release.Version,
		SilenceUsage:      true,
		SilenceErrors:     true,
		DisableAutoGenTag: true,
	}
	root.SetVersionTemplate(fmt.Sprintf("mcpd %s\n", release.Version))
	root.AddCommand(newCmdServe(), newCmdMigrate(), newCmdBootstrap(), newCmdBackup(), newCmdRestore(), newCmdKeys())
	cmdline.Strict(root)
	return root
}

// homeDir returns the directory of mcpd's files.
func homeDir() (string, error) {
	if h := os.Getenv("MCPD_HOME"); h != "" {
		return filepath.Abs(h)
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return "", &problem.Problem{Code: "E_INVALID", Message: "no home directory", Cause: err.Error(), Hint: "export MCPD_HOME=DIR"}
	}
	return filepath.Join(dir, ".mcpd"), nil
}
