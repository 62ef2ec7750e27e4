package proxy

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
	"github.com/mcpctl/mcpctl/host/stateless"
)

const (
	// pauseLimit is how long a call waits for its client to repeat the request with the
	// input. A person may have to type it.
	pauseLimit = clientTimeout
	// maxPaused is the number of calls of an Endpoint that wait, and maxPausedOfOne of one
	// session.
	maxPaused, maxPausedOfOne = 1024, 64
	// askSettle is how long a pause waits for further questions of the same call.
	askSettle = 5 * time.Millisecond
)

// statelessCall is one request of the stateless version while it runs. If a server asks the
// client for something, the HTTP request is answered with the question and the call is
// paused until the client repeats its request with the answer. It is the Outlet of the
// messages of its servers, and safe for concurrent use.
type statelessCall struct {
	session *Session
	method  string
	name    string            // of the tool, prompt or resource
	args    [sha256.Size]byte // hash of the arguments as they came
	level   int               // of log messages that the client wants, -1: none
	cancel  context.CancelCauseFunc
	asks    chan struct{} // has a value if there are questions
	done    chan struct{} // closed when answer is set
	answer  jsonrpc.Message

	mu        sync.Mutex
	via       *stream.Exchange // the HTTP request, nil while the call is paused
	keys      map[int64]string // of questions, by the number of their request
	questions []question
	given     map[string]json.RawMessage // input that the first request brought, by key
}

// question is a request of a server to the client that is not answered yet.
type question struct {
	id      jsonrpc.ID // of clientRequests
	key     string     // for the client
	request json.RawMessage
}

// startStateless starts a request, and leaves the session when it has ended. A request of a
// client that cannot be asked is never paused: it has ended when startStateless returns.
func (e *Endpoint) startStateless(ctx context.Context, o *sessionEntry, one *request, req stateless.Request, sum [sha256.Size]byte, x *stream.Exchange) *statelessCall {
	c := &statelessCall{
		session: o.Session, method: one.Method, name: nameIn(one.Message), args: sum, level: severityIndex(req.LogLevel), given: inputByKey(req.Responses), via: x,
		done: ended,
	}
	callCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	c.cancel = cancel
	one.related = c
	one.ID = jsonrpc.NumberID(e.statelessIDs.Add(1)) // two clients may use the same
	run := func() {
		defer e.sessions.leave(o)
		defer cancel(nil)
		var failed error
		defer func() {
			if failed != nil {
				c.answer = failure(one.ID, failed)
			}
		}()
		defer e.recovered(one.Method, &failed)
		if c.level >= 0 {
			raiseLevel(callCtx, o.Session, one.project, req.LogLevel)
		}
		c.answer, _ = handle(callCtx, o.Session, one)
	}
	if canBeAsked(req.Capabilities) {
		c.asks, c.done = make(chan struct{}, 1), make(chan struct{})
		go func() {
			defer close(c.done)
			run()
		}()
		return c
	}
	defer context.AfterFunc(ctx, func() { cancel(&jsonrpc.CancelledError{}) })()
	run()
	return c
}

// ended is the channel done of calls that have ended when startStateless returns.
var ended = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// canBeAsked reports whether a client declares that it answers any request of servers.
func canBeAsked(capabilities json.RawMessage) bool {
	for _, needs := range requiredCapability {
		if jsonedit.Has(capabilities, needs) {
			return true
		}
	}
	return false
}

// nameIn returns the name or URI in the params of a request.
func nameIn(msg jsonrpc.Message) string {
	if uri := jsonedit.MemberText(msg.Params, "uri"); uri != "" {
		return uri
	}
	return jsonedit.MemberText(msg.Params, "name")
}

// argumentsSum returns the hash of the arguments of a request.
func argumentsSum(msg jsonrpc.Message) [sha256.Size]byte {
	m := jsonedit.Member(msg.Params, "arguments")
	return sha256.Sum256(msg.Params[m.Start:m.End])
}

// raiseLevel makes the servers send log messages of a level, unless an earlier request has
// already demanded them. Each call then passes on what its client wants.
func raiseLevel(ctx context.Context, s *Session, p *Project, level string) {
	if last := s.interest.lastLevel(); last != nil && severityOf(last) <= severityIndex(level) {
		return
	}
	msg := jsonrpc.Message{Method: "logging/setLevel", Params: jsonedit.Object(jsonedit.String("level", level))}
	_, _ = s.SetLevel(ctx, &request{Message: msg, project: p, related: s.out, event: s.newEvent(msg)})
}

