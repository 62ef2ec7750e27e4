// Package pin compares the tools of servers with the definitions that the user has
// approved. The file tools.lock keeps both.
//
// A Store records the lists of a running daemon; Read and Update are for commands, which
// approve changes. The tools that a server lists first are approved. A tool that is removed
// is no change. Package pin does not read lists: package catalog does.
package pin

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
)

// Options of Open. All fields are required.
type Options struct {
	Home   homedir.Dir
	Log    *slog.Logger
	Now    func() time.Time
	Policy func(server string) string // returns a value of object.ServerSpec.Pinning
	// Recorded is called after the first list of a server was approved.
	Recorded func(server string, tools int)
	// Changed is called for each different definition that is not approved.
	Changed func(Change)
}

// Change is a definition that is not approved.
type Change struct {
	Server   string
	Tool     string
	Approved string // the hash of the approved definition; "": the tool is new
	SHA256   string
	Policy   string
	Last     bool // further changes of this tool are not reported
}

// Store knows the approved definitions and those that servers listed last. It is safe for
// concurrent use.
type Store struct {
	opts Options

	mu         sync.Mutex
	lock       *Lock
	fault      error                // tools.lock is invalid
	reported   map[string]bool      // server, tool and hash of the changes that were reported
	reports    map[string]int       // by server
	writes     map[string]int       // by server
	written    map[string]time.Time // by server
	unrecorded map[string]int       // by server: listed tools beyond the limits
}

// A server can change a definition at each start or at each list. The number of reports
// and of writes that it causes is limited.
const (
	maxReports  = 3   // of one tool until it is approved
	maxOfServer = 100 // reports of one server until tools.lock is read again
	maxReported = 10_000
	freeWrites  = 10 // of one server, later ones are writePause apart
	writePause  = time.Minute
)

// Open reads tools.lock.
func Open(o Options) *Store {
	s := &Store{opts: o, reported: make(map[string]bool), reports: make(map[string]int), writes: make(map[string]int), written: make(map[string]time.Time), unrecorded: make(map[string]int)}
	s.Reload()
	return s
}

// Reload reads tools.lock again, which a command has changed.
func (s *Store) Reload() {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := Read(s.opts.Home)
	if s.fault = err; err != nil {
		s.opts.Log.Warn("the approved definitions of tools cannot be read", "error", err)
		l = &Lock{Servers: make(map[string]*Server)}
	}
	s.lock = l
	clear(s.reports)
}

// Record compares the list of a server with the approved definitions and reports changes.
func (s *Store) Record(server string, list []Definition) {
	policy := s.opts.Policy(server)
	if policy == object.PinOff {
		return
	}
	s.mu.Lock()
	recorded, changes := s.record(server, list)
	s.mu.Unlock()
	if recorded > 0 {
		s.opts.Recorded(server, recorded)
	}
	for _, c := range changes {
		c.Policy = policy
		s.opts.Changed(c)
	}
}

// record returns the number of tools of a first list, and the changes to report.
func (s *Store) record(server string, list []Definition) (recorded int, changes []Change) {
	if s.fault != nil {
		return 0, nil
	}
	now := s.opts.Now().UTC().Truncate(time.Second)
	known := s.lock.Servers[server]
	next, changed := known.after(list, now)
	s.unrecorded[server] = next.countOthers(list)
	if next == known {
		return 0, nil
	}
	if s.mayWrite(server) {
		err := Update(s.opts.Home, func(l *Lock) error {
			known = l.Servers[server] // approved by another process meanwhile, or not
			if next, changed = known.after(list, now); next != nil {
				l.Servers[server] = next
			}
			return nil
		})
		if err != nil {
			s.opts.Log.Warn("the definitions of tools cannot be recorded", "server", server, "error", err)
		}
	}
	if known == nil {
		recorded = len(next.Tools)
	}
	s.lock.Servers[server] = next
	for _, tool := range changed {
		if c, ok := s.report(server, tool, next.Tools[tool]); ok {
			changes = append(changes, c)
		}
	}
	return recorded, changes
}

// mayWrite reports whether tools.lock may be written for a server now. A change that is not
// written is known to this process only, until the next one.
func (s *Store) mayWrite(server string) bool {
	now := s.opts.Now()
	if s.writes[server]++; s.writes[server] > freeWrites && now.Sub(s.written[server]) < writePause {
		return false
	}
	s.written[server] = now
	return true
}

