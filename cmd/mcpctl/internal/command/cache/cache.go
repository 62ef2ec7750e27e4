// Package cache implements `mcpctl cache list|clear|stats|verify|purge`.
package cache

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// Options contains the arguments and flags.
type Options struct {
	F         *factory.Factory
	Project   string
	All       bool
	Originals bool
	Sample    int
	Producer  string
	Output    string
	Now       func() time.Time
}

// NewCmdCache creates the command group.
func NewCmdCache(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Show, clear and check the caches of stage results",
		Long: `Results of stages are cached under a hash of all inputs of the stage, so entries never become stale. The least recently
used entries are evicted first. Originals are stored separately. Results may also come from a cache that a team shares
(setting mcpd-cache); verify and purge are about that one.`,
		Example: `  mcpctl cache stats
  mcpctl cache clear --project home`,
	}
	cmd.AddCommand(newList(f), newClear(f), newStats(f), newVerify(f), newPurge(f))
	return cmd
}

func newList(f *factory.Factory) *cobra.Command {
	opts := &Options{F: f, Now: time.Now}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List cached results",
		Long:  "List the cached stage results of one project or of all, most recently used first.",
		Example: `  mcpctl cache list --project home
  mcpctl cache list -o json`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error { return withService(cmd.Context(), opts, list) },
	}
	addProject(cmd, opts)
	printer.AddFlag(cmd, f.Env, &opts.Output)
	return cmd
}

func newClear(f *factory.Factory) *cobra.Command {
	opts := &Options{F: f, Output: "table"}
	cmd := &cobra.Command{
		Use:   "clear",
		Short: "Remove cached results or originals",
		Long: `Remove the cached stage results of one project, or of all projects with --all. They are computed again when needed.
Originals are kept, so that read_section still works. --originals removes the originals of all projects instead, for
content that should not have been stored.`,
		Example: `  mcpctl cache clear --project home
  mcpctl cache clear --all
  mcpctl cache clear --originals`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.Originals && opts.Project != "" {
				return problem.Usagef("--originals removes those of all projects and cannot be combined with --project").WithHint("mcpctl cache clear --originals")
			}
			if opts.Project == "" && !opts.All && !opts.Originals {
				p := problem.Usagef("no project selected")
				p.Cause = "use --project PROJECT, or --all for all projects"
				return p.WithHint("mcpctl get projects")
			}
			if opts.Project != "" && opts.All {
				return problem.Usagef("--project and --all are mutually exclusive").WithHint("mcpctl cache clear --project %s", opts.Project)
			}
			return withService(cmd.Context(), opts, clearRun)
		},
	}
	addProject(cmd, opts)
	cmd.Flags().BoolVar(&opts.All, "all", false, "remove the results of all projects")
	cmd.Flags().BoolVar(&opts.Originals, "originals", false, "remove the originals of all projects; with --all also the results")
	return cmd
}

func newStats(f *factory.Factory) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Show the size and hit rate of the cache",
		Long: `Show the size and hit rate of the cache, and the size of the originals. -o wide also shows how the cache of the team was
used since the daemon started: results found there, stored there, and refused because they failed a check.`,
		Example: `  mcpctl cache stats
  mcpctl cache stats -o json`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error { return withService(cmd.Context(), opts, stats) },
	}
	printer.AddFlag(cmd, f.Env, &opts.Output)
	return cmd
}

func addProject(cmd *cobra.Command, opts *Options) {
	cmd.Flags().StringVarP(&opts.Project, "project", "p", "", "limit to this project")
	_ = cmd.RegisterFlagCompletionFunc("project", opts.F.Names("project")) // fails only for an unknown flag
}

func withService(ctx context.Context, opts *Options, run func(context.Context, *Options, api.Service) error) error {
	if err := printer.Check(opts.Output); err != nil {
		return err
	}
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	return run(ctx, opts, s)
}

func list(ctx context.Context, opts *Options, s api.Service) error {
	entries, err := s.CacheEntries(ctx, opts.Project)
	if err != nil {
		return err
	}
	if err := known(ctx, opts, s, len(entries)); err != nil {
		return err
	}
	l := printer.Listing{Value: entries, Table: func(wide bool) *iostreams.Table { return table(entries, opts.Now(), wide) }}
	for _, e := range entries {
		l.Names = append(l.Names, "cacheentry/"+e.Key)
	}
	if len(entries) == 0 && (opts.Output == "table" || opts.Output == "wide") {
		fmt.Fprintln(opts.F.IO.ErrOut, "no cached results")
		return nil
	}
	return printer.Print(opts.F.IO, opts.Output, l)
}

func table(entries []api.CacheEntry, now time.Time, wide bool) *iostreams.Table {
	header := []string{"KEY", "PROJECT", "ROLE", "BYTES", "USED"}
	if wide {
		header = append(header, "MODULE")
	}
	t := iostreams.NewTable(header...)
	for _, e := range entries {
		row := []string{e.Key[:min(12, len(e.Key))], e.Project, e.Role, printer.Count(e.Bytes), printer.Age(now.Sub(e.Used))}
		if wide {
			row = append(row, e.Module)
		}
		t.Row(row...)
	}
	return t
}

func clearRun(ctx context.Context, opts *Options, s api.Service) error {
	if opts.Originals {
		n, err := s.ClearOriginals(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(opts.F.IO.Out, "%s dropped\n", printer.Plural(n, "original"))
		if !opts.All {
			return nil
		}
	}
	n, err := s.CacheClear(ctx, opts.Project)
	if err != nil {
		return err
	}
	if err := known(ctx, opts, s, n); err != nil {
		return err
	}
	fmt.Fprintf(opts.F.IO.Out, "%s dropped\n", printer.Plural(n, "cached result"))
	return nil
}

// known returns an error if a project does not exist and has no results. A deleted project may
// still have
// results.
func known(ctx context.Context, opts *Options, s api.Service, results int) error {
	if opts.Project == "" || results > 0 {
		return nil
	}
	_, err := s.Object(ctx, "project", "", opts.Project)
	return err
}

func stats(ctx context.Context, opts *Options, s api.Service) error {
	st, err := s.CacheStats(ctx)
	if err != nil {
		return err
	}
	return printer.Print(opts.F.IO, opts.Output, printer.Listing{
		Value: st, Names: []string{"cache"},
		Table: func(wide bool) *iostreams.Table {
			header := []string{"ENTRIES", "SIZE", "LIMIT", "HITS", "MISSES", "HIT-RATE", "ORIGINALS"}
			if wide {
				header = append(header, "TEAM-HITS", "TEAM-MISSES", "STORED", "REFUSED")
			}
			t := iostreams.NewTable(header...)
			row := []string{fmt.Sprint(st.Entries), printer.Size(st.Bytes), printer.Size(st.LimitBytes), fmt.Sprint(st.Hits), fmt.Sprint(st.Misses),
				fmt.Sprintf("%.0f%%", 100*st.HitRate), fmt.Sprintf("%d (%s)", st.Originals, printer.Size(st.OrigBytes))}
			if wide {
				row = append(row, fmt.Sprint(st.Team.Hits), fmt.Sprint(st.Team.Misses), fmt.Sprint(st.Team.Pushed), fmt.Sprint(st.Team.Refused))
			}
			t.Row(row...)
			return t
		},
	})
}
