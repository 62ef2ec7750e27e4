package stage

import (
	"errors"
	"iter"
	"math"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// LLM sends requests to the project's language model, if there is one. The manifest
// must list the capability "llm".
//
// A stage must be useful without answers. If it has Sections, add them first, Send
// with Background and use the answers of Ready. The host runs the stage again when
// the others have arrived:
//
//	for i, s := range leaves {
//		a, err := c.LLM.Send(stage.Request{MaxTokens: 200, Background: true, System: "Summarise.",
//			Parts: []stage.Text{stage.Quote(c.Original, s.Start, s.Len())}})
//		if err != nil {
//			break
//		}
//		of[a] = i
//	}
//	for a := range c.LLM.Ready() {
//		if text, err := a.Result(); err == nil {
//			c.Sections.SetSummary(of[a], text, 0, -1)
//		}
//	}
type LLM struct{ call *call }

// Tier is a class of models. A class that is not configured means the other.
type Tier int32

// The tiers.
const (
	Fast  = Tier(raw.TierFast)
	Heavy = Tier(raw.TierHeavy)
)

// Request is a request to the language model.
type Request struct {
	Tier       Tier
	MaxTokens  int    // of the answer; 0 means 256
	System     string // system text
	Parts      []Text // parts of the prompt, in order
	JSON       bool   // the answer must be JSON; otherwise the request fails with Upstream
	Background bool   // the host finishes the request after the call and stores the answer
}

const defaultMaxTokens = 256

// Text is a part of a Request: text of the author or quoted content.
type Text struct {
	words   string
	isQuote bool
	quoted  Buf
	off, n  int
}

// Words returns text of the author, such as instructions.
func Words(s string) Text { return Text{words: s} }

// Quote returns n bytes of b (-1: to the end) as content. The host encloses it in
// marks that do not occur in it, so that it cannot pass for instructions.
func Quote(b Buf, off, n int) Text { return Text{isQuote: true, quoted: b, off: off, n: n} }

// Answer identifies a Request that was sent. It is comparable.
type Answer struct {
	call *call
	req  int32
}

// ErrCut is returned with an answer that was cut at MaxTokens.
var ErrCut = errors.New("answer cut at MaxTokens")

// Available returns how many Requests may run at the same time: 0 if no LLM is
// configured or it is unavailable.
func (l LLM) Available(t Tier) int {
	n := raw.LLMAvailable(int32(t))
	return int(max(n, 0))
}

// Complete sends a request and waits for the answer. The text is valid with ErrCut
// too.
//
// Limits: all waits of a call together take at most Limits.LLMMillis.
// Errors: Unavailable, Timeout, Upstream, Limit, Denied.
func (l LLM) Complete(r Request) (Buf, error) {
	a, err := l.Send(r)
	if err != nil {
		return Buf{}, err
	}
	if err := a.Wait(math.MaxInt32); err != nil {
		return Buf{}, err
	}
	return a.Result()
}

// Send sends a request without waiting. Requests of one call run concurrently.
//
// Limits: 32 requests in a call; answers that the host has stored do not count.
// Errors: those of Complete except Timeout.
func (l LLM) Send(r Request) (Answer, error) {
	if r.MaxTokens == 0 {
		r.MaxTokens = defaultMaxTokens
	}
	req := raw.LLMBegin(int32(r.Tier), word(r.MaxTokens), r.flags())
	if req < 0 {
		return Answer{}, newError(req)
	}
	if r.System != "" {
		if code := raw.LLMSystem(req, r.System); code < 0 {
			return Answer{}, newError(code)
		}
	}
	for _, p := range r.Parts {
		if code := p.send(req); code < 0 {
			return Answer{}, newError(code)
		}
	}
	if code := raw.LLMSend(req); code < 0 {
		return Answer{}, newError(code)
	}
	return Answer{l.call, req}, nil
}

func (r Request) flags() int32 {
	var flags int32
	if r.Background {
		flags |= raw.LLMBackground
	}
	if r.JSON {
		flags |= raw.LLMJSON
	}
	return flags
}

func (t Text) send(req int32) int32 {
	if !t.isQuote {
		return raw.LLMText(req, t.words)
	}
	return raw.LLMSpan(req, t.quoted.id(), word(t.off), word(t.n))
}

// Ready iterates over the settled answers that neither Ready nor Next has returned
// yet. It does not wait.
func (l LLM) Ready() iter.Seq[Answer] {
	return func(yield func(Answer) bool) {
		for {
			req := raw.LLMWait(-1, 0)
			if req < 0 || !yield(Answer{l.call, req}) {
				return
			}
		}
	}
}

// Next waits for any answer that neither Ready nor Next has returned yet.
//
// Errors: NotFound if none is left, Timeout.
func (l LLM) Next(timeoutMillis int) (Answer, error) {
	req := raw.LLMWait(-1, millis(timeoutMillis))
	if req < 0 {
		return Answer{}, newError(req)
	}
	return Answer{l.call, req}, nil
}

// Wait waits until the answer has settled.
//
// Errors: Timeout.
func (a Answer) Wait(timeoutMillis int) error {
	return check(raw.LLMWait(a.req, millis(timeoutMillis)))
}

// Settled reports whether the Request was answered or has failed.
func (a Answer) Settled() bool { return raw.LLMStatus(a.req) != raw.LLMPending }

// Result returns the text of a settled answer. It is valid with ErrCut too.
//
// Errors: those of Complete; Timeout if the Request has not settled.
func (a Answer) Result() (Buf, error) {
	status := raw.LLMStatus(a.req)
	if status < 0 {
		return Buf{}, newError(status)
	}
	b, err := a.call.handle(raw.LLMResult(a.req))
	if err == nil && status == raw.LLMCut {
		err = ErrCut
	}
	return b, err
}

// millis returns a timeout as a number of the ABI. Package time would add a quarter of
// a megabyte to every module.
func millis(n int) int32 { return int32(min(max(n, 0), math.MaxInt32)) }
