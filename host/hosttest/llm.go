package hosttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Fault is a way in which the fake LLM misbehaves.
type Fault int

// The faults.
const (
	Healthy    Fault = iota
	Down             // refuses before asking: the breaker is open
	Overloaded       // answers 429 to each request
	Garbage          // answers HTML where its protocol wants JSON
	Half             // breaks off in the middle of an answer
	Mute             // never answers
	Prose            // answers prose where JSON was asked for
)

// LLM is a fake, not a model: a provider that answers by a script, for tests and
// demonstrations. It keeps what a real one keeps: answers stored by project, one
// flight for equal requests, a bound on how many run at once.
//
// The zero value answers "fake: " and what it was told, at once. All waiting is
// by timers, so tests in testing/synctest repeat. Safe for concurrent use; the
// exported fields are not to be changed once it is used.
type LLM struct {
	// Script gives the answer to a request, without waiting; nil: an echo.
	Script func(abi.LLMRequest) string
	// Latency is how long each request takes.
	Latency time.Duration
	// Gate holds every request back until it is closed; nil: nothing waits.
	Gate <-chan struct{}
	// Slots is how many requests run at once; default 4.
	Slots int
	// Off makes it a project without an LLM.
	Off bool
	// Name is the identity; default "fake".
	Name string

	mu      sync.Mutex
	fault   Fault
	asked   int
	stored  map[answerKey]abi.LLMAnswer
	flights map[answerKey]*flight
	turn    chan struct{}
	running sync.WaitGroup
}

type answerKey struct {
	project string
	key     [32]byte
}

// flight is one request to the provider, for all who want its answer.
type flight struct {
	done   chan struct{}
	answer abi.LLMAnswer
	err    error
	askers int
	cancel context.CancelFunc
}

// Done implements abi.LLMCall.
func (f *flight) Done() <-chan struct{} { return f.done }

// Answer implements abi.LLMCall.
func (f *flight) Answer() (abi.LLMAnswer, error) { return f.answer, f.err }

// SetFault changes how it behaves from the next request on.
func (l *LLM) SetFault(f Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault = f
}

// Asked is how many requests have reached the provider.
func (l *LLM) Asked() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked
}

// Wait returns when no request is under way.
func (l *LLM) Wait() { l.running.Wait() }

func (l *LLM) slots() int {
	if l.Slots <= 0 {
		return 4
	}
	return l.Slots
}

// Available implements wasm.LLM.
func (l *LLM) Available(string, int) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.Off:
		return 0, nil
	case l.fault == Down:
		return 0, errDown
	}
	return l.slots(), nil
}

var errDown = fmt.Errorf("fake LLM is down: %w", abi.ErrUnavailable)

// Identity implements wasm.LLM.
func (l *LLM) Identity(string) string {
	switch {
	case l.Off:
		return ""
	case l.Name == "":
		return "fake"
	}
	return l.Name
}

// Stored implements wasm.LLM.
func (l *LLM) Stored(r abi.LLMRequest) (abi.LLMAnswer, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, ok := l.stored[l.key(r)]
	return a, ok
}

func (l *LLM) key(r abi.LLMRequest) answerKey {
	return answerKey{r.Project, r.Key(l.Identity(r.Project))}
}

// Send implements wasm.LLM.
func (l *LLM) Send(ctx context.Context, r abi.LLMRequest) (abi.LLMCall, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fault == Down || l.Off {
		return nil, errDown
	}
	f := l.flights[l.key(r)]
	if f == nil {
		f = l.start(r)
	}
	f.askers++
	context.AfterFunc(ctx, func() { l.leave(f) })
	return f, nil
}

// leave takes an asker away; the last one ends the flight.
func (l *LLM) leave(f *flight) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f.askers--; f.askers == 0 {
		f.cancel()
	}
}

func (l *LLM) start(r abi.LLMRequest) *flight {
	if l.flights == nil {
		l.flights = make(map[answerKey]*flight)
		l.stored = make(map[answerKey]abi.LLMAnswer)
		l.turn = make(chan struct{}, l.slots())
	}
	ctx, cancel := context.WithCancel(context.Background())
	f := &flight{done: make(chan struct{}), cancel: cancel}
	l.flights[l.key(r)] = f
	l.running.Go(func() {
		defer cancel()
		l.land(f, r, l.fly(ctx))
	})
	return f
}

// fly waits for a turn and then as long as an answer takes.
func (l *LLM) fly(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	l.mu.Lock()
	l.asked++
	mute := l.fault == Mute
	l.mu.Unlock()
	if mute {
		<-ctx.Done()
		return ctx.Err()
	}
	if l.Gate != nil {
		select {
		case <-l.Gate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	timer := time.NewTimer(l.Latency)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// land ends a flight; only a complete answer is stored.
func (l *LLM) land(f *flight, r abi.LLMRequest, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.flights, l.key(r))
	if f.err = err; err == nil {
		f.answer, f.err = l.answer(r)
	}
	if f.err == nil {
		l.stored[l.key(r)] = f.answer
	}
	close(f.done)
}

func (l *LLM) answer(r abi.LLMRequest) (abi.LLMAnswer, error) {
	switch l.fault {
	case Overloaded:
		return abi.LLMAnswer{}, fmt.Errorf("fake LLM: 429 too many requests: %w", abi.ErrUnavailable)
	case Garbage:
		return abi.LLMAnswer{}, errors.New("fake LLM: answer is not JSON: invalid character '<'")
	case Half:
		return abi.LLMAnswer{}, errors.New("fake LLM: unexpected end of the answer")
	}
	text := "fake: " + string(r.Prompt())
	if l.Script != nil {
		text = l.Script(r)
	}
	if l.fault == Prose {
		text = "Sure! Here is your JSON:"
	}
	if r.JSON && !json.Valid([]byte(text)) {
		return abi.LLMAnswer{}, errors.New("fake LLM: answer is not the JSON that was asked for")
	}
	a := abi.LLMAnswer{Text: []byte(text)}
	if most := 4 * r.MaxTokens; len(a.Text) > most { // about a token's bytes
		a = abi.LLMAnswer{Text: []byte(cut(text, most)), Cut: true}
	}
	return a, nil
}

// cut shortens s to at most n bytes without cutting a character.
func cut(s string, n int) string {
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
