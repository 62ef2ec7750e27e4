// Package auth implements `mcpctl auth`, which shows the rights of the user at the team server.
package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// verbs are the verbs of rights.
var verbs = []string{"view", "edit", "create", "delete", "run", "cache", "operate", "admin"}

// NewCmdAuth creates the command.
func NewCmdAuth(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "auth",
		Short: "Show your rights at the team server",
		Long:  `Show what the user that is logged in may do at the team server, which decides about each call.`,
		Example: `  mcpctl auth can-i edit prompt --project web
  mcpctl auth can-i --list --project web`,
	}
	cmd.AddCommand(NewCmdCanI(f, nil))
	return cmd
}

// Options contains the arguments and flags of can-i.
type Options struct {
	F      *factory.Factory
	Query  api.CanI
	List   bool
	Output string
}

// NewCmdCanI creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdCanI(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "can-i (VERB KIND [NAME] | --list)",
		Short: "Report whether you may do something at the team server",
		Long: `Report whether the user that is logged in may do VERB with an object of KIND, or with all objects of the kind if NAME is
omitted, and which bindings allow it. VERB is view, edit, create, delete, run, cache, operate or admin. The exit status is
0 for yes and 4 for no.

--list shows the bindings that give you rights, also by your groups: verbs, kinds, names and projects. "*" matches
everything. With --project it leaves out those that match nothing in that project.`,
		Example: `  mcpctl auth can-i edit prompt rules --project web
  mcpctl auth can-i --list -o json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if opts.List {
				return factory.ExactArgs()(cmd, args)
			}
			if len(args) < 2 || len(args) > 3 {
				return problem.Usagef("can-i takes VERB KIND [NAME], got %s", printer.Plural(len(args), "argument"))
			}
			verb := strings.ToLower(args[0])
			if !slices.Contains(verbs, verb) {
				return problem.Usagef("unknown verb %q%s, want one of %s", args[0], suggest.DidYouMean(verb, verbs), strings.Join(verbs, ", "))
			}
			opts.Query.Verb, opts.Query.Kind = verb, kindOf(args[1])
			if len(args) == 3 {
				opts.Query.Name = args[2]
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return verbs, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := printer.Check(opts.Output); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			if opts.List {
				return listRun(cmd.Context(), opts)
			}
			return canIRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVar(&opts.List, "list", false, "list the bindings that give you rights")
	cmd.Flags().StringVarP(&opts.Query.Project, "project", "p", "", "project of the object")
	printer.AddFlag(cmd, f.Env, &opts.Output)
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // fails only for an unknown flag
	return cmd
}

// kindOf returns the kind for a word of the command line. Kinds that only the team server has are
// passed on.
func kindOf(word string) string {
	if k, ok := object.ParseKind(word); ok {
		return strings.ToLower(string(k))
	}
	return strings.TrimSuffix(strings.ToLower(word), "s")
}

func canIRun(ctx context.Context, opts *Options) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	answer, err := s.Team().CanI(ctx, opts.Query)
	if err != nil {
		return err
	}
	switch opts.Output {
	case "json":
		err = printer.JSON(opts.F.IO.Out, answer)
	case "yaml":
		err = printer.YAML(opts.F.IO.Out, answer)
	default:
		if answer.Allowed {
			fmt.Fprintln(opts.F.IO.Out, iostreams.Line("yes"+by(answer.By)))
		}
	}
	if err == nil && !answer.Allowed {
		err = problem.New(abi.ErrDenied, "no binding allows %s of %s", opts.Query.Verb, strings.TrimSpace(opts.Query.Kind+" "+opts.Query.Name))
	}
	return err
}

func by(bindings []string) string {
	if len(bindings) == 0 {
		return ""
	}
	return ", by " + strings.Join(bindings, ", ")
}
