package testhost

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Question is a request to the LLM; see package stagetest.
type Question struct {
	Tier             stage.Tier
	MaxTokens        int
	JSON, Background bool
	System, Prompt   string
}

// Reply is the answer to a Question.
type Reply struct {
	Text               string
	Cut, Stored, Later bool
	Err                stage.Code
}

// concurrency is the result of available if there is an LLM.
const concurrency = 4

// asked has the requests of one call, numbered from 1.
type asked struct {
	requests    []*request
	counted     int // requests that count towards the limit
	tokens      int
	provisional bool
}

type request struct {
	question Question
	sent     bool
	returned bool // a wait has returned it
	status   int32
	text     string
}

// refuseLLM is like Refuse and makes the run provisional.
func (h *Host) refuseLLM(code int32, why string) int32 {
	h.asked.provisional = true
	return h.Refuse(code, why)
}

func (h *Host) request(req int32) (*request, int32) {
	if req < 1 || int(req) > len(h.asked.requests) {
		return nil, h.Bad("no request " + strconv.Itoa(int(req)))
	}
	return h.asked.requests[req-1], 0
}

// unsent returns a request that was not sent yet.
func (h *Host) unsent(req int32) (*request, int32) {
	r, code := h.request(req)
	if code == 0 && r.sent {
		return nil, h.Refuse(raw.CodeUnsupported, "request "+strconv.Itoa(int(req))+" is sent")
	}
	return r, code
}

func (h *Host) LLMAvailable(tier int32) int32 {
	if tier != raw.TierFast && tier != raw.TierHeavy {
		return h.Bad("tier " + strconv.Itoa(int(tier)))
	}
	if h.LLM == nil {
		return 0
	}
	return concurrency
}

func (h *Host) LLMBegin(tier, maxTokens, flags int32) int32 {
	if tier != raw.TierFast && tier != raw.TierHeavy || maxTokens < 1 || maxTokens > raw.LimitLLMTokens || flags&^(raw.LLMBackground|raw.LLMJSON) != 0 {
		return h.Bad("tier, max_tokens or flags of a request")
	}
	if h.LLM == nil {
		return h.Refuse(raw.CodeUnavailable, "no LLM provider configured")
	}
	if len(h.asked.requests) == raw.LimitHandles {
		return h.Refuse(raw.CodeLimit, "more than 1,024 requests begun")
	}
	h.asked.requests = append(h.asked.requests, &request{question: Question{
		Tier: stage.Tier(tier), MaxTokens: int(maxTokens), JSON: flags&raw.LLMJSON != 0, Background: flags&raw.LLMBackground != 0,
	}})
	return int32(len(h.asked.requests))
}

func (h *Host) LLMSystem(req int32, text string) int32 {
	r, code := h.unsentFor(req, text)
	if code == 0 {
		r.question.System = strings.Clone(text)
	}
	return code
}

func (h *Host) LLMText(req int32, text string) int32 {
	r, code := h.unsentFor(req, text)
	if code == 0 {
		r.question.Prompt += text
	}
	return code
}

func (h *Host) LLMSpan(req, buf, off, n int32) int32 {
	p, _, code := h.Span(buf, off, n)
	if code < 0 {
		return code
	}
	r, code := h.unsentFor(req, string(p))
	if code == 0 {
		r.question.Prompt += "<quote>" + string(p) + "</quote>"
	}
	return code
}

// unsentFor is like unsent and checks a text that will be added.
func (h *Host) unsentFor(req int32, text string) (*request, int32) {
	r, code := h.unsent(req)
	if code == 0 && !utf8.ValidString(text) {
		return nil, h.Bad("text is not UTF-8")
	}
	return r, code
}

func (h *Host) LLMSend(req int32) int32 {
	r, code := h.unsent(req)
	if code < 0 {
		return code
	}
	reply := h.LLM(r.question)
	r.sent = true
	if !reply.Stored {
		tokens := r.question.MaxTokens + EstimateTokens([]byte(r.question.System)) + EstimateTokens([]byte(r.question.Prompt))
		if h.asked.counted == h.LLMRequests || h.asked.tokens+tokens > raw.LimitLLMTokens {
			r.status, r.returned = raw.CodeLimit, true
			return h.refuseLLM(raw.CodeLimit, "more than "+strconv.Itoa(h.LLMRequests)+" requests or 100,000 tokens")
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

// LLMWait never waits: an answer that has not arrived does not arrive during the call.
func (h *Host) LLMWait(req, timeoutMs int32) int32 {
	if req == -1 {
		return h.waitAny()
	}
	r, code := h.request(req)
	if code < 0 || !r.sent {
		return h.Refuse(raw.CodeNotFound, "no request "+strconv.Itoa(int(req))+" was sent")
	}
	return h.settled(r, req)
}

func (h *Host) waitAny() int32 {
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
	return h.Refuse(raw.CodeNotFound, "no request left")
}

func (h *Host) settled(r *request, req int32) int32 {
	if r.status == raw.LLMPending {
		return h.refuseLLM(raw.CodeTimeout, "request "+strconv.Itoa(int(req))+" has no answer yet")
	}
	if r.status < 0 {
		h.asked.provisional = true
	}
	r.returned = true
	return req
}

func (h *Host) LLMStatus(req int32) int32 {
	r, code := h.request(req)
	if code < 0 {
		return code
	}
	if r.status < 0 {
		return h.refuseLLM(r.status, "request "+strconv.Itoa(int(req))+": "+stage.Code(r.status).Error())
	}
	return r.status
}

func (h *Host) LLMResult(req int32) int32 {
	r, code := h.request(req)
	switch {
	case code < 0:
		return code
	case r.status < 0:
		return h.LLMStatus(req)
	case r.status == raw.LLMPending:
		return h.refuseLLM(raw.CodeTimeout, "request "+strconv.Itoa(int(req))+" has no answer yet")
	}
	return h.Handle(Text([]byte(r.text)))
}
