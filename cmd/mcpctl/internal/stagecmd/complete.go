package stagecmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/host"
)

// roles are those of the stage or module file on the command line; none if there is
// none yet, or if it cannot be read.
func roles(ctx context.Context, f *factory.Factory, args []string) []abi.Role {
	if len(args) == 0 {
		return nil
	}
	if strings.HasSuffix(args[0], ".wasm") {
		b, err := f.ReadFile(args[0])
		if err != nil {
			return nil
		}
		info, err := host.InspectModule(args[0], b)
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
	stages, _ := s.Stages(ctx) // completion is silent
	for _, st := range stages {
		if st.Name == args[0] && st.Role != nil {
			return []abi.Role{*st.Role}
		}
	}
	return nil
}

// configKeys completes --config with the keys that a stage takes.
func configKeys(ctx context.Context, f *factory.Factory, args []string) []string {
	var keys []string
	for _, r := range roles(ctx, f, args) {
		for _, c := range r.Config {
			keys = append(keys, cobra.CompletionWithDesc(c.Name+"=", c.Help))
		}
	}
	return keys
}

// roleNames completes --role with those of a module file.
func roleNames(ctx context.Context, f *factory.Factory, args []string) []string {
	var names []string
	for _, r := range roles(ctx, f, args) {
		names = append(names, cobra.CompletionWithDesc(r.Name, r.Summary))
	}
	return names
}
