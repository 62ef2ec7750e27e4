package get

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/demo"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/daemon"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// toolsRun lists the tools of a project like a client does.
func toolsRun(ctx context.Context, opts *Options) error {
	if err := opts.chooseProject(ctx); err != nil {
		return err
	}
	var doing atomic.Value // a string: the current activity
	doing.Store("asking the servers of " + opts.Project)
	done := opts.F.IO.ProgressOf(func() string { return doing.Load().(string) })
	listed, servers, err := listTools(ctx, opts, func(text string) { doing.Store(text) })
	done()
	if err != nil {
		return err
	}
	list, unmatched, err := addNotOffered(ctx, opts, listed)
	if err != nil {
		return err
	}
	absent := warn(opts.F.IO.ErrOut, servers)
	for _, pattern := range unmatched {
		fmt.Fprintf(opts.F.IO.ErrOut, "warning: project %q: %s, which matches no tool\n", opts.Project, pattern)
	}
	if list, err = pick(list, opts, func(t tool) string { return t.Name }); err != nil {
		return err
	}
	l := printer.Listing{Value: list, Table: func(bool) *iostreams.Table { return toolTable(list) }}
	for _, t := range list {
		l.Names = append(l.Names, "tool/"+t.Name)
	}
	if err := opts.print(ctx, l); err != nil || len(absent) == 0 {
		return err
	}
	return problem.New(abi.ErrUnavailable, "no tools of %s are listed", strings.Join(absent, ", ")).WithHint("mcpctl describe server %s", problem.Arg(absent[0]))
}

// tool is one tool of a project. A tool that the project does not offer takes no tokens.
type tool struct {
	demo.Listed
	NotOffered  string `json:"notOffered,omitempty"`  // the field and the pattern that decide
	SavedTokens int    `json:"savedTokens,omitempty"` // estimate for the definition of a tool that is not offered
}

// addNotOffered adds the tools that the project does not offer to the listed ones. It also
// returns the patterns of the project's choice that match no tool.
func addNotOffered(ctx context.Context, opts *Options, listed []demo.Listed) (all []tool, unmatched []string, err error) {
	for _, t := range listed {
		all = append(all, tool{Listed: t})
	}
	c, err := opts.F.Daemon()
	if err != nil {
		return nil, nil, err
	}
	project, err := c.Object(ctx, "project", "", opts.Project)
	if err != nil {
		return nil, nil, err
	}
	d := details[api.ProjectDetails](project)
	for _, t := range d.Tools {
		if t.NotOffered != "" {
			all = append(all, tool{demo.Listed{Name: t.Wire}, t.NotOffered, t.SavedTokens})
		}
	}
	return all, d.Unmatched, nil
}

// chooseProject selects the only project of the home if none was given.
func (opts *Options) chooseProject(ctx context.Context) error {
	if opts.Project != "" {
		return nil
	}
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	all, err := s.Objects(ctx, "project", "")
	switch {
	case err != nil:
		return err
	case len(all) == 0:
		return problem.Usagef("no project selected: there is none yet").WithHint("mcpctl import")
	case len(all) > 1:
		return problem.Usagef("no project selected").WithHint("mcpctl get tools --project %s", problem.Arg(all[0].Name))
	}
	opts.Project = all[0].Name
	return nil
}

// warn prints why a list is incomplete and returns the servers without listed tools.
func warn(w io.Writer, servers []api.ServerStatus) (absent []string) {
	for _, st := range servers {
		warnNotes(w, st.Name, st.Notes)
		if st.Error == "" {
			continue
		}
		if st.Tools == 0 {
			absent = append(absent, st.Name)
		}
		last := ""
		if st.ErrorLine != "" && !strings.Contains(st.Error, st.ErrorLine) {
			last = "; its standard error: " + iostreams.Line(st.ErrorLine)
		}
		fmt.Fprintf(w, "warning: server %q %s, its tools are %s: %s%s\n", st.Name, stateOf(st), listedAs(st), iostreams.Line(st.Error), last)
	}
	return absent
}

// warnNotes prints the problems in the lists of a server.
func warnNotes(w io.Writer, server string, notes []string) {
	for _, note := range notes {
		fmt.Fprintf(w, "warning: server %q: %s\n", server, iostreams.Line(note))
	}
}

// stateOf returns the state of a server with an error, as a verb.
func stateOf(st api.ServerStatus) string {
	switch st.State {
	case "ready":
		return "runs"
	case "starting":
		return "is starting again"
	}
	return "failed"
}

