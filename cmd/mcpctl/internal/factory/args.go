package factory

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// ExactArgs is like cobra.ExactArgs, with an error that shows the usage line.
func ExactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		want := strings.Join(names, " ")
		if want == "" {
			want = "no arguments"
		}
		return problem.Usagef("%s takes %s, got %s", cmd.CommandPath(), want, printer.Plural(len(args), "argument")).WithHint("%s --help", cmd.CommandPath())
	}
}

// Names returns a completion function for the names of objects of a kind.
func (f *Factory) Names(kind string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		project := ""
		if flag := cmd.Flags().Lookup("project"); flag != nil && (kind == "prompt" || kind == "promptrequest") {
			project = flag.Value.String()
		}
		names, err := f.names(cmd.Context(), kind, project)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, prefix) || slices.Contains(args, n) })
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// names returns the distinct names of a kind, limited to one project if it is not empty.
func (f *Factory) names(ctx context.Context, kind, project string) ([]string, error) {
	s, done, err := f.Service(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	var names []string
	switch kind {
	case "stage", "controller", "transformer": // stages; controllers; other stages
		stages, err := s.Stages(ctx)
		for _, st := range stages {
			if kind == "stage" || (kind == "controller") == (st.Kind == abi.KindController) {
				names = append(names, st.Name)
			}
		}
		return names, err
	case "llmprovider":
		providers, err := s.LLMProviders(ctx)
		for _, p := range providers {
			names = append(names, p.Name)
		}
		return names, err
	case "recording":
		recordings, err := s.Recordings().List(ctx, "")
		for _, r := range recordings {
			names = append(names, r.Name)
		}
		return names, err
	case "correction":
		corrections, err := s.Studio().Corrections(ctx, "", "")
		for _, c := range corrections {
			names = append(names, c.ID)
		}
		return names, err
	case "hold":
		holds, err := s.Studio().Holds(ctx, "")
		for _, h := range holds {
			names = append(names, strconv.FormatUint(h.ID, 10))
		}
		return names, err
	case "event", "tool":
		return nil, nil
	}
	objects, err := s.Objects(ctx, kind, project)
	for _, o := range objects {
		names = append(names, o.Name)
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

// ListOf returns a completion function for the last word of a comma-separated list.
func ListOf(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		at := strings.LastIndex(prefix, ",") + 1
		list, directive := complete(cmd, strings.Split(prefix[:at], ","), prefix[at:])
		for i, word := range list {
			list[i] = prefix[:at] + word
		}
		return list, directive
	}
}

// OneArg is like ExactArgs for one argument, which it stores in value.
func OneArg(name string, value *string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := ExactArgs(name)(cmd, args); err != nil {
			return err
		}
		*value = args[0]
		return nil
	}
}

// OptionalArg is like OneArg, but stores instead if the argument is omitted.
func OptionalArg(name string, value *string, instead string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			*value = instead
			return nil
		}
		return OneArg(name, value)(cmd, args)
	}
}

// DirOrModule completes one argument: a directory or a module file.
func DirOrModule(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"wasm"}, cobra.ShellCompDirectiveFilterFileExt
}
