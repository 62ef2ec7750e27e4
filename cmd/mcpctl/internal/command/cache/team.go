package cache

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
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
)

func newVerify(f *factory.Factory) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Compare results in the cache of the team with own ones",
		Long: `Run the stages of the originals that were used last again, and compare their results with those that the team server
returns for the same inputs. The exit status is 1 if one is different: its producer has stored a result that its stage
does not compute. A result of a stage that may ask an LLM cannot be compared; you can only trust its producer.`,
		Example: `  mcpctl cache verify
  mcpctl cache verify --project web --sample 100 -o json`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error { return withService(cmd.Context(), opts, verify) },
	}
	addProject(cmd, opts)
	cmd.Flags().IntVar(&opts.Sample, "sample", 20, "number of originals of each project, at most 1000")
	printer.AddFlag(cmd, f.Env, &opts.Output)
	return cmd
}

func verify(ctx context.Context, opts *Options, s api.Service) error {
	checks, err := s.Team().VerifyCache(ctx, opts.Project, opts.Sample)
	if err != nil {
		return err
	}
	different := make(map[string]int) // results by producer
	for _, c := range checks {
		if c.Result == api.TeamCacheDifferent {
			different[c.Producer]++
		}
	}
	l := printer.Listing{Value: checks, Table: func(wide bool) *iostreams.Table { return checkTable(checks, wide) }}
	for _, c := range checks {
		l.Names = append(l.Names, "cacheentry/"+c.Key)
	}
	if len(checks) == 0 && (opts.Output == "table" || opts.Output == "wide") {
		fmt.Fprintln(opts.F.IO.ErrOut, "the team has no results for the originals of this machine")
		return nil
	}
	if err := printer.Print(opts.F.IO, opts.Output, l); err != nil {
		return err
	}
	if len(different) > 0 {
		producer := slices.Min(slices.Collect(maps.Keys(different)))
		p := problem.New(abi.ErrGuest, "stages compute something else than %s of %s", printer.Plural(different[producer], "result"), producer)
		kind, name, _ := strings.Cut(producer, " ")
		if _, err := object.ParseName(name); err == nil { // mcpd has sent it, and the hint is pasted
			p = p.WithHint("mcpctl cache purge --producer %s/%s", kind, name)
		}
		return p
	}
	return nil
}

func checkTable(checks []api.TeamCacheCheck, wide bool) *iostreams.Table {
	header := []string{"PROJECT", "ROLE", "PRODUCER", "RESULT"}
	if wide {
		header = append(header, "KEY")
	}
	t := iostreams.NewTable(header...)
	for _, c := range checks {
		row := []string{c.Project, c.Role, c.Producer, c.Result}
		if wide {
			row = append(row, c.Key)
		}
		t.Row(row...)
	}
	return t
}

func newPurge(f *factory.Factory) *cobra.Command {
	opts := &Options{F: f, Output: "table"}
	cmd := &cobra.Command{
		Use:   "purge",
		Short: "Remove the results of a producer from the cache of the team",
		Long: `Remove all results that a user or a service account has stored in the cache of the team server. Only administrators can.
Machines that have already used one of them keep a copy: clear their caches too.`,
		Example: `  mcpctl cache purge --producer serviceaccount/ci
  mcpctl cache purge --producer user/eve`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error { return withService(cmd.Context(), opts, purge) },
	}
	cmd.Flags().StringVar(&opts.Producer, "producer", "", "user/NAME or serviceaccount/NAME")
	_ = cmd.RegisterFlagCompletionFunc("producer", cobra.FixedCompletions([]string{"serviceaccount/", "user/"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)) // fails only for an unknown flag
	return cmd
}

func purge(ctx context.Context, opts *Options, s api.Service) error {
	kind, name, _ := strings.Cut(opts.Producer, "/")
	if kind != "user" && kind != "serviceaccount" || name == "" {
		return problem.Usagef("the producer is %q, want --producer user/NAME or --producer serviceaccount/NAME", opts.Producer).WithHint("mcpctl cache purge --producer serviceaccount/ci")
	}
	var out api.TeamCachePurged
	if err := s.Team().Call(ctx, http.MethodDelete, "/cache", url.Values{"producer": {kind + " " + name}}, nil, &out); err != nil {
		return err
	}
	fmt.Fprintf(opts.F.IO.Out, "%s of %s removed\n", printer.Plural(int(out.Removed), "shared result"), opts.Producer)
	return nil
}
