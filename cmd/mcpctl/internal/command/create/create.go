// Package create is `mcpctl create`: objects, and scaffolds of stages.
package create

import (
	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// NewCmdCreate makes the group.
func NewCmdCreate(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create a project, a prompt, a stage, a test or a proxymodel",
		Long: `Create a project of servers, a prompt of a project, a new stage with all files to build and test it, or a
proxymodel from existing stages.`,
		Example: `  mcpctl create stage shout --lang go
  mcpctl create proxymodel loud --stages shout,section-split --controllers gate
  mcpctl create prompt rules --project home --priority 8 --content-file rules.md`,
	}
	cmd.AddCommand(NewCmdStage(f, nil), NewCmdModel(f, nil), NewCmdProject(f, nil), NewCmdPrompt(f, nil), NewCmdTest(f, nil))
	return cmd
}
