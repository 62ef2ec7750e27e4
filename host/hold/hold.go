// Package hold holds answers until a person releases, edits or drops them.
//
// Holds has a Rule for each project and the answers that are held now. An answer that
// is not released in time is sent unchanged, so a studio that ends never blocks a
// client. The package knows no protocol and stores nothing on disk.
package hold

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Options are the settings of New. The zero value works.
type Options struct {
	MaxPending int                       // held answers of all projects; default 100
	MaxBytes   int                       // memory that they keep in use; default 64 MiB
	Watched    func(project string) bool // reports whether a studio is connected; nil: never
}

// How long an answer is held. Clients end a call without progress after 60 s or later;
// progress extends that, as long as a studio is connected or was used in the last 45 s.
const (
	silentLimit   = 45 * time.Second
	progressLimit = 10 * time.Minute
	progressEvery = 10 * time.Second
)

// Rule selects the answers of a project that are held.
type Rule struct {
	All   bool
	Query string             // the text of Match, for display
	Match func(*Answer) bool // nil: none
}

func (r Rule) selects(a *Answer) bool { return r.All || r.Match != nil && r.Match(a) }

// Answer is an answer that may be held. Its fields are not modified.
type Answer struct {
	ID       uint64 // set by Holds
	Since    time.Time
	Deadline time.Time

	Project string
	Texts   []string // for the client
	Bytes   int      // memory that the answer keeps in use besides Texts
	Info    any      // of the caller, passed through

	// Progress reports progress to the client; nil if it wants none.
	Progress func(step int, text string)
}

func (a *Answer) bytes() int {
	n := a.Bytes
	for _, t := range a.Texts {
		n += len(t)
	}
	return n
}

// The outcomes of a hold.
const (
	Released  = "released"
	Edited    = "edited"
	Dropped   = "dropped"
	Expired   = "expired"
	Cancelled = "cancelled" // the client or the daemon ended the call
)

// Decision ends a hold. Texts are those of an edit.
type Decision struct {
	Outcome string
	Texts   []string
}

// Holds are the rules and the held answers. It is safe for concurrent use.
type Holds struct {
	opt    Options
	active atomic.Bool // a project has a rule

	mu      sync.Mutex
	rules   map[string]Rule
	passed  map[string]int // answers of a project that were not held because of a limit
	pending []*held        // oldest first
	bytes   int
	next    uint64
	touched map[string]time.Time // last use of the studio's methods, by project
	closed  bool
}

type held struct {
	Answer
	decide chan Decision // buffered; receives one
}

// New returns Holds without rules.
func New(opt Options) *Holds {
	if opt.MaxPending <= 0 {
		opt.MaxPending = 100
	}
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = 64 << 20
	}
	if opt.Watched == nil {
		opt.Watched = func(string) bool { return false }
	}
	return &Holds{opt: opt, rules: map[string]Rule{}, passed: map[string]int{}, touched: map[string]time.Time{}}
}

// IsActive reports whether any project has a rule. It costs one atomic load.
func (h *Holds) IsActive() bool { return h.active.Load() }

// SetRule replaces the rule of a project. Held answers stay held.
func (h *Holds) SetRule(project string, r Rule) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.touched[project] = time.Now()
	h.setRule(project, r)
}

func (h *Holds) setRule(project string, r Rule) {
	delete(h.passed, project)
	if r.All || r.Match != nil {
		h.rules[project] = r
	} else {
		delete(h.rules, project)
	}
	h.active.Store(len(h.rules) > 0 && !h.closed)
}

// Rule returns the rule of a project, the number of its held answers, and of those that
// were not held because a limit was reached.
func (h *Holds) Rule(project string) (r Rule, pending, passed int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.pending {
		if p.Project == project {
			pending++
		}
	}
	return h.rules[project], pending, h.passed[project]
}

// Selects reports whether the rule of a project selects an answer.
func (h *Holds) Selects(a *Answer) bool {
	h.mu.Lock()
	r := h.rules[a.Project]
	h.mu.Unlock()
	return r.selects(a)
}

// Hold holds an answer until it is decided, its deadline passes or ctx ends. started is
// called with the answer once it is held. ok is false if it was not held, because a limit
// is reached or Holds is closed.
func (h *Holds) Hold(ctx context.Context, a Answer, started func(Answer)) (d Decision, ok bool) {
	p := h.add(a)
	if p == nil {
		return Decision{}, false
	}
	started(p.Answer)
	if d = h.wait(ctx, p); d.Outcome == Expired {
		h.endUnattended(p)
	}
	return d, true
}

