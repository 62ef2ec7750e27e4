package describe

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// followed is an LLM provider with the resolution of a project's requests.
type followed struct {
	api.LLMProvider
	Resolution *api.LLMResolution `json:"resolution,omitempty"`
}

// checkResolve validates --resolve and reduces it to the name of the project.
func (o *Options) checkResolve() error {
	if o.Resolve == "" {
		return nil
	}
	if o.Kind != kinds.LLMProvider {
		return problem.Usagef("--resolve applies only to LLM providers, not to a %s", o.Kind).WithHint("mcpctl describe llmprovider NAME --resolve %s", o.Resolve)
	}
	kind, name, ok := strings.Cut(o.Resolve, "/")
	if known, err := kinds.Parse(kind); !ok || err != nil || known != "project" || name == "" {
		return problem.Usagef("--resolve %q, want project/NAME", o.Resolve).WithHint("mcpctl get projects")
	}
	o.Resolve = name
	return nil
}

func completeResolve(f *factory.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		names, directive := f.Names("project")(cmd, nil, "")
		for i, n := range names {
			names[i] = "project/" + n
		}
		return slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, prefix) }), directive
	}
}

func llmProvider(ctx context.Context, s api.Service, opts *Options, name string) error {
	all, err := s.LLMProviders(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	i := slices.Index(names, name)
	if i < 0 {
		return notFound(kinds.LLMProvider, name, names)
	}
	v := followed{LLMProvider: all[i]}
	if opts.Resolve != "" {
		r, err := s.ResolveLLM(ctx, opts.Resolve)
		if err != nil {
			return err
		}
		v.Resolution = &r
	}
	return show(opts, v, func(w io.Writer) error { return llmText(w, v, all) })
}

func llmText(w io.Writer, v followed, all []api.LLMProvider) error {
	field(w, "name", v.Name)
	field(w, "type", v.Type)
	field(w, "model", v.Model)
	field(w, "tiers", strings.Join(v.Tiers, ", "))
	field(w, "state", v.State)
	field(w, "requests", fmt.Sprintf("%s, %d without an answer, %.1f s in all", printer.Count(int(v.Requests)), v.Errors, v.Seconds))
	field(w, "tokens", fmt.Sprintf("%s in, %s out", printer.Count(int(v.TokensIn)), printer.Count(int(v.TokensOut))))
	field(w, "last error", v.LastError)
	field(w, "last line", v.LastLine)
	field(w, "budget", dailyBudget(v.DailyTokens))
	if len(v.Spent) > 0 {
		fmt.Fprintln(w)
		t := iostreams.NewTable("SPENT TODAY", "PROJECT", "BY")
		for _, sp := range v.Spent {
			by := sp.By
			if by == "" {
				by = "a removed module: " + sp.Module[:min(12, len(sp.Module))]
			}
			t.Row(printer.Count(sp.Tokens), sp.Project, by)
		}
		if err := t.Fprint(w); err != nil {
			return err
		}
	}
	if v.Resolution == nil {
		return nil
	}
	return resolutionText(w, v, all)
}

func dailyBudget(tokens int) string {
	if tokens == 0 {
		return "no limit"
	}
	return printer.Count(tokens) + " tokens per day (UTC) for each module in each project, over all providers"
}

// resolutionText prints the order in which a project uses providers, including this one.
func resolutionText(w io.Writer, v followed, all []api.LLMProvider) error {
	r := v.Resolution
	fmt.Fprintf(w, "\nLLM of project %s, by %s:\n", iostreams.Line(r.Project), iostreams.Line(r.Source))
	if len(r.Fast)+len(r.Heavy) == 0 {
		fmt.Fprintln(w, "  none: its requests are answered UNAVAILABLE")
		return nil
	}
	states := make(map[string]string)
	for _, p := range all {
		states[p.Name] = p.State
	}
	t := iostreams.NewTable("  TIER", "ORDER", "PROVIDER", "STATE")
	for _, tier := range []struct {
		name  string
		chain []string
	}{{"fast", r.Fast}, {"heavy", r.Heavy}} {
		for i, p := range tier.chain {
			t.Row("  "+tier.name, fmt.Sprint(i+1), p, states[p])
		}
	}
	if err := t.Fprint(w); err != nil {
		return err
	}
	if !slices.Contains(slices.Concat(r.Fast, r.Heavy), v.Name) {
		fmt.Fprintf(w, "  %s is not used\n", v.Name)
	}
	return nil
}