// listTools returns the tools of a project and the status of its servers. It calls progress with
// the names of servers that start slowly.
func listTools(ctx context.Context, opts *Options, progress func(string)) ([]demo.Listed, []api.ServerStatus, error) {
	if err := daemon.Ensure(ctx, opts.F); err != nil {
		return nil, nil, err
	}
	c, err := opts.F.Daemon()
	if err != nil {
		return nil, nil, err
	}
	project, err := c.Object(ctx, "project", "", opts.Project)
	if err != nil {
		return nil, nil, err
	}
	session, err := demo.Dial(ctx, c.HTTP(), c.URL("/projects/"+opts.Project+"/mcp"))
	if err != nil {
		return nil, nil, err
	}
	defer session.Close()
	servers := details[api.ProjectDetails](project).Servers
	if opts.F.IO.ErrTerminal {
		defer watchStarts(ctx, c.Status, servers, progress)()
	}
	list, err := session.Tools(ctx)
	if err != nil {
		return nil, nil, explainRefusal(ctx, c, opts.Project, err)
	}
	if isClosed(list) {
		return list, nil, nil
	}
	status, waited, err := awaitStart(ctx, c, servers) // the open session keeps the servers running
	if err == nil && (waited || isOlder(list, statusOf(status, servers))) {
		if list, err = session.Tools(ctx); err == nil {
			status, err = c.Status(ctx) // the first one was older than the list
		}
	}
	return list, statusOf(status, servers), explainRefusal(ctx, c, opts.Project, err)
}

// isOlder reports whether a list lacks the tools of a server that has started since.
func isOlder(list []demo.Listed, servers []api.ServerStatus) bool {
	return slices.ContainsFunc(servers, func(s api.ServerStatus) bool {
		return s.State == "ready" && !slices.ContainsFunc(list, func(t demo.Listed) bool { return strings.HasPrefix(t.Name, s.Name+"__") })
	})
}

// explainRefusal adds the project and a hint to the error of a server.
func explainRefusal(ctx context.Context, c *api.Client, project string, err error) error {
	err = demo.ExplainRefusal(ctx, c, project, "tools/list", err)
	if refused := (*demo.Refusal)(nil); !errors.As(err, &refused) || ctx.Err() != nil {
		return err
	}
	return problem.New(abi.ErrUnavailable, "tools/list of project %q: %v", project, err).WithHint("mcpctl get events --project %s", problem.Arg(project))
}

// isClosed reports whether a list is that of a closed gate, which contains no tools of servers.
func isClosed(list []demo.Listed) bool {
	return len(list) == 1 && list[0].Name == "begin_session"
}

// startPoll is the interval at which awaitStart checks the servers.
const startPoll = 200 * time.Millisecond

// awaitStart returns the status when none of the servers is starting any more. The wait is
// bounded by their timeouts.
func awaitStart(ctx context.Context, c *api.Client, servers []string) (st api.Status, waited bool, err error) {
	for {
		st, err = c.Status(ctx)
		if err != nil || !isStarting(st, servers) {
			return st, waited, err
		}
		waited = true
		select {
		case <-time.After(startPoll):
		case <-ctx.Done():
			return st, waited, ctx.Err()
		}
	}
}

// slowStart is how long servers may start before the progress line shows their names.
const slowStart = 2 * time.Second

// watchStarts calls progress with the names of the servers that are still starting, until the
// returned function is called.
func watchStarts(ctx context.Context, status func(context.Context) (api.Status, error), servers []string, progress func(string)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	watcher.Go(func() {
		for wait := slowStart; ; wait = time.Second {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			}
			st, err := status(ctx)
			if err != nil {
				continue // the list reports it
			}
			var names []string
			for _, s := range st.Servers {
				if s.State == "starting" && slices.Contains(servers, s.Name) {
					names = append(names, s.Name)
				}
			}
			if len(names) > 0 {
				progress("waiting for " + shortList(names))
			}
		}
	})
	return func() {
		cancel()
		watcher.Wait()
	}
}

// maxWaiting is the maximum length of the names in a progress line, because a line that wraps
// cannot be overwritten.
const maxWaiting = 50

// shortList joins names up to maxWaiting characters.
func shortList(names []string) string {
	text := strings.Join(names, ", ")
	if len(text) > maxWaiting {
		text = text[:maxWaiting] + "..."
	}
	return text
}

func isStarting(st api.Status, servers []string) bool {
	return slices.ContainsFunc(st.Servers, func(s api.ServerStatus) bool {
		return s.State == "starting" && slices.Contains(servers, s.Name)
	})
}

// listedAs describes the tools listed for a server with an error.
func listedAs(st api.ServerStatus) string {
	if st.Tools > 0 {
		return "the last known ones"
	}
	return "not listed"
}

func statusOf(st api.Status, servers []string) (of []api.ServerStatus) {
	for _, s := range st.Servers {
		if slices.Contains(servers, s.Name) {
			of = append(of, s)
		}
	}
	return of
}

func toolTable(list []tool) *iostreams.Table {
	t := iostreams.NewTable("NAME", "TOKENS", "DESCRIPTION")
	total, saved := 0, 0
	for _, tool := range list {
		if tool.NotOffered != "" {
			t.Row(tool.Name, "-", "not offered: "+tool.NotOffered)
		} else {
			t.Row(tool.Name, fmt.Sprint(tool.Tokens), tool.Description)
		}
		total, saved = total+tool.Tokens, saved+tool.SavedTokens
	}
	t.Row("(all)", fmt.Sprint(total), "est., in the client's context from the start")
	if saved > 0 {
		t.Row("(saved)", fmt.Sprint(saved), "est., of tools that spec.tools does not offer")
	}
	return t
}
