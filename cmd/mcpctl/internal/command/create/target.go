package create

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/host/object"
)

// target is where an object is created.
type target struct{ team, local bool }

// addFlags adds the flags to a command.
func (t *target) addFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&t.team, "team", false, "create it on the team server")
	cmd.Flags().BoolVar(&t.local, "local", false, "create it in a file of this machine, which is the default")
}

func (t *target) check(f *factory.Factory) error {
	if t.local && f.Direct {
		return problem.Usagef("--direct and --local exclude each other")
	}
	if t.team && t.local {
		return problem.Usagef("--team and --local exclude each other")
	}
	return nil
}

// apply returns the value of ApplyRequest.To. Without a flag it is a file too: what a user
// shares with a team cannot be taken back from the sessions that have read it.
func (t *target) apply(f *factory.Factory) string {
	if t.team || f.Direct {
		return api.ToTeam
	}
	return api.ToFiles
}

// checkProject returns an error if a prompt cannot be created in a project. It reports whether
// the project is of the team server.
func checkProject(ctx context.Context, o *PromptOptions, s api.Service) (isTeam bool, err error) {
	if o.Project == string(object.SystemProject) {
		return false, nil
	}
	project, err := s.Object(ctx, "project", "", o.Project)
	if o.target.team && errors.Is(err, abi.ErrNotFound) { // without a login no project of the team server is known
		if _, failed := s.Team().Whoami(ctx); failed != nil {
			return false, failed
		}
	}
	if err != nil {
		return false, err
	}
	if isTeam = project.Source == api.SourceTeam; o.target.team && !isTeam {
		p := problem.New(abi.ErrConflict, "project %q is in a file, and its prompts are in files too", o.Project)
		p.Cause = "the file is used in place of a project of the team server"
		return false, p.WithHint("mcpctl get projects -o wide")
	}
	return isTeam, nil
}

// printPlace reports that a prompt of a team's project is not shared, unless the user has
// asked for that.
func printPlace(o *PromptOptions) {
	if o.target.team || o.target.local || o.F.Direct {
		return
	}
	args := iostreams.Line(o.Name) + " --project " + iostreams.Line(o.Project)
	fmt.Fprintf(o.F.IO.ErrOut, "note: prompt/%s is in a file, which only this machine uses; "+
		"to share it with the team, repeat the command with --team after: mcpctl delete prompt %s\n", iostreams.Line(o.Name), args)
}
