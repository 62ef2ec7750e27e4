// Package audit implements `mcpctl audit list|verify`: the audit log of the team server.
package audit

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// Options are the flags.
type Options struct {
	F      *factory.Factory
	Since  time.Duration
	Limit  int
	Output string
	Now    func() time.Time
}

// entry is one row of the log.
type entry struct {
	Time     time.Time     `json:"time"`
	Actor    string        `json:"actor"`
	Behalf   string        `json:"behalf,omitempty"`
	Action   string        `json:"action"`
	Kind     string        `json:"kind,omitempty"`
	Project  string        `json:"project,omitempty"`
	Name     string        `json:"name,omitempty"`
	Decision string        `json:"decision"`
	Result   string        `json:"result,omitempty"`
	Latency  time.Duration `json:"latencyNanos,omitempty"`
	Trace    string        `json:"trace,omitempty"`
	Detail   string        `json:"detail,omitempty"`
}

// NewCmdAudit creates the command group.
func NewCmdAudit(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Show and verify the audit log of the team server",
		Long: `The audit log of the team server contains changes of objects, logins, calls of servers, and denied requests. Only
administrators can read it.`,
		Example: `  mcpctl audit list --since 1h
  mcpctl audit verify`,
	}
	cmd.AddCommand(newList(f), newVerify(f))
	return cmd
}

func newList(f *factory.Factory) *cobra.Command {
	opts := &Options{F: f, Now: time.Now}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the newest entries of the audit log",
		Long:  "List the newest entries of the audit log, oldest first.",
		Example: `  mcpctl audit list
  mcpctl audit list --since 24h --limit 1000 -o json`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error { return listRun(cmd.Context(), opts) },
	}
	cmd.Flags().DurationVar(&opts.Since, "since", 0, "only entries that are not older (default: all)")
	_ = cmd.RegisterFlagCompletionFunc("since", cobra.FixedCompletions([]string{"1h", "24h", "168h"}, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	cmd.Flags().IntVar(&opts.Limit, "limit", 100, "number of entries, at most 1000")
	printer.AddFlag(cmd, f.Env, &opts.Output)
	return cmd
}

func listRun(ctx context.Context, opts *Options) error {
	if err := printer.Check(opts.Output); err != nil {
		return err
	}
	if opts.Since < 0 || opts.Limit < 1 || opts.Limit > 1000 {
		return problem.Usagef("--since must not be negative, and --limit is 1 to 1000").WithHint("mcpctl audit list --since 1h --limit 1000")
	}
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	q := url.Values{"limit": {strconv.Itoa(opts.Limit)}}
	if opts.Since > 0 {
		q.Set("since", opts.Now().Add(-opts.Since).UTC().Format(time.RFC3339))
	}
	var entries []entry
	if err := s.Team().Call(ctx, http.MethodGet, "/audit", q, nil, &entries); err != nil {
		return err
	}
	slices.Reverse(entries) // mcpd sends the newest first
	return printer.Print(opts.F.IO, opts.Output, printer.Listing{Value: entries, Table: func(wide bool) *iostreams.Table { return table(entries, wide) }})
}

func table(entries []entry, wide bool) *iostreams.Table {
	header := []string{"TIME", "ACTOR", "ACTION", "OBJECT", "DECISION", "RESULT"}
	if wide {
		header = append(header, "DETAIL")
	}
	t := iostreams.NewTable(header...)
	for _, e := range entries {
		row := []string{e.Time.Local().Format(time.DateTime), e.Actor, e.Action, e.object(), e.Decision, e.Result}
		if wide {
			row = append(row, e.Detail)
		}
		t.Row(row...)
	}
	return t
}

// object returns the object of an entry: "prompt web/rules".
func (e entry) object() string {
	name := e.Name
	if e.Project != "" {
		name = e.Project + "/" + name
	}
	return strings.TrimSpace(strings.ToLower(e.Kind) + " " + name)
}

func newVerify(f *factory.Factory) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that no entry of the audit log was changed or removed",
		Long: `Check the hash chains of the audit log: each entry has the hash of the one before it, so an entry that was changed or
removed in the database is found.`,
		Example: `  mcpctl audit verify
  mcpctl audit verify -o json`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error { return verifyRun(cmd.Context(), opts) },
	}
	printer.AddFlag(cmd, f.Env, &opts.Output)
	return cmd
}

func verifyRun(ctx context.Context, opts *Options) error {
	if err := printer.Check(opts.Output); err != nil {
		return err
	}
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	var v struct {
		Writers int   `json:"writers"`
		Rows    int64 `json:"rows"`
	}
	if err := s.Team().Call(ctx, http.MethodPost, "/audit/verify", nil, struct{}{}, &v); err != nil {
		return err
	}
	return printer.Print(opts.F.IO, opts.Output, printer.Listing{Value: v, Table: func(bool) *iostreams.Table {
		t := iostreams.NewTable("WRITERS", "ENTRIES", "CHAIN")
		t.Row(strconv.Itoa(v.Writers), fmt.Sprint(v.Rows), "ok")
		return t
	}})
}
