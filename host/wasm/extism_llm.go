package wasm

import (
	"encoding/json"

	extism "github.com/extism/go-sdk"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// userRequest is what a module built for Extism asks an LLM.
type userRequest struct {
	Tier           string // fast, which is the default, or heavy
	System, Prompt string
	MaxTokens      int // default 500
	Background     bool
	JSON           bool
}

// userReply is what it gets. Status is ok, pending if there is no answer yet,
// unavailable if nobody is there to ask, or error.
type userReply struct {
	Status string `json:"status"`
	Text   string `json:"text,omitempty"`
	Cut    bool   `json:"cut,omitempty"` // by maxTokens
	Error  string `json:"error,omitempty"`
}

const userMaxTokens = 500

func userLLM(r *run, p *extism.CurrentPlugin, a args) (uint64, error) {
	text, err := r.readText(p, a[0])
	if err != nil {
		return 0, err
	}
	var q userRequest
	reply := userReply{Status: "error"}
	if err := strictJSON(text, &q); err != nil {
		reply.Error = err.Error()
	} else {
		reply = r.complete(&q)
	}
	b, err := json.Marshal(reply)
	if err != nil {
		return 0, err
	}
	return r.writeText(p, b)
}

// complete makes one request and waits for its answer, as far as the run may wait:
// what guests of ours do in five calls.
func (r *run) complete(q *userRequest) userReply {
	if code := r.granted(module.CapabilityLLM); code < 0 {
		return r.noReply(code)
	}
	n := llmBegin(r, q.begin())
	if n < 0 {
		return r.noReply(n)
	}
	for _, part := range []struct {
		text string
		into func(*llmRequest)
	}{
		{q.System, func(l *llmRequest) { l.System = q.System }},
		{q.Prompt, func(l *llmRequest) { l.Parts = []abi.LLMPart{{Text: []byte(q.Prompt)}} }},
	} {
		l, code := r.filling(n, []byte(part.text))
		if code < 0 {
			return r.noReply(code)
		}
		part.into(l)
	}
	if code := llmSend(r, args{uint64(uint32(n))}); code < 0 {
		return r.noReply(code)
	}
	return r.reply(n, q.Background)
}

// begin is the request as guests of ours begin it.
func (q *userRequest) begin() args {
	tier, tokens, flags := int32(abi.TierFast), int32(userMaxTokens), int32(0)
	switch q.Tier {
	case "", "fast":
	case "heavy":
		tier = abi.TierHeavy
	default:
		tier = -1
	}
	if q.MaxTokens != 0 {
		tokens = int32(min(max(q.MaxTokens, -1), abi.LimitLLMTokens+1))
	}
	if q.Background {
		flags |= abi.LLMBackground
	}
	if q.JSON {
		flags |= abi.LLMJSON
	}
	return args{uint64(uint32(tier)), uint64(uint32(tokens)), uint64(uint32(flags))}
}

// reply waits for the answer to request n, one in the background not at all.
func (r *run) reply(n int32, background bool) userReply {
	timeout := int32(-1)
	if background {
		timeout = 0
	}
	if code := llmWait(r, args{uint64(uint32(n)), uint64(uint32(timeout))}); code < 0 {
		return r.noReply(code)
	}
	q, code := r.settled(n)
	if code < 0 {
		return r.noReply(code)
	}
	return userReply{Status: "ok", Text: string(q.answer.Text), Cut: q.answer.Cut}
}

// noReply says why there is no answer.
func (r *run) noReply(code int32) userReply {
	status := "error"
	switch abi.ErrCode(code) {
	case abi.CodeTimeout:
		status = "pending"
	case abi.CodeUnavailable, abi.CodeDenied:
		status = "unavailable"
	}
	return userReply{Status: status, Error: r.lastError}
}
