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

// LLM sends requests to the LLM of a project. Implementations are safe for concurrent
// use.
type LLM interface {
	// Available returns how many requests of a tier may run concurrently. It is 0 if
	// no LLM is configured or available.
	Available(project string, tier int) (slots int, err error)
	// Stored returns the stored answer to a request.
	Stored(r abi.LLMRequest) (abi.LLMAnswer, bool)
	// Send starts a request without waiting for the answer. The request is cancelled
	// with ctx.
	Send(ctx context.Context, r abi.LLMRequest) (abi.LLMCall, error)
}

// Store stores generated Outlines across restarts. Values may be evicted.
type Store interface {
	Get(project, hash string) ([]byte, bool)
	Set(project, hash string, value []byte) error
}

// Limits of the background work.
const (
	maxQueued   = 20_000
	atOnce      = 4
	answerTime  = time.Minute
	retryAfter  = 10 * time.Minute
	outlineCap  = 400      // maximum tokens of an answer
	maxLLMInput = 24 << 10 // maximum bytes of a prompt in a request
)

// Summaries generates Outlines with an LLM, once for each content of a project. It is
// safe for concurrent use.
type Summaries struct {
	llm     LLM
	store   Store
	log     *slog.Logger
	changed func(project string) // called for a new Outline
	now     func() time.Time

	mu     sync.Mutex
	made   map[job]Outline
	known  map[job]bool  // looked up in the store
	again  map[job]int64 // marked in the store to be generated again; see RegenerateMark
	failed map[job]time.Time
	queued map[job]bool
	queue  []task
	wake   chan struct{}
}

// job identifies one content of a project.
type job struct{ project, hash string }

// task is a queued job.
type task struct {
	job
	text  string
	again int64 // unique number of a request to generate again; otherwise 0
}

// SummaryOptions are the settings of NewSummaries.
type SummaryOptions struct {
	LLM     LLM                  // nil: no Outlines are generated
	Store   Store                // nil: Outlines are in memory only
	Log     *slog.Logger         // default: discard
	Changed func(project string) // called without locks; may be nil
	Now     func() time.Time     // default time.Now
}

// NewSummaries returns empty Summaries. Run must be called to generate Outlines.
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

// Get returns the generated Outline of a content, if there is one. It does not wait.
func (s *Summaries) Get(project, hash string) (Outline, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := job{project, hash}
	if !s.known[j] {
		s.known[j] = true
		if o, ok := s.readStored(j); ok {
			s.made[j] = o
		}
	}
	o, ok := s.made[j]
	return o, ok
}

func (s *Summaries) readStored(j job) (Outline, bool) {
	if s.store == nil {
		return Outline{}, false
	}
	b, ok := s.store.Get(j.project, j.hash)
	if !ok {
		return Outline{}, false
	}
	var v storedValue
	if err := json.Unmarshal(b, &v); err != nil {
		return Outline{}, false
	}
	if v.Again != 0 {
		s.again[j] = v.Again
		return Outline{}, false
	}
	return v.Outline, true
}

// storedValue is the value in a Store: an Outline, or a mark to generate it again.
type storedValue struct {
	Outline
	Again int64 `json:",omitempty"` // unique number of the request
}

// RegenerateMark returns the value for a Store that causes the next Summaries to generate an
// Outline again.
func RegenerateMark(now time.Time) []byte {
	b, _ := json.Marshal(storedValue{Again: now.UnixNano()}) // cannot fail
	return b
}

// Want queues the generation of an Outline. It does nothing if the Outline exists or is
// queued, if it failed within retryAfter, or if the project has no LLM.
func (s *Summaries) Want(project, hash, text string) {
	if _, ok := s.Get(project, hash); ok || !s.hasLLM(project) {
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

// Again queues the generation of an Outline even if it exists.
//
// It returns abi.ErrUnavailable if the project has no LLM, and abi.ErrLimit if the queue
// is full.
func (s *Summaries) Again(project, hash, text string) error {
	if !s.hasLLM(project) {
		return fmt.Errorf("%w: project %q has no LLM to generate a summary, the extracted one stays", abi.ErrUnavailable, project)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := task{job: job{project, hash}, text: text, again: s.now().UnixNano()}
	if i := slices.IndexFunc(s.queue, func(q task) bool { return q.job == t.job }); i >= 0 {
		s.queue[i] = t
		return nil
	}
	if len(s.queue) >= maxQueued {
		return fmt.Errorf("%w: %d summaries are queued, try again later", abi.ErrLimit, len(s.queue))
	}
	s.enqueue(t)
	return nil
}

// hasLLM reports whether a project has an available LLM.
func (s *Summaries) hasLLM(project string) bool {
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

// Run generates queued Outlines, at most atOnce concurrently, until ctx is done.
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
			s.generate(ctx, t)
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

func (s *Summaries) generate(ctx context.Context, t task) {
	o, err := s.requestOutline(ctx, t)
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
			s.log.Warn("summary not generated, the extracted one stays", "project", t.project, "error", err)
		}
		return
	}
	s.save(t.job, o)
	s.changed(t.project)
}

func (s *Summaries) save(j job, o Outline) {
	if s.store == nil {
		return
	}
	b, _ := json.Marshal(o) // cannot fail
	if err := s.store.Set(j.project, j.hash, b); err != nil {
		s.log.Warn("summary not stored", "project", j.project, "error", err)
	}
}

// requestOutline returns the Outline in the stored answer, or sends a request to the LLM.
func (s *Summaries) requestOutline(ctx context.Context, t task) (Outline, error) {
	r := newRequest(t)
	if a, ok := s.llm.Stored(r); ok {
		return parseOutline(a)
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
	return parseOutline(a)
}
