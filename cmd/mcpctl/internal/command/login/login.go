// Package login implements `mcpctl login`, `mcpctl logout` and `mcpctl whoami`: the user's login to
// the team server.
package login

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/secret"
)

// Options contains the arguments and flags of login.
type Options struct {
	F          *factory.Factory
	URL        string
	User       string
	TokenStdin bool
	OIDC       bool
	Output     string
}

// NewCmdLogin creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdLogin(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "login [URL]",
		Short: "Log in to a team server and follow its projects",
		Long: `Log in to mcpd, the team server at URL, or at the setting mcpd-url. A running daemon then uses the servers, projects and
prompts that you may view there beside those of your files, follows their changes, and calls servers of the team through
mcpd, which has their credentials.

The password is asked without echo on a terminal, and otherwise read from standard input. --token-stdin reads an API
token in its place. --oidc logs in by the OpenID Connect issuer of the team server: it prints an address and a code, which
you confirm in any browser.

The token is written to secrets.yaml (mode 0600) and is sent only to this address, over TLS; plain HTTP is accepted for
this machine alone. The certificates of a team can be trusted with the setting mcpd-ca.`,
		Example: `  mcpctl login https://team.example:3100 --user anna
  mcpctl login https://team.example:3100 --token-stdin < token.txt
  mcpctl login https://team.example:3100 --oidc`,
		Args: factory.OptionalArg("URL", &opts.URL, ""),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			settings, err := f.Settings()
			if u := settings.Get("mcpd-url"); err == nil && u != "" && len(args) == 0 {
				return []string{u}, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := printer.Check(opts.Output); err != nil {
				return err
			}
			if opts.TokenStdin && opts.User != "" {
				return problem.Usagef("--user is for a password, a token has an owner already")
			}
			if opts.OIDC && (opts.TokenStdin || opts.User != "") {
				return problem.Usagef("--oidc takes neither --user nor --token-stdin, because the issuer identifies the user").WithHint("mcpctl login URL --oidc")
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return loginRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVarP(&opts.User, "user", "u", "", "user name (default $USER)")
	cmd.Flags().BoolVar(&opts.TokenStdin, "token-stdin", false, "read an API token from standard input")
	cmd.Flags().BoolVar(&opts.OIDC, "oidc", false, "log in by the OpenID Connect issuer of the team server, in any browser")
	printer.AddFlag(cmd, f.Env, &opts.Output)
	_ = cmd.RegisterFlagCompletionFunc("user", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{f.Env("USER")}, cobra.ShellCompDirectiveNoFileComp
	}) // fails only for an unknown flag
	return cmd
}

func loginRun(ctx context.Context, opts *Options) error {
	if opts.OIDC {
		return deviceRun(ctx, opts)
	}
	if opts.F.IO.InTerminal { // checks the address before the user types a password
		if err := opts.F.CheckTeam(ctx, opts.URL); err != nil {
			return err
		}
	}
	in, err := opts.credentials()
	if err != nil {
		return err
	}
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	session, err := s.Team().Login(ctx, in)
	if err != nil {
		return err
	}
	return printSession(opts.F.IO, opts.Output, session)
}

// credentials reads the password or the token.
func (opts *Options) credentials() (api.TeamLogin, error) {
	in := api.TeamLogin{URL: opts.URL}
	what := "token"
	if !opts.TokenStdin {
		in.User, what = opts.User, "password"
		if in.User == "" {
			in.User = opts.F.Env("USER")
		}
		if in.User == "" {
			return in, problem.Usagef("the user is unknown, because USER is not set").WithHint("mcpctl login URL --user NAME")
		}
	}
	if opts.F.IO.InTerminal {
		prompt := what
		if in.User != "" {
			prompt += " of " + in.User
		}
		fmt.Fprintf(opts.F.IO.ErrOut, "%s (not shown): ", iostreams.Line(prompt))
	}
	read, err := opts.F.IO.ReadSecret()
	if err != nil {
		return in, err
	}
	value, err := secret.ParseValue(read)
	if err != nil {
		return in, problem.Usagef("%s: %v", what, err).WithHint("mcpctl login --help")
	}
	if opts.TokenStdin {
		in.Token = api.Credential(value.Reveal())
	} else {
		in.Password = api.Credential(value.Reveal())
	}
	return in, nil
}
