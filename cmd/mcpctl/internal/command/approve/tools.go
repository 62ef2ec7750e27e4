package approve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/textdiff"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/pin"
	"github.com/mcpctl/mcpctl/host/trust"
)

// change is a tool that waits for approval.
type change struct {
	Server   string       `json:"server"`
	Tool     string       `json:"tool"`
	Status   string       `json:"status"` // changed, new
	Approved *pin.Version `json:"approved,omitempty"`
	Listed   *pin.Version `json:"listed"`
}

// approveTools prints the tools that wait for approval, asks, and approves them.
func approveTools(ctx context.Context, opts *Options) error {
	home, err := opts.F.Home()
	if err != nil {
		return err
	}
	lock, err := pin.Read(homedir.Dir(home))
	if err != nil {
		return err
	}
	changes := []change{}
	for _, name := range opts.Names {
		if err := requireServer(ctx, opts, name); err != nil {
			return err
		}
		changes = append(changes, pending(lock, name)...)
	}
	if err := printChanges(opts, changes); err != nil || opts.DryRun || len(changes) == 0 {
		return err
	}
	if ok, err := opts.F.Confirm(opts.Yes, "Approve %s?", printer.Plural(len(changes), "tool")); !ok || err != nil {
		return err
	}
	if err := write(homedir.Dir(home), changes); err != nil {
		return err
	}
	fmt.Fprintf(opts.F.IO.ErrOut, "%s approved\n", printer.Plural(len(changes), "tool"))
	return opts.F.ReloadDaemon(ctx)
}

// requireServer returns an error for a name that is not that of a server.
func requireServer(ctx context.Context, opts *Options, name string) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	_, err = s.Object(ctx, "server", "", name)
	return err
}

func pending(lock *pin.Lock, server string) (changes []change) {
	s := lock.Servers[server]
	for _, tool := range s.Pending() {
		t := s.Tools[tool]
		c := change{server, tool, "changed", t.Approved, t.Seen}
		if t.Approved == nil {
			c.Status = "new"
		}
		changes = append(changes, c)
	}
	return changes
}

// printChanges prints the differences of every change, or the changes in another format.
func printChanges(opts *Options, changes []change) error {
	io := opts.F.IO
	if len(changes) == 0 {
		fmt.Fprintln(io.ErrOut, "no tool waits for approval")
	}
	if !isText(opts.Output) {
		l := printer.Listing{Value: changes}
		for _, c := range changes {
			l.Names = append(l.Names, "tool/"+c.Server+"/"+c.Tool)
		}
		return printer.Print(io, opts.Output, l)
	}
	for _, c := range changes {
		fmt.Fprintf(io.Out, "%s: %s %s\n", c.Server, iostreams.Cells(c.Tool), c.Status)
		for _, v := range []*pin.Version{c.Approved, c.Listed} {
			if v != nil && v.Definition == "" {
				fmt.Fprintf(io.Out, "  its text was too large to be recorded: sha256 %s\n", v.SHA256)
			}
		}
		textdiff.Print(io, textdiff.Lines("approved", "listed now", lines(c.Approved), lines(c.Listed)), "  ", maxLines)
	}
	return nil
}

// maxLines is more than the lines of a definition: a change must not be hidden.
const maxLines = 1 << 20

// lines returns a definition as text, a line for each property, with all invisible
// characters escaped. Line breaks of the description are kept.
func lines(v *pin.Version) string {
	if v == nil || v.Definition == "" {
		return ""
	}
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(v.Definition), &members) != nil || isAmbiguous(v.Definition, members) {
		return iostreams.Cells(v.Definition) + "\n"
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(members)) {
		text, margin := "", "  "
		if json.Unmarshal(members[name], &text) != nil {
			var indented bytes.Buffer
			_ = json.Indent(&indented, members[name], "", "  ") // valid: it is a part of v.Definition
			text, margin = indented.String(), ""
		}
		parts := strings.Split(text, "\n")
		fmt.Fprintf(&b, "%s: %s\n", iostreams.Cells(name), iostreams.Cells(parts[0]))
		for _, line := range parts[1:] {
			fmt.Fprintf(&b, "%s%s\n", margin, iostreams.Cells(line))
		}
	}
	return b.String()
}

// isAmbiguous reports whether a definition has two properties of the same name, of which
// one would not be printed.
func isAmbiguous(definition string, members map[string]json.RawMessage) bool {
	printed := len("{}") + max(0, len(members)-1)
	for name, value := range members {
		quoted, err := json.Marshal(name)
		if err != nil {
			return true
		}
		printed += len(quoted) + len(":") + len(value)
	}
	return printed != len(definition)
}

// write approves the definitions that were printed.
func write(home homedir.Dir, changes []change) error {
	now := time.Now().UTC().Truncate(time.Second)
	err := pin.Update(home, func(l *pin.Lock) error {
		for _, c := range changes {
			var t *pin.Tool
			if s := l.Servers[c.Server]; s != nil {
				t = s.Tools[c.Tool]
			}
			if t == nil || t.Seen == nil || t.Seen.SHA256 != c.Listed.SHA256 {
				return problem.New(abi.ErrConflict, "tool %q of server %q has changed again, nothing was approved", c.Tool, c.Server).WithHint("mcpctl approve server %s", c.Server)
			}
			t.Approve(now)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range changes {
		d := trust.Decision{Action: "approve", Kind: trust.KindTool, Name: c.Server + "/" + c.Tool, SHA256: c.Listed.SHA256}
		if err := trust.Record(home.TrustLog(), d); err != nil {
			return err
		}
	}
	return nil
}
