// Package top implements `mcpctl top`, which sums up the traffic of a daemon.
package top

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/eventquery"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Options contains the arguments and flags.
type Options struct {
	F       *factory.Factory
	Project string
	Query   string
	By      string
	Sort    string
	Once    bool
	Output  string
}

// The values of --by.
const (
	byProject = "project"
	byServer  = "server"
	byTool    = "tool"
	bySession = "session"
)

var groups = []string{byProject, byServer, byTool, bySession}

// NewCmdTop creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdTop(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	orders := slices.Sorted(maps.Keys(columns))
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Show calls, tokens saved and added latency, by tool",
		Long: `Show the calls of tools, prompts and resources that the daemon has recorded, and new ones as they come: their number
and errors, the tokens of the servers (IN) and of the clients (OUT, both est.), the tokens saved, and the time that mcpctl
added to a call (median and 95th percentile of the last 1,000 calls, without the server's time and without holds). Tokens
of sections that a model read count against the tool whose result they belong to. On a terminal the table is redrawn at
most once a second until q or Ctrl-C; otherwise, with --once and with -o json, yaml or name it is printed once.`,
		Example: `  mcpctl top
  mcpctl top --by project --sort p95
  mcpctl top --once -o wide -l 'server:github -err'`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := errors.Join(printer.Check(opts.Output), check("by", opts.By, groups), check("sort", opts.Sort, orders))
			if err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return topRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&opts.Project, "project", "p", "", "count only calls of this project")
	fl.StringVar(&opts.By, "by", byTool, "rows: "+strings.Join(groups, ", "))
	fl.StringVar(&opts.Sort, "sort", "saved", "order: "+strings.Join(orders, ", "))
	fl.BoolVar(&opts.Once, "once", false, "print the table once")
	eventquery.AddFlag(cmd, f, &opts.Query, "count only the calls that a query selects")
	for name, complete := range map[string]cobra.CompletionFunc{
		"project": f.Names("project"),
		"by":      cobra.FixedCompletions(groups, cobra.ShellCompDirectiveNoFileComp),
		"sort":    cobra.FixedCompletions(orders, cobra.ShellCompDirectiveNoFileComp),
	} {
		_ = cmd.RegisterFlagCompletionFunc(name, complete) // fails only for an unknown flag
	}
	printer.AddFlag(cmd, f.Env, &opts.Output)
	return cmd
}

// check returns an error for a value that is not in a list.
func check(flag, value string, list []string) error {
	if slices.Contains(list, value) {
		return nil
	}
	p := problem.Usagef("--%s %q, want %s%s", flag, value, strings.Join(list, ", "), suggest.DidYouMean(value, list))
	return p.WithHint("mcpctl top --help")
}

// drillDowns selects the events that count against calls.
const drillDowns = "type:section_read"

func topRun(ctx context.Context, opts *Options) error {
	c, err := opts.F.Daemon()
	if err != nil {
		return err
	}
	t := newTally(opts.By)
	calls := api.EventQuery{Project: opts.Project, Query: opts.Query}
	reads := api.EventQuery{Project: opts.Project, Query: drillDowns}
	for _, q := range []*api.EventQuery{&calls, &reads} {
		list, err := c.Events(ctx, *q)
		if err != nil {
			return err
		}
		for _, e := range list {
			if isDrillDown(&e) == (q == &reads) {
				t.add(e)
			}
			q.After = e.ID
		}
	}
	if opts.Once || !opts.F.IO.OutTerminal || opts.Output != "table" && opts.Output != "wide" {
		return printOnce(opts, t)
	}
	return watch(ctx, opts, t, c, calls, reads)
}

func printOnce(opts *Options, t *tally) error {
	if len(t.rows) == 0 && (opts.Output == "table" || opts.Output == "wide") {
		text := "no calls yet: the first call of a client creates a row"
		if opts.Query != "" {
			text = "no calls that the query selects\nnext: mcpctl top"
		}
		fmt.Fprintln(opts.F.IO.ErrOut, text)
		return nil
	}
	return printer.Print(opts.F.IO, opts.Output, listing(t, opts.Sort, time.Now(), opts.F.IO.OutWidth))
}

// refresh is the interval at which the table is redrawn.
const refresh = time.Second

// watch shows the table and counts new events until the user ends it or the daemon ends.
func watch(ctx context.Context, opts *Options, t *tally, c *api.Client, calls, reads api.EventQuery) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	keys, restore, err := opts.F.IO.Keys()
	if err != nil {
		return err
	}
	defer restore()
	events := make(chan api.Event)
	for _, q := range []api.EventQuery{calls, reads} {
		go func() { stop(follow(ctx, c, q, events)) }()
	}
	tick := time.NewTicker(refresh)
	defer tick.Stop()
	v := live{io: opts.F.IO, tally: t, events: events, keys: keys, tick: tick.C, now: time.Now, size: opts.F.IO.Size,
		sorted: opts.Sort, wide: opts.Output == "wide"}
	if err := v.run(ctx); err != nil {
		return err
	}
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err // of the stream
	}
	return nil
}

// follow sends the events of a query until ctx or the daemon ends.
func follow(ctx context.Context, c *api.Client, q api.EventQuery, to chan<- api.Event) error {
	return c.Follow(ctx, q, func(e api.Event) error {
		if isDrillDown(&e) != (q.Query == drillDowns) {
			return nil
		}
		select {
		case to <- e:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}
