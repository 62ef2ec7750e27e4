// Package traffic keeps the headers of a project's events for a screen: Entry is one event without
// its texts, Log a bounded list of entries, Feed receives them from the daemon.
package traffic

import (
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// The types of events that a screen distinguishes.
const (
	Paused   = "content_paused"
	Edited   = "content_edited"
	Released = "content_released"
	Switched = "model_switched"
)

// Entry is an event. Its texts are clean and bounded, so that thousands fit into memory.
type Entry struct {
	ID      uint64
	Type    string
	Time    time.Time
	Title   string // what the event is about: a tool, a prompt, a URI, a name
	Session string // id, not clean
	Source  string // not clean
	Client  string
	Note    string // error or reason

	In, Out  int // tokens, est.
	Micros   int64
	Upstream int64
	Changed  bool
	Failed   bool
	HasBody  bool

	Hold    uint64 // id of the hold
	Outcome string // of the hold; empty while the answer is held
	Parts   []Part
}

// Part is one text of a result on its way through the stages.
type Part struct {
	Type   string // detected
	Stages []Stage
}

// Stage is the run of a stage.
type Stage struct {
	Role, Module, Outcome string
	Micros                int64
	In, Out               int // bytes
}

// Held reports whether the entry is an answer that waits for its release.
func (e *Entry) Held() bool { return e.Type == Paused && e.Outcome == "" }

// Saved returns the share of tokens that the client did not receive, in percent.
func (e *Entry) Saved() int {
	if e.In <= 0 || e.Out > e.In {
		return 0
	}
	return 100 * (e.In - e.Out) / e.In
}

// Limits of the texts of an Entry.
const (
	maxTitle  = 160
	maxNote   = 300
	maxParts  = 16
	maxStages = 16
)

// interner stores equal texts once. Its size is bounded.
type interner map[string]string

func (in interner) intern(s string) string {
	if t, ok := in[s]; ok {
		return t
	}
	if len(in) > 4096 {
		clear(in)
	}
	s = strings.Clone(s)
	in[s] = s
	return s
}

// clean returns an untrusted text in one row of at most limit bytes.
func (in interner) clean(s string, limit int) string {
	if len(s) > limit {
		s = strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return in.intern(iostreams.Cells(s))
}

// entry returns the header of an event.
func (in interner) entry(e api.Event) Entry {
	out := Entry{
		ID: e.ID, Type: in.clean(e.Type, maxTitle), Time: e.Time,
		Title: in.clean(title(e), maxTitle), Note: in.clean(reason(e), maxNote),
		Session: in.intern(e.Session), Source: in.intern(e.Source), Client: in.clean(e.Client, maxTitle),
		In: e.In, Out: e.Out, Micros: e.Micros, Upstream: e.Upstream, Changed: e.Changed,
		Failed: e.IsError || e.Error != "", HasBody: len(e.Refs)+len(e.Shown) > 0,
	}
	if e.Hold != nil {
		out.Hold, out.Outcome = e.Hold.ID, in.clean(e.Hold.Outcome, maxTitle)
	}
	for _, r := range e.Runs[:min(len(e.Runs), maxParts)] {
		p := Part{Type: in.clean(r.Type, maxTitle)}
		for _, s := range r.Stages[:min(len(r.Stages), maxStages)] {
			p.Stages = append(p.Stages, Stage{
				Role: in.clean(s.Role, maxTitle), Module: in.clean(s.ModuleHash, maxTitle), Outcome: in.clean(s.Outcome, maxTitle),
				Micros: s.Micros, In: s.InBytes, Out: s.OutBytes,
			})
		}
		out.Parts = append(out.Parts, p)
	}
	return out
}

// title returns the source of an event, or the object that changed.
func title(e api.Event) string {
	switch {
	case e.Source != "" && e.Section != "":
		return e.Source + " " + e.Section
	case e.Source != "":
		return e.Source
	case e.Change != nil && e.Change.To != "":
		return strings.TrimSpace(e.Change.Name + " " + short(e.Change.From) + " -> " + short(e.Change.To))
	case e.Change != nil && e.Change.Name != "":
		return e.Change.Name
	case e.Method != "":
		return e.Method
	case e.Server != "":
		return e.Server
	}
	return e.Client
}

// short shortens a hash.
func short(s string) string {
	if len(s) > 32 {
		return s[:12]
	}
	return s
}

func reason(e api.Event) string {
	if e.Error == "" && e.Change != nil {
		return e.Change.Reason
	}
	return e.Error
}
