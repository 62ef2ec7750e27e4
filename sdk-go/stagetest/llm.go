package stagetest

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Question is what a stage asked.
type Question struct {
	Tier       stage.Tier
	MaxTokens  int
	JSON       bool
	Background bool
	System     string
	Prompt     string // all parts; quoted content stands between <quote> and </quote>
}

// Reply is what the LLM makes of a Question. The zero Reply is an empty answer.
type Reply struct {
	Text   string
	Cut    bool       // it ends at MaxTokens
	Stored bool       // it was there before and costs no quota
	Later  bool       // it does not come within the call
	Err    stage.Code // why there is none: stage.Upstream, stage.Timeout, ...
}

// concurrency is what available answers if there is an LLM.
const concurrency = 4

// asked is the requests of one call, numbered from 1.
type asked struct {
	requests    []*request
	counted     int // against the quota
	tokens      int
	provisional bool
}

type request struct {
	question Question
	sent     bool
	returned bool // wait has named it
	status   int32
	text     string
}

// refuseLLM is refuse for an answer that makes the run provisional.
func (h *host) refuseLLM(code int32, why string) int32 {
	h.asked.provisional = true
	return h.refuse(code, why)
}

func (h *host) request(req int32) (*request, int32) {
	if req < 1 || int(req) > len(h.asked.requests) {
		return nil, h.bad("no request " + strconv.Itoa(int(req)))
	}
	return h.asked.requests[req-1], 0
}

// unsent is request for functions that fill one.
func (h *host) unsent(req int32) (*request, int32) {
	r, code := h.request(req)
	if code == 0 && r.sent {
		return nil, h.refuse(raw.CodeUnsupported, "request "+strconv.Itoa(int(req))+" is sent")
	}
	return r, code
}

func (h *host) LLMAvailable(tier int32) int32 {
	if tier != raw.TierFast && tier != raw.TierHeavy {
		return h.bad("tier " + strconv.Itoa(int(tier)))
	}
	if h.call.LLM == nil {
		return 0
	}
	return concurrency
}

func (h *host) LLMBegin(tier, maxTokens, flags int32) int32 {
	if tier != raw.TierFast && tier != raw.TierHeavy || maxTokens < 1 || maxTokens > raw.LimitLLMTokens || flags&^(raw.LLMBackground|raw.LLMJSON) != 0 {
		return h.bad("tier, max_tokens or flags of a request")
	}
	if h.call.LLM == nil {
		return h.refuse(raw.CodeUnavailable, "no LLM provider configured")
	}
	if len(h.asked.requests) == raw.LimitHandles {
		return h.refuse(raw.CodeLimit, "more than 1,024 requests begun")
	}
	h.asked.requests = append(h.asked.requests, &request{question: Question{
		Tier: stage.Tier(tier), MaxTokens: int(maxTokens), JSON: flags&raw.LLMJSON != 0, Background: flags&raw.LLMBackground != 0,
	}})
	return int32(len(h.asked.requests))
}

func (h *host) LLMSystem(req int32, text string) int32 {
	r, code := h.filling(req, text)
	if code == 0 {
		r.question.System = strings.Clone(text)
	}
	return code
}

func (h *host) LLMText(req int32, text string) int32 {
	r, code := h.filling(req, text)
	if code == 0 {
		r.question.Prompt += text
	}
	return code
}

func (h *host) LLMSpan(req, buf, off, n int32) int32 {
	p, _, code := h.span(buf, off, n)
	if code < 0 {
		return code
	}
	r, code := h.filling(req, string(p))
	if code == 0 {
		r.question.Prompt += "<quote>" + string(p) + "</quote>"
	}
	return code
}

// filling is unsent for a text that is to be added.
func (h *host) filling(req int32, text string) (*request, int32) {
	r, code := h.unsent(req)
	if code == 0 && !utf8.ValidString(text) {
		return nil, h.bad("text is not UTF-8")
	}
	return r, code
}

func (h *host) LLMSend(req int32) int32 {
	r, code := h.unsent(req)
	if code < 0 {
		return code
	}
	reply := h.call.LLM(r.question)
	r.sent = true
	if !reply.Stored {
		tokens := r.question.MaxTokens + estimateTokens([]byte(r.question.System)) + estimateTokens([]byte(r.question.Prompt))
		if h.asked.counted == h.limits.LLMRequests || h.asked.tokens+tokens > raw.LimitLLMTokens {
			r.status, r.returned = raw.CodeLimit, true
			return h.refuseLLM(raw.CodeLimit, "more than "+strconv.Itoa(h.limits.LLMRequests)+" requests or 100,000 tokens")
		}
		h.asked.counted++
		h.asked.tokens += tokens
	}
	r.settle(reply)
	if reply.Stored && r.status > 0 {
		return 1
	}
	return 0
}

func (r *request) settle(reply Reply) {
	r.text = reply.Text[:min(len(reply.Text), raw.LimitLLMAnswerBytes)]
	_, notJSON := parse([]byte(reply.Text))
	switch {
	case reply.Later:
		r.status = raw.LLMPending
	case reply.Err != 0:
		r.status = int32(reply.Err)
	case r.question.JSON && notJSON != nil:
		r.status = raw.CodeUpstream
	case reply.Cut:
		r.status = raw.LLMCut
	default:
		r.status = raw.LLMAnswered
	}
}

// LLMWait never waits: what has not come by now does not come in this call.
func (h *host) LLMWait(req, timeoutMs int32) int32 {
	if req == -1 {
		return h.waitAny()
	}
	r, code := h.request(req)
	if code < 0 || !r.sent {
		return h.refuse(raw.CodeNotFound, "no request "+strconv.Itoa(int(req))+" was sent")
	}
	return h.settled(r, req)
}

func (h *host) waitAny() int32 {
	pending := false
	for i, r := range h.asked.requests {
		if !r.sent || r.returned {
			continue
		}
		if r.status != raw.LLMPending {
			return h.settled(r, int32(i+1))
		}
		pending = true
	}
	if pending {
		return h.refuseLLM(raw.CodeTimeout, "no answer yet")
	}
	return h.refuse(raw.CodeNotFound, "no request left")
}

func (h *host) settled(r *request, req int32) int32 {
	if r.status == raw.LLMPending {
		return h.refuseLLM(raw.CodeTimeout, "request "+strconv.Itoa(int(req))+" has no answer yet")
	}
	if r.status < 0 {
		h.asked.provisional = true
	}
	r.returned = true
	return req
}

func (h *host) LLMStatus(req int32) int32 {
	r, code := h.request(req)
	if code < 0 {
		return code
	}
	if r.status < 0 {
		return h.refuseLLM(r.status, "request "+strconv.Itoa(int(req))+": "+stage.Code(r.status).Error())
	}
	return r.status
}

func (h *host) LLMResult(req int32) int32 {
	r, code := h.request(req)
	switch {
	case code < 0:
		return code
	case r.status < 0:
		return h.LLMStatus(req)
	case r.status == raw.LLMPending:
		return h.refuseLLM(raw.CodeTimeout, "request "+strconv.Itoa(int(req))+" has no answer yet")
	}
	return h.handle(&buffer{bytes: []byte(r.text), from: own})
}
