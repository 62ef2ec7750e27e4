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
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/object"
)

// ListOptions are the flags of list.
type ListOptions struct {
	F            *factory.Factory
	Since, Until string
	Actor        string
	Action       string
	Kind         string
	Project      string
	Name         string
	Decision     string
	Limit        int
	Output       string
	Now          func() time.Time
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

// maxListed is the number of entries of one answer of mcpd.
const maxListed = 1000

// decisions are the values of --decision.
var decisions = []string{"allowed", "denied"}

// actions are the actions that completion offers. mcpd records others too: the method and path
// of a denied request.
var actions = []string{"backup", "bind identity", "call", "configured", "create token", "created", "deleted", "login", "password", "purge cache", "restore", "revoked"}

func newList(f *factory.Factory) *cobra.Command {
	opts := &ListOptions{F: f, Now: time.Now}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the newest entries of the audit log",
		Long: `List the newest entries of the audit log that match all given flags, newest first in each format. A text must be equal to
that of the entry. An actor is serviceaccount/NAME, user/NAME or the NAME of a user; that of a failed login is "unknown".
--since and --until take a duration, which is counted back from now, a date, at which its day begins in the time zone of
this machine, or a time. For more than 1000 entries, use "mcpctl audit export".`,
		Example: `  mcpctl audit list --since 24h --decision denied
  mcpctl audit list --actor anna --action call --since 2026-01-31
  mcpctl audit list --until 2026-01-31T15:00:00Z --limit 1000 -o json`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error { return listRun(cmd.Context(), opts) },
	}
	fl := cmd.Flags()
	fl.StringVar(&opts.Since, "since", "", "entries of this time or later: 24h, 2026-01-31, 2026-01-31T15:00:00Z (default: all)")
	fl.StringVar(&opts.Until, "until", "", "entries before this time, in the same form (default: now)")
	fl.StringVar(&opts.Actor, "actor", "", "entries of one user or service account: anna, serviceaccount/ci")
	fl.StringVar(&opts.Action, "action", "", "entries with one action, such as call, login or created")
	fl.StringVar(&opts.Kind, "kind", "", "entries about objects of one kind")
	fl.StringVarP(&opts.Project, "project", "p", "", "entries about one project")
	fl.StringVar(&opts.Name, "name", "", "entries about objects of one name")
	fl.StringVar(&opts.Decision, "decision", "", "entries with one decision: "+strings.Join(decisions, ", "))
	fl.IntVar(&opts.Limit, "limit", 100, "number of entries, at most 1000")
	printer.AddFlag(cmd, f.Env, &opts.Output)
	fixed := func(words ...string) cobra.CompletionFunc {
		return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	}
	_ = cmd.RegisterFlagCompletionFunc("since", fixed("1h", "24h", "168h")) // all fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("until", fixed("1h", "24h", "168h"))
	_ = cmd.RegisterFlagCompletionFunc("actor", completeActors(f))
	_ = cmd.RegisterFlagCompletionFunc("action", fixed(actions...))
	_ = cmd.RegisterFlagCompletionFunc("kind", fixed(kindNames()...))
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project"))
	_ = cmd.RegisterFlagCompletionFunc("name", completeNames(f))
	_ = cmd.RegisterFlagCompletionFunc("decision", fixed(decisions...))
	return cmd
}

func kindNames() (names []string) {
	for _, k := range object.AllKinds() {
		names = append(names, strings.ToLower(string(k)))
	}
	return names
}

// completeActors completes user/NAME and serviceaccount/NAME.
func completeActors(f *factory.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) (out []string, _ cobra.ShellCompDirective) {
		for _, kind := range []string{"user", "serviceaccount"} {
			names, _ := f.Names(kind)(cmd, args, "")
			for _, name := range names {
				if actor := kind + "/" + name; strings.HasPrefix(actor, prefix) {
					out = append(out, actor)
				}
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeNames completes the names of objects of --kind.
func completeNames(f *factory.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		kind, ok := object.ParseKind(cmd.Flags().Lookup("kind").Value.String())
		if !ok {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return f.Names(strings.ToLower(string(kind)))(cmd, args, prefix)
	}
}

// query returns the parameters of the call.
func (opts *ListOptions) query() (url.Values, error) {
	if opts.Limit < 1 || opts.Limit > maxListed {
		return nil, problem.Usagef("--limit is %d, want 1 to %d", opts.Limit, maxListed).WithHint("mcpctl audit export -f audit.ndjson")
	}
	if d := opts.Decision; d != "" && !slices.Contains(decisions, d) {
		return nil, problem.Usagef("--decision is %q, want %s", d, strings.Join(decisions, " or ")).WithHint("mcpctl audit list --decision denied")
	}
	q := url.Values{"limit": {strconv.Itoa(opts.Limit)}}
	for name, text := range map[string]string{"since": opts.Since, "until": opts.Until} {
		if text == "" {
			continue
		}
		at, err := parseTime(text, opts.Now())
		if err != nil {
			return nil, problem.Usagef("--%s is %q, want a duration such as 24h, a date such as 2026-01-31, or a time such as 2026-01-31T15:00:00Z", name, text).WithHint("mcpctl audit list --since 24h")
		}
		q.Set(name, at.UTC().Format(time.RFC3339Nano))
	}
	kind := opts.Kind
	if k, ok := object.ParseKind(kind); ok {
		kind = string(k)
	}
	for name, text := range map[string]string{"actor": parseActor(opts.Actor), "action": opts.Action, "kind": kind, "project": opts.Project, "name": opts.Name, "decision": opts.Decision} {
		if text != "" {
			q.Set(name, text)
		}
	}
	return q, nil
}

// unknownActor is the actor of a login that failed.
const unknownActor = "unknown"

// parseActor returns an actor as in the log: "user anna" for anna, user/anna and "user anna".
func parseActor(text string) string {
	kind, name, ok := strings.Cut(text, "/")
	switch {
	case ok:
		if k, err := kinds.Parse(kind); err == nil {
			kind = k
		}
		return kind + " " + name
	case text == "" || text == unknownActor || strings.Contains(text, " "):
		return text
	}
	return "user " + text
}

// parseTime returns the time of a duration before now, of a text in RFC 3339, or of a date or a
// time as the table has it, in the location of now.
func parseTime(text string, now time.Time) (time.Time, error) {
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.DateOnly, time.DateTime} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Parse(time.RFC3339, text)
}

func listRun(ctx context.Context, opts *ListOptions) error {
	if err := printer.Check(opts.Output); err != nil {
		return err
	}
	q, err := opts.query()
	if err != nil {
		return err
	}
	entries := []entry{}
	if err := opts.F.CallTeam(ctx, http.MethodGet, "/audit", q, nil, &entries); err != nil {
		return err
	}
	if len(entries) == 0 && (opts.Output == "table" || opts.Output == "wide") {
		fmt.Fprintln(opts.F.IO.ErrOut, "no entries match")
		return nil
	}
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
