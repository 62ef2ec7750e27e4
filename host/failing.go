package host

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// StageFailure is what went wrong with a role in live traffic.
type StageFailure struct {
	Kind   abi.RoleKind // stage for filters too
	Role   string
	Module string // hash
	Cause  string // one line, without secrets
	Count  int    // since the module was loaded, or since it last ran well
	Last   time.Time
	Now    bool // the last run failed

	said string // the error without its numbers, from which Cause was made
}

func (f StageFailure) err() error {
	return fmt.Errorf("%s %q failed %d times in a row, last at %s: %s", f.Kind, f.Role, f.Count, f.Last.Format(time.TimeOnly), f.Cause)
}

// failing keeps the failures of stages and controllers for status: a client does not see
// them. It is safe for concurrent use.
type failing struct {
	log     *slog.Logger
	cleaner func() func(string) string // returns a function that removes secrets, which a guest may quote

	mu    sync.Mutex
	roles map[string]StageFailure
	told  seldom
}

func newFailing(log *slog.Logger, cleaner func() func(string) string) *failing {
	return &failing{log: log, cleaner: cleaner, roles: make(map[string]StageFailure), told: seldom{}}
}

// note takes the reports of one pass. What fails is logged once a minute for
// each role and cause.
func (f *failing) note(project, source string, reports []flow.StageReport, at time.Time) {
	for _, r := range reports {
		switch {
		case r.Skipped: // it did not run: why not is known
		case r.Error != "" && (r.Outcome == "failed" || r.Outcome == "blocked"):
			if again, now := f.failed(abi.KindStage, r, at); now {
				f.log.Warn("stage failed", "stage", r.Role, "project", project, "source", source, "cause", f.cleaner()(r.Error), "before", again)
			}
		case r.Outcome == "done", r.Outcome == "pass":
			f.recovered(r)
		}
	}
}

// hook takes the report of a hook; ran says whether its module was asked.
func (f *failing) hook(project string, r flow.HookReport, ran bool, at time.Time) {
	row := flow.StageReport{Role: r.Role, ModuleHash: r.ModuleHash, Error: r.Error}
	switch {
	case !ran: // why not is known
	case r.Error == "":
		f.recovered(row)
	default:
		if again, now := f.failed(abi.KindController, row, at); now {
			f.log.Warn("controller failed", "controller", r.Role, "project", project, "hook", r.Hook, "cause", f.cleaner()(r.Error), "before", again)
		}
	}
}

func (f *failing) failed(kind abi.RoleKind, r flow.StageReport, at time.Time) (again int, now bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	row := f.roles[r.Role]
	if row.Module != r.ModuleHash {
		row = StageFailure{}
	}
	if said := shape(r.Error); said != row.said || row.Cause == "" {
		row.said, row.Cause = said, f.cleaner()(reason(r))
	}
	row.Kind, row.Role, row.Module, row.Last, row.Now = kind, r.Role, r.ModuleHash, at, true
	row.Count++
	f.roles[r.Role] = row
	return f.told.tell(r.Role+" "+shape(r.Error), at)
}

func (f *failing) recovered(r flow.StageReport) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if row, ok := f.roles[r.Role]; ok {
		row.Now, row.Count = false, 0
		f.roles[r.Role] = row
	}
}

// lost logs, once a minute, that originals cannot be stored.
func (f *failing) lost(cause error, at time.Time) {
	f.mu.Lock()
	again, now := f.told.tell("originals", at)
	f.mu.Unlock()
	if now {
		f.log.Error("originals cannot be stored, results go out whole", "cause", cause, "before", again)
	}
}

// of is the last failure of a role, if it has one of the module that serves.
func (f *failing) of(role, module string) (StageFailure, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	row, ok := f.roles[role]
	return row, ok && row.Module == module
}

// now are the roles whose last run failed.
func (f *failing) now() []StageFailure {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []StageFailure
	for _, role := range slices.Sorted(maps.Keys(f.roles)) {
		if row := f.roles[role]; row.Now {
			list = append(list, row)
		}
	}
	return list
}

// gone forgets roles that no module plays, or another one.
func (f *failing) gone(serves func(role, module string) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.roles, func(role string, row StageFailure) bool { return !serves(role, row.Module) })
}

// seldom says which of many equal messages are worth a line.
type seldom map[string]*spell

// spell is one message that comes again and again.
type spell struct {
	since time.Time // it was told
	held  int       // how often not, since
}

const (
	tellEvery = time.Minute
	mostTold  = 1000 // messages that are kept apart
)

// tell reports whether a message is due, and how often it was held back.
func (s seldom) tell(message string, at time.Time) (held int, due bool) {
	sp := s[message]
	if sp != nil && at.Sub(sp.since) < tellEvery {
		sp.held++
		return 0, false
	}
	if sp == nil {
		if len(s) >= mostTold {
			clear(s)
		}
		sp = new(spell)
		s[message] = sp
	}
	held = sp.held
	sp.since, sp.held = at, 0
	return held, true
}

// shape is a text without its figures: two failures that differ in a size or a
// time have one cause.
func shape(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return -1
		}
		return r
	}, text)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// oneLine is an error whose text may end in a hint, as one line.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\nhint: ", "; ") }
