package wasm

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// llmFuncs is the namespace mcpctl:llm/v1, for roles with the capability.
var llmFuncs = map[string]importFunc{
	abi.FuncLLMAvailable: withLLM(llmAvailable),
	abi.FuncLLMBegin:     withLLM(llmBegin),
	abi.FuncLLMSystem:    withLLM(llmSystem),
	abi.FuncLLMText:      withLLM(llmText),
	abi.FuncLLMSpan:      withLLM(llmSpan),
	abi.FuncLLMSend:      withLLM(llmSend),
	abi.FuncLLMWait:      withLLM(llmWait),
	abi.FuncLLMStatus:    withLLM(llmStatus),
	abi.FuncLLMResult:    withLLM(llmResult),
}

func withLLM(f importFunc) importFunc {
	return func(r *run, a args) int32 {
		if code := r.granted(module.CapabilityLLM); code < 0 {
			return code
		}
		return f(r, a)
	}
}

func badTier(t int32) bool { return t != abi.TierFast && t != abi.TierHeavy }

// slots asks the LLM whether it takes requests. A fault makes the run
// provisional: without it, the output might be another.
func (r *run) slots(tier int32) (int, error) {
	if r.m.rt.opts.LLM == nil {
		return 0, nil
	}
	n, err := r.m.rt.opts.LLM.Available(r.call.Context.Project, int(tier))
	if err != nil {
		r.llm.provisional = true
		return 0, err
	}
	return n, nil
}

func llmAvailable(r *run, a args) int32 {
	if badTier(a.i32(0)) {
		return r.refuse(abi.CodeBadArg, "tier %d", a.i32(0))
	}
	n, _ := r.slots(a.i32(0))
	return int32(n)
}

func llmBegin(r *run, a args) int32 {
	tier, tokens, flags := a.i32(0), a.i32(1), a.i32(2)
	switch {
	case badTier(tier):
		return r.refuse(abi.CodeBadArg, "tier %d", tier)
	case tokens < 1 || tokens > abi.LimitLLMTokens:
		return r.refuse(abi.CodeBadArg, "max_tokens %d not in 1..%d", tokens, abi.LimitLLMTokens)
	case flags&^(abi.LLMBackground|abi.LLMJSON) != 0:
		return r.refuse(abi.CodeBadArg, "flags %d", flags)
	case len(r.llm.all) >= abi.LimitHandles:
		return r.refuse(abi.CodeLimit, "%d requests begun, limit %d", len(r.llm.all), abi.LimitHandles)
	}
	switch n, err := r.slots(tier); {
	case err != nil:
		return r.refuse(abi.CodeUnavailable, "%v", err)
	case n == 0:
		return r.refuse(abi.CodeUnavailable, "no LLM provider configured")
	}
	r.llm.all = append(r.llm.all, llmRequest{LLMRequest: abi.LLMRequest{
		Project: r.call.Context.Project, Module: r.m.info.Hash, Tier: int(tier), MaxTokens: int(tokens),
		JSON: flags&abi.LLMJSON != 0, Background: flags&abi.LLMBackground != 0,
	}})
	return int32(len(r.llm.all))
}

// filling finds a request that is not sent yet and has room for a text.
func (r *run) filling(number int32, text []byte) (*llmRequest, int32) {
	q, n := r.request(number), len(text)
	switch {
	case q == nil:
		return nil, badArg
	case q.state != llmFilling:
		return nil, r.refuse(abi.CodeUnsupported, "request %d is sent", number)
	case r.llm.bytes+n > maxRequestBytes || len(q.Parts) >= maxParts:
		return nil, r.refuse(abi.CodeLimit, "%s bytes in requests, %d parts in this one, limit %s and %d",
			fault.Group(r.llm.bytes+n), len(q.Parts)+1, fault.Group(maxRequestBytes), maxParts)
	case !utf8.Valid(text):
		return nil, r.refuse(abi.CodeBadArg, "text is not UTF-8")
	}
	r.llm.bytes += n
	return q, 0
}

// Bounds of what is hashed and estimated for requests: bytes of all of a run,
// more than its tokens can be, and pieces of one request.
const (
	maxRequestBytes = 64 << 20
	maxParts        = 4096
)

func llmSystem(r *run, a args) int32 {
	text := r.text(a, 1)
	q, code := r.filling(a.i32(0), text)
	if code == 0 {
		q.System = string(text)
	}
	return code
}

func llmText(r *run, a args) int32 {
	text := r.text(a, 1)
	q, code := r.filling(a.i32(0), text)
	if code == 0 {
		q.Parts = append(q.Parts, abi.LLMPart{Text: bytes.Clone(text)})
	}
	return code
}

