package imports

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// LLM answers requests of guests. It must be safe for concurrent use.
type LLM interface {
	// Available returns how many requests of a tier may run at once. 0 without an
	// error: none is configured, or it is switched off. An error: it does not work at
	// present.
	Available(project string, tier int) (slots int, err error)
	// Identity identifies the LLM of a project: provider, model and parameters of both
	// tiers. It is part of cache keys. Empty if none is configured.
	Identity(project string) string
	// Stored returns the answer to a request if the project has it.
	Stored(r abi.LLMRequest) (abi.LLMAnswer, bool)
	// Send starts a request, or joins an equal one that is running, without waiting.
	// The request ends with ctx. Complete answers are stored.
	//
	// Errors: abi.ErrLimit (budget), abi.ErrUnavailable (does not work at present).
	Send(ctx context.Context, r abi.LLMRequest) (abi.LLMCall, error)
}

// Limits on the data that is hashed and estimated for requests.
const (
	maxRequestBytes = 64 << 20 // of all requests of a call; more than their tokens can be
	maxParts        = 4096     // of one request
)

// requestState is the progress of a request.
type requestState int8

const (
	requestOpen requestState = iota // accepts texts
	requestSent
	requestSettled
)

// request is one request to an LLM.
type request struct {
	abi.LLMRequest
	state    requestState
	returned bool // by wait
	call     abi.LLMCall
	answer   abi.LLMAnswer
	code     abi.ErrCode // why it failed, or 0
	reason   string
}

// settle stores the answer if there is one.
func (q *request) settle() {
	if q.state != requestSent {
		return
	}
	if !isClosed(q.call.Done()) {
		if isClosed(postponed(q.call)) {
			q.state, q.code = requestSettled, abi.CodeUnavailable
			q.reason = "the LLM accepts no request for longer than a stage may wait"
		}
		return
	}
	q.state = requestSettled
	answer, err := q.call.Answer()
	if err == nil {
		err = checkAnswer(q.JSON, answer)
	}
	if err != nil {
		q.code, q.reason = requestCode(err), err.Error()
		return
	}
	q.answer = answer
}

// postponed returns a channel that is closed while waiting for a call is useless.
func postponed(c abi.LLMCall) <-chan struct{} {
	if p, ok := c.(abi.LLMPostponed); ok {
		return p.Postponed()
	}
	return nil
}

