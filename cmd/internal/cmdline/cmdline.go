// Package cmdline configures the command trees that mcpctl and mcplocal share.
package cmdline

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Strict makes all commands below root return a problem.Problem for an invalid command
// line. Without it, cobra prints help and succeeds for an unknown command of a group.
func Strict(root *cobra.Command) {
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return problem.Usagef("%v", err).WithHint("%s --help", cmd.CommandPath())
	})
	groups(root)
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Run, c.RunE = nil, help
		}
	}
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
	if near := suggest.Nearest(word, names); near != "" {
		p.Cause = "did you mean " + near + "?"
	}
	return p.WithHint("%s --help", group.CommandPath())
}
