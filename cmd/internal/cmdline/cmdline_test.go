package cmdline

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

func TestInvalidCommandLines(t *testing.T) {
	for _, c := range []struct {
		rule              string
		args              []string
		text, cause, hint string
	}{
		{"misspelt flag", []string{"get", "--projct", "x"}, "unknown flag: --projct", "did you mean --project?", "mcpctl get --help"},
		{"flag similar to none", []string{"get", "--zzzzzz"}, "unknown flag: --zzzzzz", "", "mcpctl get --help"},
		{"unknown shorthand", []string{"get", "-z"}, "unknown shorthand flag: 'z' in -z", "", "mcpctl get --help"},
		{"invalid value", []string{"get", "--depth", "x"}, `--depth is "x", want a value of type int`, "", "mcpctl get --help"},
		{"flag without its value", []string{"get", "--project"}, "flag needs an argument: --project", "", "mcpctl get --help"},
		{"misspelt command", []string{"gett"}, `unknown command "gett" for "mcpctl"`, "did you mean get?", "mcpctl --help"},
		{"help of an unknown command", []string{"help", "gett"}, `unknown command "gett" for "mcpctl"`, "did you mean get?", "mcpctl --help"},
	} {
		root := &cobra.Command{Use: "mcpctl", SilenceErrors: true, SilenceUsage: true}
		get := &cobra.Command{Use: "get", RunE: func(*cobra.Command, []string) error { return nil }}
		get.Flags().String("project", "", "")
		get.Flags().Int("depth", 0, "")
		root.AddCommand(get)
		Strict(root)
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		root.SetArgs(c.args)
		err := root.Execute()
		var p *problem.Problem
		if !errors.As(err, &p) || !strings.HasPrefix(p.Error(), c.text) || p.Cause != c.cause || p.Hint != c.hint {
			t.Errorf("%s: %+v, want %q, %q, %q", c.rule, err, c.text, c.cause, c.hint)
		}
	}
}

func TestCheckHelp(t *testing.T) {
	for _, c := range []struct {
		rule string
		args []string
		text string
	}{
		{"unknown command", []string{"gett", "--help"}, `unknown command "gett" for "mcpctl"`},
		{"short flag first", []string{"-h", "gett"}, `unknown command "gett" for "mcpctl"`},
		{"unknown command of a group", []string{"token", "crate", "--help"}, `unknown command "crate" for "mcpctl token"`},
		{"after a flag with a value", []string{"--color", "never", "gett", "-h"}, `unknown command "gett" for "mcpctl"`},
		{"root", []string{"--help"}, ""},
		{"nothing", nil, ""},
		{"known command", []string{"get", "--help"}, ""},
		{"arguments of a command", []string{"get", "servers", "--help"}, ""},
		{"known command of a group", []string{"token", "create", "--help"}, ""},
		{"without the flag, which Execute reports", []string{"gett"}, ""},
		{"completion", []string{"__complete", "gett", "--help"}, ""},
	} {
		root := &cobra.Command{Use: "mcpctl"}
		root.PersistentFlags().String("color", "auto", "")
		run := func(*cobra.Command, []string) error { return nil }
		token := &cobra.Command{Use: "token"}
		token.AddCommand(&cobra.Command{Use: "create", RunE: run})
		root.AddCommand(&cobra.Command{Use: "get", RunE: run}, token)
		Strict(root)
		got := ""
		if err := CheckHelp(root, c.args); err != nil {
			got = problem.From(err).Message
		}
		if got != c.text {
			t.Errorf("%s: %q, want %q", c.rule, got, c.text)
		}
	}
}
