// Package audit implements `mcpctl audit list|export|verify`: the audit log of the team server.
package audit

import (
	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// NewCmdAudit creates the command group.
func NewCmdAudit(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Show, export and verify the audit log of the team server",
		Long: `The audit log of the team server contains changes of objects, logins, calls of servers, and denied requests. Only
administrators can read it.`,
		Example: `  mcpctl audit list --since 1h
  mcpctl audit verify`,
	}
	cmd.AddCommand(newList(f), newExport(f), newVerify(f))
	return cmd
}
