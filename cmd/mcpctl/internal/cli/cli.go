// Package cli assembles the mcpctl command.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/cmdline"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/diff"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// Main runs the command line and returns its exit status.
func Main(ctx context.Context, f *factory.Factory, args []string) int {
	root := NewRoot(f)
	root.SetArgs(args)
	cmd, err := root, cmdline.CheckHelp(root, args)
	if err == nil {
		cmd, err = root.ExecuteContextC(ctx)
	}
	if err == nil {
		return problem.ExitOK
	}
	if errors.Is(err, diff.ErrDifferent) { // the output shows the difference
		return problem.ExitFailed
	}
	if p := problem.From(err); p.Code == "E_USAGE" && p.Hint == "" {
		err = p.WithHint("%s --help", cmd.CommandPath())
	}
	if ctx.Err() != nil {
		err = interrupted(ctx, err)
	}
	problem.Print(f.IO.ErrOut, err, wantsJSON(f, args))
	return problem.Exit(err)
}

// interrupted returns the error for a command that was ended by a signal. The error of the
// interrupted
// work becomes its cause.
func interrupted(ctx context.Context, err error) error {
	p := &problem.Problem{Code: "E_FAILED", Message: context.Cause(ctx).Error(), Hint: "mcpctl status"}
	if !errors.Is(err, context.Cause(ctx)) && !errors.Is(err, context.Canceled) {
		cause := problem.From(err)
		p.Cause, p.Hint = cause.Error(), cmp.Or(cause.Hint, p.Hint)
	}
	return p
}

// wantsJSON reports whether errors are printed as JSON because of -o json.
func wantsJSON(f *factory.Factory, args []string) bool {
	for i, a := range args {
		switch {
		case a == "-ojson", a == "--output=json", a == "-o=json":
			return true
		case (a == "-o" || a == "--output") && i+1 < len(args):
			return args[i+1] == "json"
		}
	}
	return f.Env("MCPCTL_OUTPUT") == "json"
}

func exitCodes() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "Exit status of every command",
		Long: fmt.Sprintf(`Exit status of every command:

  %d  ok
  %d  failed; diff found a difference
  %d  usage: the command line is invalid
  %d  not found
  %d  denied
  %d  conflict: the name, port or home is in use
  %d  unreachable: the daemon or a server does not answer
  %d  validation or a test failed
`, problem.ExitOK, problem.ExitFailed, problem.ExitUsage, problem.ExitNotFound, problem.ExitDenied, problem.ExitConflict,
			problem.ExitUnreachable, problem.ExitInvalid),
	}
}
