package prompt

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// LLM makes Outlines: the part of a project's LLM that is needed here.
//
// Implementations are safe for concurrent use.
type LLM interface {
	// Available says how many requests of a tier may run at once; 0: none is
	// configured, or it is out of order.
	Available(project string, tier int) (slots int, err error)
	// Stored gives the answer to a request if the project has it.
	Stored(r abi.LLMRequest) (abi.LLMAnswer, bool)
	// Send starts a request without waiting; it ends with ctx.
	Send(ctx context.Context, r abi.LLMRequest) (abi.LLMCall, error)
}

// Store keeps what was made beyond the life of the process. Values may vanish.
type Store interface {
	Get(project, hash string) ([]byte, bool)
	Set(project, hash string, value []byte) error
}

// Bounds of the background work.
const (
	maxQueued   = 20_000
	atOnce      = 4
	answerTime  = time.Minute
	retryAfter  = 10 * time.Minute
	outlineCap  = 400      // tokens of an answer
	maxLLMInput = 24 << 10 // bytes of a prompt that an LLM reads
)

// Summaries are the Outlines that an LLM made, each once for a content in a
// project. Safe for concurrent use.
type Summaries struct {
	llm     LLM
	store   Store
	log     *slog.Logger
	changed func(project string) // an Outline is new
	now     func() time.Time

	mu     sync.Mutex
	made   map[job]Outline
	known  map[job]bool  // asked of the store already
	again  map[job]int64 // what the store wants to be made anew
	failed map[job]time.Time
	queued map[job]bool
	queue  []task
	wake   chan struct{}
}

// job is one content of a project.
type job struct{ project, hash string }

type task struct {
	job
	text  string
	again int64 // not 0: a number of its own for this time that it was made anew at somebody's wish
}

// SummaryOptions are options of NewSummaries.
type SummaryOptions struct {
	LLM     LLM                  // nil: nothing is ever made
	Store   Store                // nil: kept in memory alone
	Log     *slog.Logger         // default: nothing is logged
	Changed func(project string) // called without locks; may be nil
	Now     func() time.Time     // default time.Now
}

// NewSummaries makes an empty Summaries; nothing is made before Run.
func NewSummaries(o SummaryOptions) *Summaries {
	s := &Summaries{llm: o.LLM, store: o.Store, log: o.Log, changed: o.Changed, now: o.Now, wake: make(chan struct{}, 1),
		made: make(map[job]Outline), known: make(map[job]bool), failed: make(map[job]time.Time), queued: make(map[job]bool), again: make(map[job]int64)}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.changed == nil {
		s.changed = func(string) {}
	}
	if s.now == nil {
		s.now = time.Now
	}
	return s
}

// Get gives the Outline of a content if it was made, without waiting.
func (s *Summaries) Get(project, hash string) (Outline, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := job{project, hash}
	if !s.known[j] {
		s.known[j] = true
		if o, ok := s.stored(j); ok {
			s.made[j] = o
		}
	}
	o, ok := s.made[j]
	return o, ok
}

func (s *Summaries) stored(j job) (Outline, bool) {
	if s.store == nil {
		return Outline{}, false
	}
	b, ok := s.store.Get(j.project, j.hash)
	if !ok {
		return Outline{}, false
	}
	var v kept
	if err := json.Unmarshal(b, &v); err != nil {
		return Outline{}, false
	}
	if v.Again != 0 {
		s.again[j] = v.Again
		return Outline{}, false
	}
	return v.Outline, true
}

// kept is what a Store holds: an Outline, or that it is to be made anew.
type kept struct {
	Outline
	Again int64 `json:",omitempty"` // number of the request, another each time
}

// Anew is what is put into a Store so that the next Summaries on it makes an Outline
// anew, whatever was made before.
func Anew(now time.Time) []byte {
	b, _ := json.Marshal(kept{Again: now.UnixNano()}) // numbers always encode
	return b
}

// Want has the Outline of a content made in the background, unless it is there,
// under way, failed a short while ago, or the project has no LLM.
func (s *Summaries) Want(project, hash, text string) {
	if _, ok := s.Get(project, hash); ok || !s.able(project) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	j := job{project, hash}
	if at, bad := s.failed[j]; bad && s.now().Sub(at) < retryAfter {
		return
	}
	s.enqueue(task{job: j, text: text, again: s.again[j]})
}

// Again has an Outline made anew, whatever was made before.
//
// Errors: abi.ErrUnavailable without an LLM in the project, abi.ErrLimit if too many
// wait already.
func (s *Summaries) Again(project, hash, text string) error {
	if !s.able(project) {
		return fmt.Errorf("%w: project %q has no LLM that could make a summary, the rules' one stays", abi.ErrUnavailable, project)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := task{job: job{project, hash}, text: text, again: s.now().UnixNano()}
	if i := slices.IndexFunc(s.queue, func(q task) bool { return q.job == t.job }); i >= 0 {
		s.queue[i] = t
		return nil
	}
	if len(s.queue) >= maxQueued {
		return fmt.Errorf("%w: %d summaries wait to be made, try again when they are", abi.ErrLimit, len(s.queue))
	}
	s.enqueue(t)
	return nil
}

func (s *Summaries) able(project string) bool {
	if s.llm == nil {
		return false
	}
	slots, err := s.llm.Available(project, abi.TierFast)
	return err == nil && slots > 0
}

func (s *Summaries) enqueue(t task) {
	if s.queued[t.job] || len(s.queue) >= maxQueued {
		return
	}
	s.queued[t.job] = true
	s.queue = append(s.queue, t)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run makes what is wanted, a few at a time, until ctx ends.
func (s *Summaries) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	turns := make(chan struct{}, atOnce)
	for {
		t, ok := s.next()
		if !ok {
			select {
			case <-s.wake:
				continue
			case <-ctx.Done():
				return
			}
		}
		select {
		case turns <- struct{}{}:
		case <-ctx.Done():
			return
		}
		running.Go(func() {
			defer func() { <-turns }()
			s.make(ctx, t)
		})
	}
}

func (s *Summaries) next() (task, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return task{}, false
	}
	t := s.queue[0]
	s.queue = s.queue[1:]
	return t, true
}

func (s *Summaries) make(ctx context.Context, t task) {
	o, err := s.ask(ctx, t)
	s.mu.Lock()
	delete(s.queued, t.job)
	if err != nil {
		s.failed[t.job] = s.now()
	} else {
		delete(s.failed, t.job)
		s.made[t.job], s.known[t.job] = o, true
		delete(s.again, t.job)
	}
	s.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			s.log.Warn("no summary made, the rules' one stays", "project", t.project, "error", err)
		}
		return
	}
	s.keep(t.job, o)
	s.changed(t.project)
}

func (s *Summaries) keep(j job, o Outline) {
	if s.store == nil {
		return
	}
	b, _ := json.Marshal(o) // texts always encode
	if err := s.store.Set(j.project, j.hash, b); err != nil {
		s.log.Warn("summary not kept", "project", j.project, "error", err)
	}
}

// ask asks the LLM, or takes the answer that it gave before.
func (s *Summaries) ask(ctx context.Context, t task) (Outline, error) {
	r := request(t)
	if a, ok := s.llm.Stored(r); ok {
		return outlineIn(a)
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	call, err := s.llm.Send(ctx, r)
	if err != nil {
		return Outline{}, err
	}
	select {
	case <-call.Done():
	case <-ctx.Done():
		return Outline{}, ctx.Err()
	}
	a, err := call.Answer()
	if err != nil {
		return Outline{}, err
	}
	return outlineIn(a)
}
