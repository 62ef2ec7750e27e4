package config

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/secret"
)

func newSetSecret(f *factory.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "set-secret NAME",
		Short: "Set a value that files refer to as ${NAME}",
		Long: `Write a value to the home's secrets.yaml (mode 0600), which is used for ${NAME} in servers and LLM providers. The value
is read from standard input, so that it appears in no process list and no shell history; a terminal does not show it. A
running daemon uses it immediately, for servers that start from now on.`,
		Example: `  mcpctl config set-secret GITHUB_TOKEN
  pass show github | mcpctl config set-secret GITHUB_TOKEN`,
		Args: factory.ExactArgs("NAME"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			home, err := f.Home()
			if err != nil || len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return host.ReferredVariables(homedir.Dir(home)), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name := args[0]
			if _, err := secret.Set(nil, secret.Entry{Name: name}); err != nil { // check the name before prompting
				return problem.From(err).WithHint("mcpctl config set-secret NAME")
			}
			value, err := readValue(f, name)
			if err != nil {
				return err
			}
			home, err := f.Home()
			if err != nil {
				return err
			}
			if err := saveSecret(home, name, value); err != nil {
				return err
			}
			fmt.Fprintf(f.IO.Out, "secret %s set\n", name)
			if f.Env(name) != "" {
				fmt.Fprintf(f.IO.ErrOut, "warning: %s is also set in this environment, and a daemon started from here uses that value\n", name)
			}
			client, err := f.Daemon()
			if err == nil && client.Running(cmd.Context()) {
				return client.Reload(cmd.Context())
			}
			return err
		},
	}
}

func readValue(f *factory.Factory, name string) (secret.Value, error) {
	if f.IO.InTerminal {
		fmt.Fprintf(f.IO.ErrOut, "value of %s (not shown): ", name)
	}
	read, err := f.IO.ReadSecret()
	if err != nil {
		return secret.Value{}, err
	}
	value, err := secret.ParseValue(read)
	if err != nil {
		return value, problem.Usagef("secret %s: %v", name, err).WithHint("mcpctl config set-secret %s < FILE", name)
	}
	return value, nil
}

// saveSecret writes one value to secrets.yaml of a home.
//
// Errors: those of vault.Edit; abi.ErrConfig if the file cannot be edited line by line.
func saveSecret(home, name string, value secret.Value) error {
	return vault.Edit(home, func(text []byte, _ secret.Lookup) ([]byte, error) {
		return secret.Set(text, secret.Entry{Name: name, Value: value})
	})
}
