package factory

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/lab"
)

// AddRoleFlags adds --role and --config to commands that accept a stage or a module file. Both
// flags
// are completed from the manifest.
func (f *Factory) AddRoleFlags(cmd *cobra.Command, role *string, config *[]string) {
	cmd.Flags().StringVar(role, "role", "", "role to use, for a module with several roles")
	cmd.Flags().StringArrayVarP(config, "config", "c", nil, "key=value of the stage's config (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("role", func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) { // both fail only for an unknown flag
		var names []string
		for _, r := range f.roles(cmd.Context(), args) {
			names = append(names, cobra.CompletionWithDesc(r.Name, r.Summary))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
	_ = cmd.RegisterFlagCompletionFunc("config", func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var keys []string
		for _, r := range f.roles(cmd.Context(), args) {
			for _, c := range r.Config {
				keys = append(keys, cobra.CompletionWithDesc(c.Name+"=", c.Help))
			}
		}
		return keys, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// roles returns the roles of the stage or module file on the command line, or nil if there is none
// or
// it cannot be read.
func (f *Factory) roles(ctx context.Context, args []string) []abi.Role {
	if len(args) == 0 {
		return nil
	}
	if strings.HasSuffix(args[0], ".wasm") {
		b, err := f.ReadFile(args[0])
		if err != nil {
			return nil
		}
		info, err := lab.InspectModule(args[0], b)
		if err != nil {
			return nil
		}
		return info.Manifest.Roles
	}
	s, done, err := f.Service(ctx)
	if err != nil {
		return nil
	}
	defer done()
	stages, _ := s.Stages(ctx) // completion ignores errors
	for _, st := range stages {
		if st.Name == args[0] && st.Role != nil {
			return []abi.Role{*st.Role}
		}
	}
	return nil
}

// ConfigPairs parses --config values. The manifest determines their types.
func ConfigPairs(pairs []string) (map[string]string, error) {
	config := make(map[string]string, len(pairs))
	for _, p := range pairs {
		key, value, ok := strings.Cut(p, "=")
		if !ok || key == "" {
			return nil, problem.Usagef("--config %q, want key=value", p).WithHint("mcpctl describe stage NAME")
		}
		config[key] = value
	}
	return config, nil
}