func isClosed(c <-chan struct{}) bool {
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

// requestCode returns the code that a guest gets for a failed request.
func requestCode(err error) abi.ErrCode {
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

// requests are the requests of one call, numbered from 1.
type requests struct {
	*refusals
	config      *Config
	all         []request
	timeLeft    time.Duration // that waits may take
	sent        int           // that count against the quota
	tokens      int
	bytes       int // of all texts and spans
	provisional bool
}

// get returns a request by its number, or nil after recording the refusal.
func (l *requests) get(n int32) *request {
	if n < 1 || int(n) > len(l.all) {
		l.refuse(abi.CodeBadArg, "request %d of %d", n, len(l.all))
		return nil
	}
	return &l.all[n-1]
}

// available returns how many requests the LLM accepts. An error makes the call
// provisional, because without it the output might differ.
func (l *requests) available(tier int32) (int, error) {
	if l.config.Services.LLM == nil {
		return 0, nil
	}
	n, err := l.config.Services.LLM.Available(l.config.Request.Context.Project, int(tier))
	if err != nil {
		l.provisional = true
		return 0, err
	}
	return n, nil
}

func isTier(t int32) bool { return t == abi.TierFast || t == abi.TierHeavy }

// begin opens a request and returns its number.
func (l *requests) begin(tier, tokens, flags int32) int32 {
	switch {
	case !isTier(tier):
		return l.refuse(abi.CodeBadArg, "tier %d", tier)
	case tokens < 1 || tokens > abi.LimitLLMTokens:
		return l.refuse(abi.CodeBadArg, "max_tokens %d not in 1..%d", tokens, abi.LimitLLMTokens)
	case flags&^(abi.LLMBackground|abi.LLMJSON) != 0:
		return l.refuse(abi.CodeBadArg, "flags %d", flags)
	case len(l.all) >= abi.LimitHandles:
		return l.refuse(abi.CodeLimit, "%d requests begun, limit %d", len(l.all), abi.LimitHandles)
	}
	switch n, err := l.available(tier); {
	case err != nil:
		return l.refuse(abi.CodeUnavailable, "%v", err)
	case n == 0:
		return l.refuse(abi.CodeUnavailable, "no LLM provider configured")
	}
	l.all = append(l.all, request{LLMRequest: abi.LLMRequest{
		Project: l.config.Request.Context.Project, Module: l.config.ModuleHash, Tier: int(tier), MaxTokens: int(tokens),
		JSON: flags&abi.LLMJSON != 0, Background: flags&abi.LLMBackground != 0,
	}})
	return int32(len(l.all))
}

// openFor returns a request that accepts a text, and counts the bytes of the text.
func (l *requests) openFor(number int32, text []byte) (*request, int32) {
	q, n := l.get(number), len(text)
	switch {
	case q == nil:
		return nil, badArg
	case q.state != requestOpen:
		return nil, l.refuse(abi.CodeUnsupported, "request %d is sent", number)
	case l.bytes+n > maxRequestBytes || len(q.Parts) >= maxParts:
		return nil, l.refuse(abi.CodeLimit, "%s bytes in requests, %d parts in this one, limit %s and %d",
			fault.Group(l.bytes+n), len(q.Parts)+1, fault.Group(maxRequestBytes), maxParts)
	case !utf8.Valid(text):
		return nil, l.refuse(abi.CodeBadArg, "text is not UTF-8")
	}
	l.bytes += n
	return q, 0
}

// send sends a request, unless its answer is stored.
func (l *requests) send(number int32) int32 {
	q := l.get(number)
	switch {
	case q == nil:
		return badArg
	case q.state != requestOpen:
		return l.refuse(abi.CodeUnsupported, "request %d is sent", number)
	}
	if answer, ok := l.config.Services.LLM.Stored(q.LLMRequest); ok && checkAnswer(q.JSON, answer) == nil {
		q.state, q.answer = requestSettled, answer
		return 1
	}
	if err := l.start(q); err != nil {
		q.state, q.returned = requestSettled, true
		q.code, q.reason = requestCode(err), err.Error()
		l.provisional = true
		return l.refuse(q.code, "%v", err)
	}
	q.state = requestSent
	return 0
}

// start starts a request within the quota of the call.
func (l *requests) start(q *request) error {
	if limit := l.config.Request.Context.Limits.LLMRequests; l.sent >= limit {
		return fault.New(abi.ErrLimit, "%d requests in one call, limit %d (limits.llm)", l.sent+1, limit)
	}
	tokens := q.MaxTokens
	for _, p := range q.Parts {
		tokens += abi.EstimateTokens(p.Text)
	}
	if tokens += abi.EstimateTokens([]byte(q.System)); l.tokens+tokens > abi.LimitLLMTokens {
		return fault.New(abi.ErrLimit, "%s tokens in one call, limit %s", fault.Group(l.tokens+tokens), fault.Group(abi.LimitLLMTokens))
	}
	ctx := l.config.Context
	if q.Background {
		ctx = l.config.Services.Context
	}
	call, err := l.config.Services.LLM.Send(ctx, q.LLMRequest)
	switch {
	case err != nil && !errors.Is(err, abi.ErrLimit) && !errors.Is(err, abi.ErrUnavailable):
		return fault.New(abi.ErrUnavailable, "%v", err)
	case err != nil:
		return err
	}
	l.sent++
	l.tokens += tokens
	q.call = call
	return nil
}

// firstSettled returns the first request that has settled and that wait has not
// returned, or 0. isOpen reports whether any such request remains. If only is positive,
// other requests are ignored.
func (l *requests) firstSettled(only int32) (n int32, isOpen bool) {
	for i := range l.all {
		q := &l.all[i]
		if only > 0 && int32(i+1) != only || only < 0 && q.returned || q.state == requestOpen {
			continue
		}
		isOpen = true
		if q.settle(); q.state == requestSettled {
			return int32(i + 1), true
		}
	}
	return 0, isOpen
}

// sentOrSettled returns a request that was sent, or refuses with its error.
func (l *requests) sentOrSettled(number int32) (*request, int32) {
	q := l.get(number)
	if q == nil {
		return nil, badArg
	}
	q.settle()
	if q.code != 0 {
		l.provisional = true
		return nil, l.refuse(q.code, "%s", q.reason)
	}
	return q, 0
}

// finish returns the requests in the background that have not ended.
func (l *requests) finish() (running []abi.LLMCall) {
	for i := range l.all {
		q := &l.all[i]
		if q.settle(); q.call == nil || isClosed(q.call.Done()) {
			continue
		}
		l.provisional = true
		if q.Background {
			running = append(running, q.call)
		}
	}
	return running
}
