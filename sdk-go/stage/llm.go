package stage

import (
	"errors"
	"iter"
	"math"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// LLM asks the project's language model, if it has one. It needs the capability
// "llm" in the manifest.
//
// A stage must be of use without answers. Where there is structure, add the
// Sections first, Send with Background, take what Ready has, and let the host
// run the stage once more when the rest is there:
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

// Tier is a class of models; one that is not configured means the other.
type Tier int32

// The tiers.
const (
	Fast  = Tier(raw.TierFast)
	Heavy = Tier(raw.TierHeavy)
)

// Request is one question.
type Request struct {
	Tier       Tier
	MaxTokens  int    // of the answer; 0 means 256
	System     string // instructions of the author
	Parts      []Text // what is asked, in order
	JSON       bool   // the answer must be JSON, else it is an Upstream error
	Background bool   // the host finishes it after the call and keeps the answer
}

const defaultMaxTokens = 256

// Text is a part of a Request: the author's words or quoted content.
type Text struct {
	words   string
	isQuote bool
	quoted  Buf
	off, n  int
}

// Words are instructions of the author.
func Words(s string) Text { return Text{words: s} }

// Quote is content, n bytes of b (-1: to the end). The host encloses it in marks
// that do not occur in it, so it cannot pose as instructions.
func Quote(b Buf, off, n int) Text { return Text{isQuote: true, quoted: b, off: off, n: n} }

// Answer names a Request that was sent. It can be compared and be a map's key.
type Answer struct {
	call *call
	req  int32
}

// ErrCut comes with an answer that ends at MaxTokens.
var ErrCut = errors.New("answer cut at MaxTokens")

// Available is how many Requests may run at one time: 0 if no LLM is configured
// or it is out of order.
func (l LLM) Available(t Tier) int {
	n := raw.LLMAvailable(int32(t))
	return int(max(n, 0))
}

// Complete asks and waits. The text is valid with ErrCut too.
//
// Limits: all waits of a call together, Limits.LLMMillis.
// Errors: Unavailable, Timeout, Upstream, Limit, Denied; a stage then does
// without.
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

// Send asks without waiting. Requests of one call run side by side.
//
// Limits: 32 in a call; answers that the host has stored cost nothing.
// Errors: as of Complete, without Timeout.
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

// Ready goes through the answers that have settled by now and that neither Ready
// nor Next has given before. It does not wait.
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

// Next waits for any answer that neither Ready nor Next has given before.
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

// Settled reports whether the answer is there or the Request has failed.
func (a Answer) Settled() bool { return raw.LLMStatus(a.req) != raw.LLMPending }

// Result is the text of a settled answer. It is valid with ErrCut too.
//
// Errors: why the Request failed, as of Complete; Timeout if it has not settled.
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

// millis is a timeout as the ABI takes it. Package time would be a type for it,
// and a quarter of a megabyte in every module.
func millis(n int) int32 { return int32(min(max(n, 0), math.MaxInt32)) }
