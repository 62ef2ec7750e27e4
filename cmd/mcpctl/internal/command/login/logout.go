package login

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// NewCmdLogout creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdLogout(f *factory.Factory, runF func(context.Context) error) *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Log out from the team server",
		Long: `Revoke the token at the team server and remove it from secrets.yaml. Its servers, projects and prompts are then no longer
used; files are unchanged, and so is the setting mcpd-url. If the team server is not reachable, the token is removed here
and stays valid there until it expires.`,
		Example: `  mcpctl logout
  mcpctl logout && mcpctl login --user otto`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runF != nil {
				return runF(cmd.Context())
			}
			s, done, err := f.Service(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			out, err := s.Team().Logout(cmd.Context())
			if err != nil {
				return err
			}
			fmt.Fprintf(f.IO.Out, "%s logged out from %s\n", iostreams.Line(out.User), iostreams.Line(out.URL))
			if out.Warning != "" {
				fmt.Fprintf(f.IO.ErrOut, "warning: %s\n", iostreams.Line(out.Warning))
			}
			return nil
		},
	}
}
