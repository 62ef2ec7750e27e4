package wasm

import (
	"context"
	"errors"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// LLM answers requests of guests. Safe for concurrent use.
type LLM interface {
	// Available says how many requests of a tier may run at once. 0 without an
	// error: none is configured, or it is switched off. An error: it is out of
	// order right now.
	Available(project string, tier int) (slots int, err error)
	// Identity says who answers in a project: provider, model and parameters of
	// both tiers. It is part of cache keys. Empty if none is configured.
	Identity(project string) string
	// Stored gives the answer to a request if the project has it.
	Stored(r abi.LLMRequest) (abi.LLMAnswer, bool)
	// Send starts a request, or joins an equal one that is under way, without
	// waiting. It ends with ctx. Complete answers are stored.
	//
	// Errors: abi.ErrLimit (budget), abi.ErrUnavailable (out of order).
	Send(ctx context.Context, r abi.LLMRequest) (abi.LLMCall, error)
}

// llmRequests are those of one run, numbered from 1.
type llmRequests struct {
	all         []llmRequest
	left        time.Duration // of the time that waits may take
	sent        int           // that cost quota
	tokens      int
	bytes       int // of all texts and spans
	provisional bool
}

type llmState int8

const (
	llmFilling llmState = iota
	llmUnderWay
	llmSettled
)

type llmRequest struct {
	abi.LLMRequest
	state    llmState
	returned bool // by wait
	call     abi.LLMCall
	answer   abi.LLMAnswer
	code     abi.ErrCode // why it failed, or 0
	why      string
}

// request finds a request by its number.
func (r *run) request(n int32) *llmRequest {
	if n < 1 || int(n) > len(r.llm.all) {
		r.refuse(abi.CodeBadArg, "request %d of %d", n, len(r.llm.all))
		return nil
	}
	return &r.llm.all[n-1]
}

// settle takes the answer if there is one.
func (q *llmRequest) settle() {
	if q.state != llmUnderWay {
		return
	}
	if !closed(q.call.Done()) {
		if closed(postponed(q.call)) {
			q.state, q.code = llmSettled, abi.CodeUnavailable
			q.why = "the LLM wants no request for longer than a stage may wait"
		}
		return
	}
	q.state = llmSettled
	answer, err := q.call.Answer()
	if err == nil {
		err = checkAnswer(q.JSON, answer)
	}
	if err != nil {
		q.code, q.why = llmCode(err), err.Error()
		return
	}
	q.answer = answer
}

// postponed is closed while it makes no sense to wait for a call.
func postponed(c abi.LLMCall) <-chan struct{} {
	if p, ok := c.(abi.LLMPostponed); ok {
		return p.Postponed()
	}
	return nil
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func checkAnswer(wantJSON bool, a abi.LLMAnswer) error {
	switch {
	case len(a.Text) > abi.LimitLLMAnswerBytes:
		return fault.New(abi.ErrLimit, "answer of %s bytes, limit %s", fault.Group(len(a.Text)), fault.Group(abi.LimitLLMAnswerBytes))
	case !utf8.Valid(a.Text):
		return errors.New("answer is not UTF-8")
	case wantJSON:
		return jsonspan.Valid(a.Text)
	}
	return nil
}

// llmCode tells a guest what went wrong with a request.
func llmCode(err error) abi.ErrCode {
	switch {
	case errors.Is(err, abi.ErrLimit):
		return abi.CodeLimit
	case errors.Is(err, abi.ErrUnavailable):
		return abi.CodeUnavailable
	case errors.Is(err, context.DeadlineExceeded):
		return abi.CodeTimeout
	}
	return abi.CodeUpstream
}

// ready gives the first request that has settled and wait has not returned.
// open says whether any is left at all.
func (l *llmRequests) ready(only int32) (n int32, open bool) {
	for i := range l.all {
		q := &l.all[i]
		if only > 0 && int32(i+1) != only || only < 0 && q.returned || q.state == llmFilling {
			continue
		}
		open = true
		if q.settle(); q.state == llmSettled {
			return int32(i + 1), true
		}
	}
	return 0, open
}

// await blocks until one of the requests may have settled, the time is over or
// the run is given up. The clock of the run stands still.
func (r *run) await(only int32, timeout time.Duration) {
	resume, ok := r.yield()
	if !ok {
		return // as if the time were over
	}
	defer resume()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	cases := []reflect.SelectCase{
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(timer.C)},
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(r.Done())},
	}
	for i := range r.llm.all {
		if q := &r.llm.all[i]; q.state == llmUnderWay && (only < 0 || int32(i+1) == only) {
			for _, c := range []<-chan struct{}{q.call.Done(), postponed(q.call)} {
				cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)})
			}
		}
	}
	start := time.Now()
	reflect.Select(cases)
	r.llm.left = max(r.llm.left-time.Since(start), 0)
}

// end closes the book at the end of a run. Requests in the background go on;
// settled is closed when the last of them has ended, nil if there is none.
func (l *llmRequests) end(r *run) (settled <-chan struct{}) {
	var open []abi.LLMCall
	for i := range l.all {
		q := &l.all[i]
		if q.settle(); q.call == nil || closed(q.call.Done()) {
			continue
		}
		l.provisional = true
		if q.Background {
			open = append(open, q.call)
		}
	}
	if len(open) == 0 {
		return nil
	}
	done := make(chan struct{})
	r.m.rt.background.Go(func() {
		defer close(done)
		for _, c := range open {
			<-c.Done()
		}
	})
	return done
}
