package imports

import (
	"bytes"
	"reflect"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

var llmFuncs = map[string]run{
	abi.FuncLLMAvailable: llmAvailable,
	abi.FuncLLMBegin:     llmBegin,
	abi.FuncLLMSystem:    llmSystem,
	abi.FuncLLMText:      llmText,
	abi.FuncLLMSpan:      llmSpan,
	abi.FuncLLMSend:      llmSend,
	abi.FuncLLMWait:      llmWait,
	abi.FuncLLMStatus:    llmStatus,
	abi.FuncLLMResult:    llmResult,
}

// withLLM returns f for roles with the capability.
func withLLM(f run) run {
	return func(c *Call, a Args) int32 {
		if code := c.requireCapability(module.CapabilityLLM); code < 0 {
			return code
		}
		return f(c, a)
	}
}

func llmAvailable(c *Call, a Args) int32 {
	if !isTier(a.I32(0)) {
		return c.refuse(abi.CodeBadArg, "tier %d", a.I32(0))
	}
	n, _ := c.requests.available(a.I32(0))
	return int32(n)
}

func llmBegin(c *Call, a Args) int32 { return c.requests.begin(a.I32(0), a.I32(1), a.I32(2)) }

func llmSystem(c *Call, a Args) int32 {
	text := c.text(a, 1)
	q, code := c.requests.openFor(a.I32(0), text)
	if code == 0 {
		q.System = string(text)
	}
	return code
}

func llmText(c *Call, a Args) int32 {
	text := c.text(a, 1)
	q, code := c.requests.openFor(a.I32(0), text)
	if code == 0 {
		q.Parts = append(q.Parts, abi.LLMPart{Text: bytes.Clone(text)})
	}
	return code
}

func llmSpan(c *Call, a Args) int32 {
	data, ok := c.part(a.I32(1), a.I32(2), a.I32(3))
	if !ok {
		return badArg
	}
	q, code := c.requests.openFor(a.I32(0), data)
	if code == 0 {
		q.Parts = append(q.Parts, abi.LLMPart{Text: data, Quoted: true})
	}
	return code
}

func llmSend(c *Call, a Args) int32 { return c.requests.send(a.I32(0)) }

func llmWait(c *Call, a Args) int32 { return waitForAnswer(c, a.I32(0), a.I32(1)) }

// waitForAnswer waits for a request (-1: any) up to timeout milliseconds (negative: as
// long as the call may) and returns its number.
func waitForAnswer(c *Call, only, timeout int32) int32 {
	r := &c.requests
	if only != -1 && r.get(only) == nil {
		return c.refuseNotFound()
	}
	n, isOpen := r.firstSettled(only)
	if n == 0 && isOpen && timeout != 0 {
		limit := r.timeLeft
		if timeout > 0 {
			limit = min(limit, time.Duration(timeout)*time.Millisecond)
		}
		if limit > 0 {
			await(c, only, limit)
		}
		n, _ = r.firstSettled(only)
	}
	switch {
	case n > 0:
		q := &r.all[n-1]
		q.returned = true
		r.provisional = r.provisional || q.code != 0
		return n
	case !isOpen:
		return c.refuseNotFound()
	}
	r.provisional = true
	return c.refuse(abi.CodeTimeout, "no answer yet, %v of waiting left", r.timeLeft)
}

// await blocks until a request may have settled, the time is over or the call is
// cancelled. The clock of the call is stopped.
func await(c *Call, only int32, timeout time.Duration) {
	resume, ok := yield(c)
	if !ok {
		return // as if the time were over
	}
	defer resume()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	cases := []reflect.SelectCase{
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(timer.C)},
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c.config.Context.Done())},
	}
	for i := range c.requests.all {
		if q := &c.requests.all[i]; q.state == requestSent && (only < 0 || int32(i+1) == only) {
			for _, ch := range []<-chan struct{}{q.call.Done(), postponed(q.call)} {
				cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ch)})
			}
		}
	}
	start := time.Now()
	reflect.Select(cases)
	c.requests.timeLeft = max(c.requests.timeLeft-time.Since(start), 0)
}

// yield lets other guests run while a call waits for an LLM. A hook also releases
// its turn in the session to one that will need a slot for its guest.
func yield(c *Call) (resume func(), ok bool) {
	if c.hook == nil {
		return c.config.Scheduler.Pause(), true
	}
	resumeGuest, ok := c.config.Scheduler.Suspend()
	if !ok {
		return nil, false
	}
	resumeTurn := c.hook.Host.Yield()
	return func() {
		resumeTurn() // first: the hook that has the turn may be waiting for the place
		resumeGuest()
		c.hook.recountState()
	}, true
}

func llmStatus(c *Call, a Args) int32 {
	q, code := c.requests.sentOrSettled(a.I32(0))
	switch {
	case code < 0:
		return code
	case q.state != requestSettled:
		return abi.LLMPending
	case q.answer.Cut:
		return abi.LLMCut
	}
	return abi.LLMAnswered
}

func llmResult(c *Call, a Args) int32 {
	q, code := c.requests.sentOrSettled(a.I32(0))
	switch {
	case code < 0:
		return code
	case q.state != requestSettled:
		c.requests.provisional = true
		return c.refuse(abi.CodeTimeout, "request %d is not answered yet", a.I32(0))
	}
	return c.buffers.addOwned(q.answer.Text)
}

// Prompt is a request that Complete sends.
type Prompt struct {
	Tier, MaxTokens, Flags int32
	System, Text           string
}

// Completion is the answer to a Prompt.
type Completion struct {
	Text    string
	Cut     bool        // by MaxTokens
	Code    abi.ErrCode // 0: answered
	Refusal string      // the text for Code
}

// Complete sends a request and waits for its answer, as long as the call may. It does
// not wait for a request in the background.
func (c *Call) Complete(p Prompt) Completion {
	q, code := complete(c, p)
	if code < 0 {
		return Completion{Code: abi.ErrCode(code), Refusal: c.refusals.text}
	}
	return Completion{Text: string(q.answer.Text), Cut: q.answer.Cut}
}

func complete(c *Call, p Prompt) (q *request, code int32) {
	if code := c.requireCapability(module.CapabilityLLM); code < 0 {
		return nil, code
	}
	n := c.requests.begin(p.Tier, p.MaxTokens, p.Flags)
	if n < 0 {
		return nil, n
	}
	if q, code = c.requests.openFor(n, []byte(p.System)); code < 0 {
		return nil, code
	}
	q.System = p.System
	if q, code = c.requests.openFor(n, []byte(p.Text)); code < 0 {
		return nil, code
	}
	q.Parts = []abi.LLMPart{{Text: []byte(p.Text)}}
	if code := c.requests.send(n); code < 0 {
		return nil, code
	}
	timeout := int32(-1)
	if p.Flags&abi.LLMBackground != 0 {
		timeout = 0
	}
	if code := waitForAnswer(c, n, timeout); code < 0 {
		return nil, code
	}
	return c.requests.sentOrSettled(n)
}
