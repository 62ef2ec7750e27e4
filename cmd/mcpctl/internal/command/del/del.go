// Package del implements `mcpctl delete`.
package del

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/connect"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/report"
)

// Options contains the arguments and flags.
type Options struct {
	F       *factory.Factory
	Kind    string
	Names   []string
	Project string
	Force   bool

	KeepSecrets bool

	Output  string
	results *report.Results
}

// NewCmdDelete creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdDelete(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "delete KIND NAME...",
		Short: "Delete objects, local stages or recordings",
		Long: `Delete servers, projects, proxymodels, prompts, stages or recordings of the home. Built-in proxymodels and stages
cannot be deleted; deleting a local one of the same name restores the built-in one. A deleted server is also removed from
the projects that contain it, and its secrets are removed from secrets.yaml if nothing else refers to them. Deleting the
file of a server changes no project of the team server, and no project at all if the team server has one of this name.

A prompt or promptrequest of a project needs --project, because another project can have one of its name. Deleting a
promptrequest rejects it.

A proxymodel or stage that is in use is only deleted with --force. The last valid version of its users then stays in
effect as far as it can run; content is withheld if a filter is missing.`,
		Example: `  mcpctl delete server files
  mcpctl delete stage/shout
  mcpctl delete promptrequest naming --project home`,
		Args: func(_ *cobra.Command, args []string) (err error) {
			opts.Kind, opts.Names, err = kinds.NamedBy(kinds.ParseDeleted, "delete", args)
			return err
		},
		ValidArgsFunction: kinds.Complete(f, "recordings"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := printer.Check(opts.Output); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return deleteRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVar(&opts.Force, "force", false, "delete a proxymodel or stage that is in use")
	cmd.Flags().BoolVar(&opts.KeepSecrets, "keep-secrets", false, "keep the secrets of a deleted server in secrets.yaml")
	cmd.Flags().StringVarP(&opts.Project, "project", "p", "", "project of a prompt or promptrequest")
	printer.AddFlag(cmd, f.Env, &opts.Output)
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // fails only for an unknown flag
	return cmd
}

func deleteRun(ctx context.Context, opts *Options) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	opts.results = &report.Results{IO: opts.F.IO, Format: opts.Output}
	if opts.Kind == kinds.Recording {
		return opts.results.Finish(deleteRecordings(ctx, opts, s))
	}
	return opts.results.Finish(deleteObjects(ctx, opts, s))
}

func deleteObjects(ctx context.Context, opts *Options, s api.Service) error {
	if err := checkProject(ctx, opts, s); err != nil {
		return err
	}
	for _, name := range opts.Names {
		bonds, isTeam := bondsOf(ctx, opts, s, name)
		secrets := secretsOf(ctx, opts, s, name)
		if err := checkProjects(ctx, opts, s, name, isTeam, bonds.UsedBy); err != nil {
			return err
		}
		err := s.Delete(ctx, opts.Kind, opts.Project, name, false)
		if opts.Force && errors.Is(err, abi.ErrConflict) {
			fmt.Fprintf(opts.F.IO.ErrOut, "warning: %s\n", iostreams.Line(problem.From(err).Message))
			err, bonds.UsedBy = s.Delete(ctx, opts.Kind, opts.Project, name, true), nil
		}
		if err != nil {
			return err
		}
		opts.results.Add(api.Applied{Kind: opts.Kind, Name: name, Project: opts.Project, Action: "deleted"})
		if opts.Kind == "server" {
			projects := bonds.UsedBy
			if !isTeam {
				if projects, err = releasedBy(ctx, opts, s, name, projects); err != nil {
					return err
				}
			}
			if err := releaseServer(ctx, opts, s, name, projects, secrets); err != nil {
				return err
			}
			continue
		}
		if len(bonds.UsedBy) > 0 {
			fmt.Fprintf(opts.F.IO.ErrOut, "warning: %s %q is still used by project %s\n", opts.Kind, name, strings.Join(bonds.UsedBy, ", "))
		}
		if opts.Kind == "project" {
			warnConnected(opts, name)
		}
		if n := len(bonds.Prompts); n > 0 {
			fmt.Fprintf(opts.F.IO.ErrOut, "its prompts (%d) are kept in prompts/%s/ for a new project of this name\n", n, name)
		}
	}
	return nil
}

// deleteRecordings deletes recordings. A session that is recorded now is not recorded further.
func deleteRecordings(ctx context.Context, opts *Options, s api.Service) error {
	for _, name := range opts.Names {
		if err := s.Recordings().Delete(ctx, name); err != nil {
			return err
		}
		opts.results.Add(api.Applied{Kind: opts.Kind, Name: name, Action: "deleted"})
	}
	return nil
}

// warnConnected lists the clients that are connected to a deleted project.
func warnConnected(opts *Options, project string) {
	list, err := connect.Connected(opts.F, project)
	if err != nil {
		return // the project is deleted anyway
	}
	for _, c := range list {
		fmt.Fprintf(opts.F.IO.ErrOut, "warning: %s is connected to project %q: mcpctl disconnect %s -p %s\n", c.Title, project, c.Name, problem.Arg(project))
	}
}

// bonds contains the relations of an object to others.
type bonds struct {
	UsedBy  []string   `json:"usedBy"`  // projects that use it
	Prompts []struct{} `json:"prompts"` // of a project
}

// bondsOf returns the relations of an object, and whether it is on the team server. It returns
// none if they cannot be read, because Delete then reports the error.
func bondsOf(ctx context.Context, opts *Options, s api.Service, name string) (b bonds, isTeam bool) {
	if opts.Kind == "stage" {
		return b, false
	}
	o, err := s.Object(ctx, opts.Kind, opts.Project, name)
	if err != nil || json.Unmarshal(o.Details, &b) != nil {
		return bonds{}, false
	}
	return b, o.Source == api.SourceTeam
}
