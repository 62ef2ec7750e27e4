// Package failure remembers the failures of stages and controllers in live traffic.
//
// A client does not see them: the content passes through unchanged. A Log writes them
// to the log at a bounded rate, and status reports them.
package failure

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Record describes the failures of one role in live traffic.
type Record struct {
	Kind   abi.RoleKind // stage for filters too
	Role   string
	Module string // hash
	Cause  string // one line, without secrets
	Count  int    // since the module was loaded, or since its last run without a failure
	Last   time.Time
	Now    bool // the last run failed

	text string // the error without its numbers, from which Cause was derived
}

// Err returns the record as an error.
func (r Record) Err() error {
	at := r.Last.Format(time.TimeOnly)
	if r.Count == 1 {
		return fmt.Errorf("%s %q failed at %s: %s", r.Kind, r.Role, at, r.Cause)
	}
	return fmt.Errorf("%s %q failed %d times in a row, last at %s: %s", r.Kind, r.Role, r.Count, at, r.Cause)
}

// Log records failures by role. It is safe for concurrent use.
type Log struct {
	log     *slog.Logger
	cleaner func() func(string) string

	mu      sync.Mutex
	roles   map[string]Record
	limiter rateLimiter
}

// NewLog returns a Log that writes to log. cleaner returns a function that removes
// secrets from a text, because the error of a guest may quote them.
func NewLog(log *slog.Logger, cleaner func() func(string) string) *Log {
	return &Log{log: log, cleaner: cleaner, roles: make(map[string]Record), limiter: rateLimiter{}}
}

// NoteStages records the reports of one pass through the pipeline. A failure is logged
// once a minute for each role and cause.
func (f *Log) NoteStages(project, source string, reports []flow.StageReport, at time.Time) {
	for _, r := range reports {
		switch {
		case r.Skipped: // the reason is already recorded
		case r.Error != "" && (r.Outcome == "failed" || r.Outcome == "blocked"):
			if suppressed, due := f.addFailure(abi.KindStage, r, at); due {
				f.log.Warn("stage failed", "stage", r.Role, "project", project, "source", source, "cause", f.cleaner()(r.Error), "before", suppressed)
			}
		case r.Outcome == "done", r.Outcome == "pass":
			f.recovered(r)
		}
	}
}

// NoteHook records the report of one hook. ran reports whether its module ran.
func (f *Log) NoteHook(project string, r flow.HookReport, ran bool, at time.Time) {
	row := flow.StageReport{Role: r.Role, ModuleHash: r.ModuleHash, Error: r.Error}
	switch {
	case !ran: // the reason is already recorded
	case r.Error == "":
		f.recovered(row)
	default:
		if suppressed, due := f.addFailure(abi.KindController, row, at); due {
			f.log.Warn("controller failed", "controller", r.Role, "project", project, "hook", r.Hook, "cause", f.cleaner()(r.Error), "before", suppressed)
		}
	}
}

// addFailure adds one failure to the record of its role. It reports whether it is due
// to be logged, and how many equal ones were suppressed since the last log line.
func (f *Log) addFailure(kind abi.RoleKind, r flow.StageReport, at time.Time) (suppressed int, due bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	row := f.roles[r.Role]
	if row.Module != r.ModuleHash {
		row = Record{}
	}
	if text := removeDigits(r.Error); text != row.text || row.Cause == "" {
		row.text, row.Cause = text, f.cleaner()(Reason(r))
	}
	row.Kind, row.Role, row.Module, row.Last, row.Now = kind, r.Role, r.ModuleHash, at, true
	row.Count++
	f.roles[r.Role] = row
	return f.limiter.allow(r.Role+" "+removeDigits(r.Error), at)
}

// recovered records a run without a failure.
func (f *Log) recovered(r flow.StageReport) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if row, ok := f.roles[r.Role]; ok {
		row.Now, row.Count = false, 0
		f.roles[r.Role] = row
	}
}

// NoteNotStored logs, once a minute, that originals cannot be stored.
func (f *Log) NoteNotStored(cause error, at time.Time) {
	f.mu.Lock()
	suppressed, due := f.limiter.allow("originals", at)
	f.mu.Unlock()
	if due {
		f.log.Error("originals cannot be stored, results pass through unchanged", "cause", cause, "before", suppressed)
	}
}

// Last returns the record of a role, if it has one of the module with this hash.
func (f *Log) Last(role, module string) (Record, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	row, ok := f.roles[role]
	return row, ok && row.Module == module
}

// Current returns the records of the roles whose last run failed, by name.
func (f *Log) Current() []Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []Record
	for _, role := range slices.Sorted(maps.Keys(f.roles)) {
		if row := f.roles[role]; row.Now {
			list = append(list, row)
		}
	}
	return list
}

// Prune drops the records of roles that their module does not serve any more.
func (f *Log) Prune(serves func(role, module string) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.roles, func(role string, row Record) bool { return !serves(role, row.Module) })
}

// Reason returns the cause of a failed stage in one line, without the name of the stage
// and the consequence for the content.
func Reason(r flow.StageReport) string {
	text, _, _ := strings.Cut(r.Error, "\n")
	if _, rest, ok := strings.Cut(text, strconv.Quote(r.Role)+": "); ok {
		text = rest
	}
	for _, end := range []string{", content passed on unchanged", ", result withheld", ", placeholder shown"} {
		text = strings.TrimSuffix(text, end)
	}
	return text
}

// removeDigits returns a text without its numbers: two failures that differ only in a
// size or a duration have the same cause.
func removeDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return -1
		}
		return r
	}, text)
}
