// Package token implements `mcpctl token create|list|revoke`: API tokens of the team server.
package token

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// Options are the arguments and flags.
type Options struct {
	F       *factory.Factory
	Name    string
	ID      string
	Account string
	TTL     time.Duration
	Output  string
	Now     func() time.Time
}

// NewCmdToken creates the command group.
func NewCmdToken(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Create, list and revoke API tokens of the team server",
		Long: `API tokens of the team server, for programs that cannot log in with a password. A token has the rights of its owner: a
user, or a service account.`,
		Example: `  mcpctl token create ci --service-account ci
  mcpctl token list`,
	}
	cmd.AddCommand(newCreate(f), newList(f), newRevoke(f))
	return cmd
}

func newCreate(f *factory.Factory) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Create an API token and print it once",
		Long: `Create an API token of yourself, or of a service account, and print it on stdout. It is shown once: the team server
stores only its hash. NAME is how you recognise the token in "mcpctl token list"; tokens of one owner have different
names. -o json and -o yaml contain the token in the field "token"; the other formats print it alone.`,
		Example: `  mcpctl token create laptop -o json
  mcpctl token create ci --service-account ci --ttl 720h`,
		Args:              factory.OneArg("NAME", &opts.Name),
		ValidArgsFunction: cobra.NoFileCompletions, // a new name
		RunE:              func(cmd *cobra.Command, _ []string) error { return createRun(cmd.Context(), opts) },
	}
	printer.AddFlag(cmd, f.Env, &opts.Output)
	cmd.Flags().StringVar(&opts.Account, "service-account", "", "service account that owns the token; needs administrator rights")
	cmd.Flags().DurationVar(&opts.TTL, "ttl", 90*24*time.Hour, "time until the token expires, at most 8784h (a year)")
	_ = cmd.RegisterFlagCompletionFunc("service-account", f.Names("serviceaccount"))                                                                 // fails only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("ttl", cobra.FixedCompletions([]string{"24h", "720h", "2160h", "8784h"}, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	return cmd
}

func createRun(ctx context.Context, opts *Options) error {
	if err := printer.Check(opts.Output); err != nil {
		return err
	}
	var t api.Token
	in := api.TokenRequest{Name: opts.Name, ServiceAccount: opts.Account, TTL: opts.TTL.String()}
	err := opts.F.CallTeam(ctx, http.MethodPost, "/tokens", nil, in, &t)
	if errors.Is(err, abi.ErrConflict) { // the name is in use
		return problem.From(err).WithHint("mcpctl token list")
	}
	if err != nil {
		return err
	}
	switch opts.Output {
	case "json":
		return printer.JSON(opts.F.IO.Out, t)
	case "yaml":
		return printer.YAML(opts.F.IO.Out, t)
	}
	fmt.Fprintln(opts.F.IO.Out, iostreams.Line(string(t.Token)))
	fmt.Fprintf(opts.F.IO.ErrOut, "token %s of %s, expires %s; it is not shown again\n", iostreams.Line(t.ID), iostreams.Line(owner(t)), t.Expires.Format(time.DateOnly))
	return nil
}

func owner(t api.Token) string {
	if t.ServiceAccount != "" {
		return "serviceaccount/" + t.ServiceAccount
	}
	return "user/" + t.User
}

func newList(f *factory.Factory) *cobra.Command {
	opts := &Options{F: f, Now: time.Now}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List your logins and API tokens",
		Long:  "List your logins and API tokens. Administrators see those of all users and service accounts.",
		Example: `  mcpctl token list
  mcpctl token list -o json`,
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
	var tokens []api.Token
	if err := opts.F.CallTeam(ctx, http.MethodGet, "/tokens", nil, nil, &tokens); err != nil {
		return err
	}
	l := printer.Listing{Value: tokens, Table: func(bool) *iostreams.Table { return table(tokens, opts.Now()) }}
	for _, t := range tokens {
		l.Names = append(l.Names, "token/"+t.ID)
	}
	return printer.Print(opts.F.IO, opts.Output, l)
}

func table(tokens []api.Token, now time.Time) *iostreams.Table {
	t := iostreams.NewTable("ID", "NAME", "OWNER", "CREATED", "USED", "EXPIRES IN")
	for _, one := range tokens {
		t.Row(one.ID, one.Name, owner(one), printer.Age(now.Sub(one.Created)), lastUse(one, now), printer.Age(one.Expires.Sub(now)))
	}
	return t
}

// lastUse returns how long ago a token was used.
func lastUse(t api.Token, now time.Time) string {
	if t.LastUsed.IsZero() {
		return "never"
	}
	return printer.Age(now.Sub(t.LastUsed))
}

func newRevoke(f *factory.Factory) *cobra.Command {
	opts := &Options{F: f}
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke an API token or a login",
		Long: `Revoke an API token or a login of yours; administrators revoke those of others too. Its next request is refused, and its
open streams end.`,
		Example: `  mcpctl token revoke 0b6dd4e2-6c5e-4f0e-9d2f-0f6f0a4d1c55
  mcpctl token list -o name`,
		Args:              factory.OneArg("ID", &opts.ID),
		ValidArgsFunction: completeIDs(f),
		RunE:              func(cmd *cobra.Command, _ []string) error { return revokeRun(cmd.Context(), opts) },
	}
}

// completeIDs completes the ids of tokens.
func completeIDs(f *factory.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var tokens []api.Token
		if err := f.CallTeam(cmd.Context(), http.MethodGet, "/tokens", nil, nil, &tokens); err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var ids []string
		for _, t := range tokens {
			ids = append(ids, t.ID+"\t"+owner(t)+" "+t.Name)
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}

func revokeRun(ctx context.Context, opts *Options) error {
	if err := opts.F.CallTeam(ctx, http.MethodDelete, "/tokens/"+url.PathEscape(opts.ID), nil, nil, nil); err != nil {
		return err
	}
	fmt.Fprintf(opts.F.IO.Out, "token/%s revoked\n", opts.ID)
	return nil
}
