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
	Down             // refuses before the request: the breaker is open
	Overloaded       // answers 429 to each request
	Garbage          // answers HTML where its protocol wants JSON
	Half             // breaks off in the middle of an answer
	Mute             // never answers
	Prose            // answers prose where JSON was asked for
)

// LLM is a fake provider with scripted answers, for tests and demonstrations. Like a real
// one it stores answers by project, sends equal requests once, and limits the number of
// concurrent requests.
//
// The zero value answers immediately with "fake: " and the prompt. All waits use timers,
// so tests in testing/synctest are deterministic. Safe for concurrent use; the exported
// fields must not be changed after the first use.
type LLM struct {
	// Script returns the answer to a request, without waiting; nil: an echo.
	Script func(abi.LLMRequest) string
	// Latency is how long each request takes.
	Latency time.Duration
	// Gate delays every request until it is closed; nil: no delay.
	Gate <-chan struct{}
	// Slots is the number of concurrent requests; default 4.
	Slots int
	// Off means that no LLM is configured.
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

// flight is one request to the provider, shared by all callers with an equal request.
type flight struct {
	done    chan struct{}
	answer  abi.LLMAnswer
	err     error
	callers int
	cancel  context.CancelFunc
}

// Done implements abi.LLMCall.
func (f *flight) Done() <-chan struct{} { return f.done }

// Answer implements abi.LLMCall.
func (f *flight) Answer() (abi.LLMAnswer, error) { return f.answer, f.err }

// SetFault sets the fault of the following requests.
func (l *LLM) SetFault(f Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault = f
}

// Asked returns the number of requests that have reached the provider.
func (l *LLM) Asked() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked
}

// Wait returns when no request is running.
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
	f.callers++
	context.AfterFunc(ctx, func() { l.abandon(f) })
	return f, nil
}

// abandon removes a caller; the last one ends the flight.
func (l *LLM) abandon(f *flight) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f.callers--; f.callers == 0 {
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
		l.finish(f, r, l.waitForAnswer(ctx))
	})
	return f
}

// waitForAnswer waits for a turn and then for the latency of an answer.
func (l *LLM) waitForAnswer(ctx context.Context) error {
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

// finish ends a flight. Only a complete answer is stored.
func (l *LLM) finish(f *flight, r abi.LLMRequest, err error) {
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
	if limit := 4 * r.MaxTokens; len(a.Text) > limit { // about four bytes for a token
		a = abi.LLMAnswer{Text: []byte(truncate(text, limit)), Cut: true}
	}
	return a, nil
}

// truncate shortens s to at most n bytes at a character boundary.
func truncate(s string, n int) string {
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
