// Package link implements `mcpctl link list|grant|withdraw`: the prompts of other projects that
// link to resources of a project of the team server.
package link

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// Options are the arguments and flags.
type Options struct {
	F       *factory.Factory
	Project string // the one with the resources
	Prompt  string // PROJECT/NAME
	Output  string
}

// NewCmdLink creates the command group.
func NewCmdLink(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "link",
		Short: "List, grant and withdraw links to resources of a project",
		Long: `A prompt of the team server can link to a resource of a server of another project. It is pending until somebody who may
edit that project grants it. From then on everyone who may view the prompt can read this one resource.`,
		Example: `  mcpctl link list --project docs
  mcpctl link grant web/page --project docs`,
	}
	cmd.AddCommand(newList(f), newGrant(f), newWithdraw(f))
	return cmd
}

func newList(f *factory.Factory) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "list --project NAME",
		Short: "List the prompts of other projects that link to resources of a project",
		Long: `List the prompts of other projects that link to resources of a project. The status is pending or granted. You must have
the right to edit the project.`,
		Example: `  mcpctl link list --project docs
  mcpctl link list --project docs -o json`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error { return listRun(cmd.Context(), opts) },
	}
	addProject(cmd, opts)
	printer.AddFlag(cmd, f.Env, &opts.Output)
	return cmd
}

func listRun(ctx context.Context, opts *Options) error {
	if err := printer.Check(opts.Output); err != nil {
		return err
	}
	all, err := links(ctx, opts)
	if err != nil {
		return err
	}
	l := printer.Listing{Value: all, Table: func(bool) *iostreams.Table {
		t := iostreams.NewTable("PROMPT", "STATUS", "GRANTED BY", "RESOURCE")
		for _, link := range all {
			status, by := "granted", link.GrantedBy
			if link.LinkStatus == api.LinkPending { // the grant of a caller that may not grant it any more counts for nothing
				status, by = link.LinkStatus, "-"
			}
			t.Row(link.Project+"/"+link.Name, status, by, link.LinkTarget)
		}
		return t
	}}
	for _, link := range all {
		l.Names = append(l.Names, "prompt/"+link.Project+"/"+link.Name)
	}
	return printer.Print(opts.F.IO, opts.Output, l)
}

func newGrant(f *factory.Factory) *cobra.Command {
	cmd := newChange(f, true)
	cmd.Use, cmd.Short = "grant PROJECT/PROMPT --project NAME", "Let the readers of a prompt read the resource that it links to"
	cmd.Long = `Let everyone who may view a prompt of another project read the resource that it links to, and no other. The grant ends
when the link is changed, and when you lose the right to edit the project of the resource.`
	cmd.Example = `  mcpctl link grant web/page --project docs
  mcpctl link list --project docs`
	return cmd
}

func newWithdraw(f *factory.Factory) *cobra.Command {
	cmd := newChange(f, false)
	cmd.Use, cmd.Short = "withdraw PROJECT/PROMPT --project NAME", "Withdraw the grant of a link"
	cmd.Long = "Withdraw the grant of a link. It is pending afterwards. Texts that sessions have read stay with them."
	cmd.Example = `  mcpctl link withdraw web/page --project docs
  mcpctl link list --project docs`
	return cmd
}

// newChange returns a command that grants or withdraws a link.
func newChange(f *factory.Factory, granted bool) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:  "change PROJECT/PROMPT", // replaced; a use is needed for the argument's error
		Args: factory.OneArg("PROJECT/PROMPT", &opts.Prompt),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (out []string, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				all, _ := links(cmd.Context(), opts) // without the right to list them there is nothing to complete
				for _, link := range all {
					out = append(out, link.Project+"/"+link.Name)
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return changeRun(cmd.Context(), opts, granted) },
	}
	addProject(cmd, opts)
	return cmd
}

func changeRun(ctx context.Context, opts *Options, granted bool) error {
	project, name, ok := strings.Cut(opts.Prompt, "/")
	if !ok {
		return problem.Usagef("%q is no PROJECT/PROMPT, such as web/page", opts.Prompt).WithHint("mcpctl link list --project %s", problem.Arg(opts.Project))
	}
	if err := call(ctx, opts, http.MethodPut, api.LinkGrant{Project: project, Name: name, Granted: granted}, nil); err != nil {
		return err
	}
	done := "withdrawn"
	if granted {
		done = "granted"
	}
	fmt.Fprintf(opts.F.IO.Out, "link of prompt/%s to project %s %s\n", iostreams.Line(opts.Prompt), iostreams.Line(opts.Project), done)
	return nil
}

func links(ctx context.Context, opts *Options) (all []api.TeamLink, err error) {
	return all, call(ctx, opts, http.MethodGet, nil, &all)
}

// call calls the route of the links to a project.
func call(ctx context.Context, opts *Options, method string, in, out any) error {
	if opts.Project == "" {
		return problem.Usagef("--project is missing: the project whose resources are linked to").WithHint("mcpctl get projects")
	}
	return opts.F.CallTeam(ctx, method, "/projects/"+url.PathEscape(opts.Project)+"/links", nil, in, out)
}

func addProject(cmd *cobra.Command, opts *Options) {
	cmd.Flags().StringVar(&opts.Project, "project", "", "project that has the resources")
	_ = cmd.RegisterFlagCompletionFunc("project", opts.F.Names("project")) // fails only for an unknown flag
}