// Send implements stream.Outlet. A request becomes a question.
func (c *statelessCall) Send(frame []byte, u stream.Urgency) bool {
	m, err := jsonrpc.DecodeUpstream(frame, jsonrpc.Limits{FrameBytes: len(frame)})
	switch {
	case err != nil:
		return false
	case m.IsRequest():
		c.ask(m)
		return true
	case m.Method == "notifications/cancelled":
		c.withdraw(m.Params)
		return true
	case m.Method == "notifications/message" && (c.level < 0 || severityOf(m.Params) < c.level):
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.via == nil || c.via.Send(frame, u)
}

// IsListening implements stream.Outlet.
func (c *statelessCall) IsListening() bool { return true }

// nameQuestion sets the key that a request will have for the client: the server's own, as
// its requests may depend on it, unless another question has it.
func (c *statelessCall) nameQuestion(n int64, key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if key == "" || slices.ContainsFunc(c.questions, func(q question) bool { return q.key == key }) {
		return
	}
	if c.keys == nil {
		c.keys = make(map[int64]string)
	}
	c.keys[n] = key
}

// ask adds a question. If the first request brought its answer, the server gets that, once.
func (c *statelessCall) ask(m jsonrpc.Message) {
	params := m.Params
	if params == nil { // optional, but clients of the Go SDK need them
		params = []byte(`{}`)
	}
	n, _ := m.ID.Int64()
	c.mu.Lock()
	q := question{m.ID, cmp.Or(c.keys[n], m.ID.String()), jsonedit.Object(jsonedit.String("method", m.Method), jsonedit.Raw("params", params))}
	delete(c.keys, n)
	given, ok := c.given[q.key]
	if ok {
		delete(c.given, q.key)
	} else {
		c.questions = append(c.questions, q)
	}
	c.mu.Unlock()
	if ok {
		c.session.Answered(jsonrpc.Message{ID: q.id, Result: given})
		return
	}
	c.signal()
}

// signal makes asks have a value.
func (c *statelessCall) signal() {
	select {
	case c.asks <- struct{}{}:
	default:
	}
}

// withdraw removes the question that the params of notifications/cancelled name.
func (c *statelessCall) withdraw(params json.RawMessage) {
	id, _, err := jsonrpc.DecodeCancelled(params)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, q := range c.questions {
		if q.id == id {
			c.questions = append(c.questions[:i], c.questions[i+1:]...)
			return
		}
	}
}

// settle passes the client's input to the servers that asked for it. Input that no question
// wants is ignored; questions without input stay.
func (c *statelessCall) settle(responses json.RawMessage) {
	input := inputByKey(responses)
	var answers []jsonrpc.Message
	var open []question
	c.mu.Lock()
	for _, q := range c.questions {
		if given, ok := input[q.key]; ok {
			answers = append(answers, jsonrpc.Message{ID: q.id, Result: given})
		} else {
			open = append(open, q)
		}
	}
	c.questions = open
	c.mu.Unlock()
	if len(open) > 0 {
		c.signal()
	}
	for _, m := range answers {
		c.session.Answered(m)
	}
}

// inputByKey returns the members of inputResponses, which may be nil.
func inputByKey(responses json.RawMessage) map[string]json.RawMessage {
	if responses == nil {
		return nil
	}
	input := make(map[string]json.RawMessage)
	jsonedit.Members(responses, func(key []byte, m jsonspan.Member) bool {
		input[jsonedit.KeyText(key)] = responses[m.Start:m.End]
		return true
	})
	return input
}

// resume connects the call to an HTTP request.
func (c *statelessCall) resume(x *stream.Exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.via = x
}

// pause disconnects the call from its HTTP request and returns the questions by their keys.
// Without any, the call continues.
func (c *statelessCall) pause() (requests []jsonedit.Field) {
	select {
	case <-time.After(askSettle):
	case <-c.done:
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, q := range c.questions {
		requests = append(requests, jsonedit.Raw(q.key, q.request))
	}
	if len(requests) > 0 {
		c.via = nil
	}
	return requests
}

// pausedCalls holds the calls that wait for input, by the state that their clients repeat.
// The state is a random text: it reveals nothing, cannot be guessed, and is used once. The
// zero value holds none. It is safe for concurrent use.
type pausedCalls struct {
	mu    sync.Mutex
	calls map[string]*pausedCall
}

type pausedCall struct {
	*statelessCall
	expiry *time.Timer
}

// add adds a call and returns its state. A call that is not taken in time is cancelled. If too
// many wait, it is cancelled at once and the state is "".
func (p *pausedCalls) add(c *statelessCall) (state string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == nil {
		p.calls = make(map[string]*pausedCall)
	}
	ofOne := 0
	for _, other := range p.calls {
		if other.session == c.session {
			ofOne++
		}
	}
	if len(p.calls) >= maxPaused || ofOne >= maxPausedOfOne {
		c.cancel(&jsonrpc.CancelledError{Reason: "too many calls wait for input"})
		return ""
	}
	state = rand.Text()
	p.calls[state] = &pausedCall{c, time.AfterFunc(pauseLimit, func() {
		if p.remove(state) != nil {
			c.cancel(&jsonrpc.CancelledError{Reason: "the client has not repeated the request with its input"})
		}
	})}
	return state
}

// cancel cancels all calls, because the Endpoint closes.
func (p *pausedCalls) cancel() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.calls {
		one.statelessCall.cancel(sessionEndedError{})
	}
}

func (p *pausedCalls) remove(state string) *statelessCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.calls[state]
	if one == nil {
		return nil
	}
	delete(p.calls, state)
	one.expiry.Stop()
	return one.statelessCall
}

// take returns the paused call with a state, which is then no longer valid. It returns nil
// if the call belongs to another subject, project or client, or the repeated request differs.
func (p *pausedCalls) take(state string, s *Session, msg jsonrpc.Message) *statelessCall {
	p.mu.Lock()
	one := p.calls[state]
	p.mu.Unlock()
	if one == nil || one.session != s || one.method != msg.Method || one.name != nameIn(msg) || one.args != argumentsSum(msg) {
		return nil
	}
	return p.remove(state)
}