func llmSpan(r *run, a args) int32 {
	data, ok := r.part(a.i32(1), a.i32(2), a.i32(3))
	if !ok {
		return badArg
	}
	q, code := r.filling(a.i32(0), data)
	if code == 0 {
		q.Parts = append(q.Parts, abi.LLMPart{Text: data, Quoted: true})
	}
	return code
}

func llmSend(r *run, a args) int32 {
	q := r.request(a.i32(0))
	switch {
	case q == nil:
		return badArg
	case q.state != llmFilling:
		return r.refuse(abi.CodeUnsupported, "request %d is sent", a.i32(0))
	}
	if answer, ok := r.m.rt.opts.LLM.Stored(q.LLMRequest); ok && checkAnswer(q.JSON, answer) == nil {
		q.state, q.answer = llmSettled, answer
		return 1
	}
	if err := r.send(q); err != nil {
		q.state, q.returned = llmSettled, true
		q.code, q.why = llmCode(err), err.Error()
		r.llm.provisional = true
		return r.refuse(q.code, "%v", err)
	}
	q.state = llmUnderWay
	return 0
}

// send starts a request within the quota of the run.
func (r *run) send(q *llmRequest) error {
	if most := r.call.Context.Limits.LLMRequests; r.llm.sent >= most {
		return fault.New(abi.ErrLimit, "%d requests in one call, limit %d (limits.llm)", r.llm.sent+1, most)
	}
	tokens := q.MaxTokens
	for _, p := range q.Parts {
		tokens += abi.EstimateTokens(p.Text)
	}
	if tokens += abi.EstimateTokens([]byte(q.System)); r.llm.tokens+tokens > abi.LimitLLMTokens {
		return fault.New(abi.ErrLimit, "%s tokens in one call, limit %s", fault.Group(r.llm.tokens+tokens), fault.Group(abi.LimitLLMTokens))
	}
	ctx := r.Context
	if q.Background {
		ctx = r.m.rt.ctx
	}
	call, err := r.m.rt.opts.LLM.Send(ctx, q.LLMRequest)
	switch {
	case err != nil && !errors.Is(err, abi.ErrLimit) && !errors.Is(err, abi.ErrUnavailable):
		return fault.New(abi.ErrUnavailable, "%v", err)
	case err != nil:
		return err
	}
	r.llm.sent++
	r.llm.tokens += tokens
	q.call = call
	return nil
}

func llmWait(r *run, a args) int32 {
	only := a.i32(0)
	if only != -1 && r.request(only) == nil {
		return r.notFound()
	}
	n, open := r.llm.ready(only)
	if n == 0 && open && a.i32(1) != 0 {
		n = r.waitFor(only, a.i32(1))
	}
	switch {
	case n > 0:
		q := &r.llm.all[n-1]
		q.returned = true
		r.llm.provisional = r.llm.provisional || q.code != 0
		return n
	case !open:
		return r.notFound()
	}
	r.llm.provisional = true
	return r.refuse(abi.CodeTimeout, "no answer yet, %v of waiting left", r.llm.left)
}

// waitFor waits up to so many milliseconds, negative: as long as the run may.
func (r *run) waitFor(only, timeout int32) int32 {
	most := r.llm.left
	if timeout > 0 {
		most = min(most, millis(int(timeout)))
	}
	if most > 0 {
		r.await(only, most)
	}
	n, _ := r.llm.ready(only)
	return n
}

// settled finds a request that is under way or has ended, or says how it failed.
func (r *run) settled(number int32) (*llmRequest, int32) {
	q := r.request(number)
	if q == nil {
		return nil, badArg
	}
	q.settle()
	if q.code != 0 {
		r.llm.provisional = true
		return nil, r.refuse(q.code, "%s", q.why)
	}
	return q, 0
}

func llmStatus(r *run, a args) int32 {
	q, code := r.settled(a.i32(0))
	switch {
	case code < 0:
		return code
	case q.state != llmSettled:
		return abi.LLMPending
	case q.answer.Cut:
		return abi.LLMCut
	}
	return abi.LLMAnswered
}

func llmResult(r *run, a args) int32 {
	q, code := r.settled(a.i32(0))
	switch {
	case code < 0:
		return code
	case q.state != llmSettled:
		r.llm.provisional = true
		return r.refuse(abi.CodeTimeout, "request %d is not answered yet", a.i32(0))
	}
	return r.add(buffer{data: q.answer.Text, owned: len(q.answer.Text)})
}
