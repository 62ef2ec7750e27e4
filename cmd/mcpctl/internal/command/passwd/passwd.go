// Package passwd implements `mcpctl passwd`: passwords of the team server.
package passwd

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// Options are the arguments and flags.
type Options struct {
	F    *factory.Factory
	User string // "" is the user who is logged in
}

// NewCmdPasswd creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdPasswd(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "passwd [USER]",
		Short: "Set a password of the team server",
		Long: `Set your password of the team server, or as an administrator that of another user. Passwords are asked for without echo;
from a pipe, your present password is the first line and the new one the second, or the new one of USER is the only line.
All logins of the user end. A password has at least 12 characters.`,
		Example: `  mcpctl passwd
  mcpctl passwd bob < password.txt`,
		Args:              factory.OptionalArg("USER", &opts.User, ""),
		ValidArgsFunction: f.Names("user"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return passwdRun(cmd.Context(), opts)
		},
	}
	return cmd
}

func passwdRun(ctx context.Context, opts *Options) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	who, err := s.Team().Whoami(ctx)
	if err != nil {
		return err
	}
	in := api.PasswordChange{User: opts.User}
	own := opts.User == "" || opts.User == who.Name
	if own {
		in.User = who.Name
	}
	if in.Old, in.New, err = readPasswords(opts.F, own); err != nil {
		return err
	}
	if err := s.Team().Call(ctx, http.MethodPost, "/auth/password", nil, in, nil); err != nil {
		return err
	}
	fmt.Fprintf(opts.F.IO.Out, "user/%s: password set\n", in.User)
	if own {
		fmt.Fprintf(opts.F.IO.ErrOut, "next: mcpctl login %s --user %s\n", problem.Arg(who.URL), problem.Arg(who.Name))
	}
	return nil
}

// readPasswords reads the present password, if it is needed, and the new one.
func readPasswords(f *factory.Factory, own bool) (old, text api.Credential, err error) {
	if !f.IO.InTerminal {
		read, err := f.IO.ReadSecret()
		lines := strings.Split(strings.TrimSuffix(string(read), "\n"), "\n")
		switch {
		case err != nil:
			return "", "", err
		case own && len(lines) == 2:
			return clean(lines[0]), clean(lines[1]), nil
		case !own && len(lines) == 1 && lines[0] != "":
			return "", clean(lines[0]), nil
		case own:
			return "", "", problem.Usagef("stdin has %s, want your present password and the new one", printer.Plural(len(lines), "line"))
		}
		return "", "", problem.Usagef("stdin has %s, want the new password", printer.Plural(len(lines), "line"))
	}
	if own {
		if old, err = ask(f, "present password: "); err != nil {
			return "", "", err
		}
	}
	if text, err = ask(f, "new password: "); err != nil {
		return "", "", err
	}
	again, err := ask(f, "new password again: ")
	if err == nil && again != text {
		err = problem.Usagef("the two new passwords differ")
	}
	return old, text, err
}

func ask(f *factory.Factory, prompt string) (api.Credential, error) {
	fmt.Fprint(f.IO.ErrOut, prompt)
	b, err := f.IO.ReadSecret()
	return clean(string(b)), err
}

func clean(line string) api.Credential { return api.Credential(strings.TrimRight(line, "\r\n")) }
