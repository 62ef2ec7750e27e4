// Package identity implements `mcpctl identity list|bind|delete`: the users of an OpenID Connect
// issuer and the users of the team server that they log in as.
package identity

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// path is the path of identities in the API of mcpd.
const path = "/identities"

// Options are the arguments and flags.
type Options struct {
	F       *factory.Factory
	User    string
	Issuer  string
	Subject string
	Output  string
}

// NewCmdIdentity creates the command group.
func NewCmdIdentity(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "identity",
		Short: "List, bind and delete identities of an OpenID Connect issuer",
		Long: `An identity is a person at the OpenID Connect issuer of the team server: an issuer and a subject. It logs in as one user
of the team server. Only administrators can list and change identities.`,
		Example: `  mcpctl identity list
  mcpctl identity bind anna --issuer https://login.example --subject 00u1`,
	}
	cmd.AddCommand(newList(f), newBind(f), newDelete(f))
	return cmd
}

func newList(f *factory.Factory) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the identities that have logged in or were bound",
		Long: `List the identities that have logged in or were bound, and their users. One without a user belonged to a user that was
deleted: it cannot log in. A login that was refused because its name is in use creates none; the audit log has its issuer
and subject.`,
		Example: `  mcpctl identity list -o wide
  mcpctl audit list -o json`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error { return listRun(cmd.Context(), opts) },
	}
	printer.AddFlag(cmd, f.Env, &opts.Output)
	return cmd
}

func listRun(ctx context.Context, opts *Options) error {
	if err := printer.Check(opts.Output); err != nil {
		return err
	}
	all, err := identities(ctx, opts.F)
	if err != nil {
		return err
	}
	l := printer.Listing{Value: all, Table: func(wide bool) *iostreams.Table { return table(all, wide) }}
	for _, id := range all {
		l.Names = append(l.Names, "identity/"+id.Issuer+" "+id.Subject)
	}
	return printer.Print(opts.F.IO, opts.Output, l)
}

func identities(ctx context.Context, f *factory.Factory) (all []api.Identity, err error) {
	return all, f.CallTeam(ctx, http.MethodGet, path, nil, nil, &all)
}

func table(all []api.Identity, wide bool) *iostreams.Table {
	header := []string{"USER", "ISSUER", "SUBJECT"}
	if wide {
		header = append(header, "GROUPS")
	}
	t := iostreams.NewTable(header...)
	for _, id := range all {
		row := []string{id.User, id.Issuer, id.Subject}
		if id.User == "" {
			row[0] = "-"
		}
		if wide {
			row = append(row, strings.Join(id.Groups, ","))
		}
		t.Row(row...)
	}
	return t
}

func newBind(f *factory.Factory) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "bind USER --issuer URL --subject ID",
		Short: "Make an identity log in as a user that exists",
		Long: `Make an identity log in as a user that exists. This is needed if the first login of a person was refused, because the name
that the issuer proposes is in use. The audit log has the issuer and the subject of the refused login.`,
		Example: `  mcpctl identity bind anna --issuer https://login.example --subject 00u1
  mcpctl audit list -o wide`,
		Args:              factory.OneArg("USER", &opts.User),
		ValidArgsFunction: f.Names("user"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			in := api.Identity{Issuer: opts.Issuer, Subject: opts.Subject, User: opts.User}
			if err := change(cmd.Context(), opts, http.MethodPut, nil, in); err != nil {
				return err
			}
			fmt.Fprintf(f.IO.Out, "user/%s bound to %s\n", iostreams.Line(opts.User), iostreams.Line(opts.Issuer+" "+opts.Subject))
			return nil
		},
	}
	addFlags(cmd, opts)
	return cmd
}

func newDelete(f *factory.Factory) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "delete --issuer URL --subject ID",
		Short: "Delete an identity whose user was deleted",
		Long: `Delete an identity whose user was deleted. Its next login is then a first login, which creates a user. An identity that
has a user cannot be deleted: disable or delete the user.`,
		Example: `  mcpctl identity delete --issuer https://login.example --subject 00u1
  mcpctl identity list`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := change(cmd.Context(), opts, http.MethodDelete, url.Values{"issuer": {opts.Issuer}, "subject": {opts.Subject}}, nil); err != nil {
				return err
			}
			fmt.Fprintf(f.IO.Out, "identity %s deleted\n", iostreams.Line(opts.Issuer+" "+opts.Subject))
			return nil
		},
	}
	addFlags(cmd, opts)
	return cmd
}

// addFlags adds the flags that select an identity. They complete those that exist.
func addFlags(cmd *cobra.Command, opts *Options) {
	cmd.Flags().StringVar(&opts.Issuer, "issuer", "", "address of the issuer, as the team server has it")
	cmd.Flags().StringVar(&opts.Subject, "subject", "", "id of the person at the issuer")
	complete := func(part func(api.Identity) string) cobra.CompletionFunc {
		return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			var values []string
			all, _ := identities(cmd.Context(), opts.F) // without the right to list them there is nothing to complete
			for _, id := range all {
				values = append(values, part(id))
			}
			slices.Sort(values)
			return slices.Compact(values), cobra.ShellCompDirectiveNoFileComp
		}
	}
	_ = cmd.RegisterFlagCompletionFunc("issuer", complete(func(id api.Identity) string { return id.Issuer })) // both fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("subject", complete(func(id api.Identity) string { return id.Subject }))
}

// change makes one call that changes an identity.
func change(ctx context.Context, opts *Options, method string, query url.Values, in any) error {
	if opts.Issuer == "" || opts.Subject == "" {
		return problem.Usagef("an identity needs --issuer and --subject").WithHint("mcpctl identity list")
	}
	return opts.F.CallTeam(ctx, method, path, query, in, nil)
}
