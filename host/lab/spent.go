package lab

import (
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Spent is the LLM usage of a run. Tokens are estimated.
type Spent struct {
	Requests  int
	In, Out   int           // tokens of requests and of answers
	Answering time.Duration // time in which the guest waited for at least one answer
}

// account adds up the LLM usage of a run.
type account struct {
	mu    sync.Mutex
	spent Spent
	open  int       // requests without an answer
	since time.Time // when the first of them was sent
}

// sent records a request.
func (a *account) sent(r abi.LLMRequest) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spent.Requests++
	a.spent.In += abi.EstimateTokens([]byte(r.System))
	for _, p := range r.Parts {
		a.spent.In += abi.EstimateTokens(p.Text)
	}
	if a.open++; a.open == 1 {
		a.since = time.Now()
	}
}

// settled records the answer to a request.
func (a *account) settled(answer abi.LLMAnswer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spent.Out += abi.EstimateTokens(answer.Text)
	if a.open--; a.open == 0 {
		a.spent.Answering += time.Since(a.since)
	}
}

// close returns the usage so far.
func (a *account) close() Spent {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open > 0 {
		a.spent.Answering += time.Since(a.since)
	}
	return a.spent
}

// counted is a request that is recorded in an account. It implements abi.LLMCall
// and abi.LLMPostponed.
type counted struct {
	abi.LLMCall
	once    *sync.Once
	account *account
}

// Answer implements abi.LLMCall.
func (c counted) Answer() (abi.LLMAnswer, error) {
	answer, err := c.LLMCall.Answer()
	c.once.Do(func() { c.account.settled(answer) })
	return answer, err
}

// Postponed implements abi.LLMPostponed.
func (c counted) Postponed() <-chan struct{} {
	if p, ok := c.LLMCall.(abi.LLMPostponed); ok {
		return p.Postponed()
	}
	return nil
}