// report returns a change unless it was reported before.
func (s *Store) report(server, tool string, t *Tool) (c Change, ok bool) {
	key := fmt.Sprintf("%q %q %s", server, tool, t.Seen.SHA256)
	if t.Changes > maxReports || s.reported[key] || s.reports[server] >= maxOfServer {
		return c, false
	}
	s.reports[server]++
	if len(s.reported) >= maxReported {
		clear(s.reported)
	}
	s.reported[key] = true
	c = Change{Server: server, Tool: tool, SHA256: t.Seen.SHA256, Last: t.Changes == maxReports || s.reports[server] == maxOfServer}
	if t.Approved != nil {
		c.Approved = t.Approved.SHA256
	}
	return c, true
}

// Holds reports whether a server has the policy hold.
func (s *Store) Holds(server string) bool { return s.opts.Policy(server) == object.PinHold }

// Substitutes returns the tools of a list that clients do not see as listed, by position:
// with the approved definition, or "" for a tool that is not shown. That is the case for a
// new tool, and for one whose approved definition was too large to be kept. list is called
// only if it is needed.
func (s *Store) Substitutes(server string, list func() []Definition) map[int]string {
	if !s.Holds(server) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.lock.Servers[server]
	if known == nil && s.fault == nil {
		return nil // its first list
	}
	instead := make(map[int]string)
	for i, d := range list() {
		switch approved := known.approved(d.Name); {
		case approved == nil:
			instead[i] = ""
		case approved.SHA256 != d.SHA256:
			instead[i] = approved.Definition
		}
	}
	return instead
}

// HeldError reports that a tool must not be called.
type HeldError struct{ Server, Tool, Why string }

func (e *HeldError) Error() string {
	return fmt.Sprintf("tool %q of server %q is held: %s\n  the server has the policy pinning: hold, so the tool cannot be called until the user approves its definition\nhint: mcpctl approve server %s", e.Tool, e.Server, e.Why, e.Server)
}

// Check returns a *HeldError if a tool must not be called.
func (s *Store) Check(server, tool string) error {
	if !s.Holds(server) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.lock.Servers[server]
	switch {
	case s.fault != nil:
		return &HeldError{server, tool, "tools.lock cannot be read"}
	case known == nil:
		return nil // never listed
	case known.approved(tool) == nil:
		return &HeldError{server, tool, "it is not one of the approved tools"}
	case known.Tools[tool].Seen != nil:
		return &HeldError{server, tool, "its definition has changed since it was approved"}
	}
	return nil
}

// Held returns the tools of a server that must not be called, because they wait for approval.
func (s *Store) Held(server string) []string {
	if !s.Holds(server) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lock.Servers[server].Pending()
}

// maxNamed is the number of tools that a note names.
const maxNamed = 5

// Notes describes the tools of a server that wait for approval.
func (s *Store) Notes(server string) (notes []string) {
	if s.opts.Policy(server) == object.PinOff {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault != nil {
		return []string{fmt.Sprintf("its tools are not compared with the approved ones: %v; repair or remove the file", s.fault)}
	}
	if n := s.unrecorded[server]; n > 0 {
		notes = append(notes, fmt.Sprintf("%d of its tools are not compared with approved ones: at most %d tools with names of %d bytes are recorded", n, maxTools, maxName))
	}
	known := s.lock.Servers[server]
	pending := known.Pending()
	if len(pending) == 0 {
		return notes
	}
	var changed, added []string
	often := false
	for _, name := range pending {
		often = often || known.Tools[name].Changes > maxReports
		if known.Tools[name].Approved == nil {
			added = append(added, name)
		} else {
			changed = append(changed, name)
		}
	}
	isHeld := ""
	if s.opts.Policy(server) == object.PinHold {
		isHeld = ", which cannot be called"
	}
	note := joinNonEmpty("; ", describe("tools with a changed definition"+isHeld, changed), describe("new tools"+isHeld, added))
	if often {
		note += "; they change often: if that is intended, set pinning: off for this server"
	}
	return append(notes, note+"; to compare and approve them: mcpctl approve server "+server)
}

// describe names some of the tools, or returns "" for none.
func describe(what string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	quoted := make([]string, 0, maxNamed)
	for _, name := range names[:min(len(names), maxNamed)] {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	if more := len(names) - len(quoted); more > 0 {
		quoted = append(quoted, fmt.Sprintf("%d more", more))
	}
	return what + ": " + strings.Join(quoted, ", ")
}

func joinNonEmpty(sep string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), sep)
}

// Forget removes a server that was deleted.
func (s *Store) Forget(server string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock.Servers[server] == nil {
		return nil
	}
	delete(s.lock.Servers, server)
	return Update(s.opts.Home, func(l *Lock) error {
		delete(l.Servers, server)
		return nil
	})
}
