// Package cmdline contains code for the commands of all programs: strict command trees, and the
// check of files that a command writes.
package cmdline

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Strict makes all commands below root return a problem.Problem for an invalid command
// line. Without it, cobra prints help and succeeds for an unknown command of a group.
func Strict(root *cobra.Command) {
	root.SetFlagErrorFunc(flagError)
	groups(root)
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Run, c.RunE = nil, help
		}
	}
}

// flagError returns the error for a flag that cmd does not have, or an invalid value. After the
// name of an unknown command it is the error for that name.
func flagError(cmd *cobra.Command, err error) error {
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
		if unknown := cmd.ValidateArgs(words); unknown != nil {
			return unknown
		}
	}
	var missing *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	p := problem.Usagef("%v", err)
	switch {
	case errors.As(err, &missing):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := suggest.Nearest(missing.GetSpecifiedName(), names); near != "" {
			p.Cause = "did you mean --" + near + "?"
		}
	case errors.As(err, &invalid):
		p = problem.Usagef("--%s is %q, want a value of type %s", invalid.GetFlag().Name, invalid.GetValue(), invalid.GetFlag().Value.Type())
	}
	return p.WithHint("%s --help", cmd.CommandPath())
}

// help prints the help of the command that args name. Unlike cobra's help, it returns an
// error for an unknown command.
func help(cmd *cobra.Command, args []string) error {
	named, rest, err := cmd.Root().Find(args)
	if err != nil && len(rest) == 0 {
		rest = args
	}
	if len(rest) > 0 {
		return unknown(named, rest[0])
	}
	return named.Help()
}

// CheckHelp returns an error if args are the flag --help of an unknown command. Without it, cobra
// prints the help of the group and succeeds. root must be Strict.
func CheckHelp(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return nil
	}
	cmd, rest, err := root.Find(args)
	if err != nil || !cmd.HasSubCommands() {
		return nil // Execute reports the error
	}
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(rest); err != nil {
		return nil // so does it here
	}
	asked, err := cmd.Flags().GetBool("help")
	if words := cmd.Flags().Args(); err == nil && asked && len(words) > 0 {
		return cmd.ValidateArgs(words)
	}
	return nil
}

func groups(c *cobra.Command) {
	for _, sub := range c.Commands() {
		groups(sub)
	}
	if !c.HasSubCommands() || c.Runnable() {
		return
	}
	c.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknown(cmd, args[0])
	}
	c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

// maxNamed is the number of commands that an error lists. The help lists more.
const maxNamed = 15

func unknown(group *cobra.Command, word string) error {
	var names []string
	for _, c := range group.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if len(names) == 0 {
		return problem.Usagef("%q has no commands, got %q", group.CommandPath(), word).WithHint("%s --help", group.CommandPath())
	}
	p := problem.Usagef("unknown command %q for %q", word, group.CommandPath())
	p.Cause = "commands are " + strings.Join(names, ", ")
	if len(names) > maxNamed {
		p.Cause = "no command has a similar name"
	}
	if near := suggest.Nearest(word, names); near != "" {
		p.Cause = "did you mean " + near + "?"
	}
	if meant := suggestedFor(group.Root(), group.Name()+" "+word); len(meant) > 0 {
		p.Cause = "did you mean " + strings.Join(meant, " or ") + "?"
		if len(meant) == 1 {
			return p.WithHint("%s --help", meant[0])
		}
	}
	return p.WithHint("%s --help", group.CommandPath())
}

// suggestedFor returns the paths of the commands below c whose SuggestFor contains words.
func suggestedFor(c *cobra.Command, words string) (paths []string) {
	for _, sub := range c.Commands() {
		if slices.Contains(sub.SuggestFor, words) {
			paths = append(paths, sub.CommandPath())
		}
		paths = append(paths, suggestedFor(sub, words)...)
	}
	return paths
}
