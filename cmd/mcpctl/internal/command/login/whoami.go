package login

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// WhoamiOptions contains the flags of whoami.
type WhoamiOptions struct {
	F      *factory.Factory
	Output string
}

// NewCmdWhoami creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdWhoami(f *factory.Factory, runF func(context.Context, *WhoamiOptions) error) *cobra.Command {
	opts := &WhoamiOptions{F: f}
	cmd := &cobra.Command{
		Use:   "whoami",
		Short: "Show the user that is logged in to the team server",
		Long: `Ask the team server for the owner of the stored token: the user or service account, its groups, and when the token
expires. The exit status is 4 if there is no login, or if the token is not accepted any more.`,
		Example: `  mcpctl whoami
  mcpctl whoami -o json`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := printer.Check(opts.Output); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			s, done, err := f.Service(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			session, err := s.Team().Whoami(cmd.Context())
			if err != nil {
				return err
			}
			return printSession(f.IO, opts.Output, session)
		},
	}
	printer.AddFlag(cmd, f.Env, &opts.Output)
	return cmd
}

// printSession writes a login in a format of -o.
func printSession(to *iostreams.Streams, format string, s api.TeamSession) error {
	switch format {
	case "json":
		return printer.JSON(to.Out, s)
	case "yaml":
		return printer.YAML(to.Out, s)
	case "name":
		fmt.Fprintln(to.Out, iostreams.Line(strings.ToLower(s.Kind)+"/"+s.Name))
		return nil
	}
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(to.Out, "%-8s %s\n", iostreams.Line(name), iostreams.Line(value))
		}
	}
	line(strings.ToLower(s.Kind), s.Name)
	line("groups", strings.Join(s.Groups, ", "))
	line("server", s.URL)
	if !s.Expires.IsZero() {
		line("expires", s.Expires.UTC().Format("2006-01-02 15:04 UTC"))
	}
	line("state", s.State)
	return nil
}