func (h *Holds) add(a Answer) *held {
	limit := silentLimit
	if a.Progress != nil {
		limit = progressLimit
	}
	a.Since = time.Now()
	a.Deadline = a.Since.Add(limit)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	if len(h.pending) >= h.opt.MaxPending || h.bytes+a.bytes() > h.opt.MaxBytes {
		h.passed[a.Project]++
		return nil
	}
	h.next++
	a.ID = h.next
	p := &held{a, make(chan Decision, 1)}
	h.pending = append(h.pending, p)
	h.bytes += a.bytes()
	return p
}

// wait waits for a decision and reports progress meanwhile, so that clients do not end
// the call as idle.
func (h *Holds) wait(ctx context.Context, p *held) Decision {
	outcome, ok := h.await(ctx, p)
	if ok {
		return outcome
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.removePending(p) {
		return <-p.decide // decided at the same moment
	}
	return outcome
}

// await is wait; ok is false if the hold ended without a decision.
func (h *Holds) await(ctx context.Context, p *held) (d Decision, ok bool) {
	deadline := time.NewTimer(time.Until(p.Deadline))
	defer deadline.Stop()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for step := 1; ; step++ {
		select {
		case d := <-p.decide:
			return d, true
		case <-deadline.C:
			return Decision{Outcome: Expired}, false
		case <-ctx.Done():
			return Decision{Outcome: Cancelled}, false
		case <-tick.C:
			if h.isUnattended(p) {
				return Decision{Outcome: Expired}, false
			}
			if p.Progress != nil {
				waited := time.Since(p.Since).Round(time.Second)
				p.Progress(step, fmt.Sprintf("held in Model Studio, %d:%02d", int(waited.Minutes()), int(waited.Seconds())%60))
			}
		}
	}
}

// isUnattended reports whether no studio is connected, and none was used for as long as an
// answer without progress is held.
func (h *Holds) isUnattended(p *held) bool {
	if h.opt.Watched(p.Project) {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	last := p.Since
	if t := h.touched[p.Project]; t.After(last) {
		last = t
	}
	return time.Since(last) >= silentLimit
}

// endUnattended ends the rule of a project if no studio was used since an answer was
// held that has expired, so that the next answers are not delayed too.
func (h *Holds) endUnattended(p *held) {
	watched := h.opt.Watched(p.Project)
	h.mu.Lock()
	defer h.mu.Unlock()
	if !watched && h.touched[p.Project].Before(p.Since) {
		h.setRule(p.Project, Rule{})
	}
}

// removePending removes a held answer. It reports false if it is not held any more. The
// caller holds mu.
func (h *Holds) removePending(p *held) bool {
	i := slices.Index(h.pending, p)
	if i < 0 {
		return false
	}
	h.pending = slices.Delete(h.pending, i, i+1)
	h.bytes -= p.bytes()
	return true
}

// List returns the held answers of a project, oldest first; "" means all projects.
func (h *Holds) List(project string) (list []Answer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.touched[project] = time.Now()
	for _, p := range h.pending {
		if project == "" || p.Project == project {
			h.touched[p.Project] = time.Now()
			list = append(list, p.Answer)
		}
	}
	return list
}

// Get returns a held answer.
//
// Errors: abi.ErrNotFound if it is not held.
func (h *Holds) Get(id uint64) (Answer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, err := h.find(id)
	if err != nil {
		return Answer{}, err
	}
	h.touched[p.Project] = time.Now()
	return p.Answer, nil
}

func (h *Holds) find(id uint64) (*held, error) {
	for _, p := range h.pending {
		if p.ID == id {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%w: answer %d is not held, it was released or its time has passed", abi.ErrNotFound, id)
}

// End decides about a held answer.
//
// Errors: abi.ErrNotFound if it is not held; abi.ErrConfig for an edit with another
// number of texts.
func (h *Holds) End(id uint64, d Decision) (Answer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, err := h.find(id)
	if err != nil {
		return Answer{}, err
	}
	h.touched[p.Project] = time.Now()
	if d.Outcome == Edited && len(d.Texts) != len(p.Texts) {
		return Answer{}, fmt.Errorf("%w: the edit has %d texts, the answer has %d", abi.ErrConfig, len(d.Texts), len(p.Texts))
	}
	h.decide(p, d)
	return p.Answer, nil
}

// decide ends a hold. The caller holds mu.
func (h *Holds) decide(p *held, d Decision) {
	h.removePending(p)
	p.decide <- d
}

// ReleaseAll releases the held answers of a project and returns their number; "" means
// all projects.
func (h *Holds) ReleaseAll(project string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range slices.Clone(h.pending) {
		if project == "" || p.Project == project {
			h.touched[p.Project] = time.Now()
			h.decide(p, Decision{Outcome: Released})
			n++
		}
	}
	return n
}

// Close releases all held answers. Later answers are not held.
func (h *Holds) Close() {
	h.mu.Lock()
	h.closed = true
	h.active.Store(false)
	h.mu.Unlock()
	h.ReleaseAll("")
}
