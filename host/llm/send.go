package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// Stored implements wasm.LLM.
func (l *Layer) Stored(r abi.LLMRequest) (abi.LLMAnswer, bool) {
	identity := l.Identity(r.Project)
	if l.opts.Store == nil || identity == "" {
		return abi.LLMAnswer{}, false
	}
	text, ok := l.opts.Store.Get(r.Project, r.Key(identity))
	return abi.LLMAnswer{Text: text}, ok
}

// Send implements wasm.LLM.
func (l *Layer) Send(ctx context.Context, r abi.LLMRequest) (abi.LLMCall, error) {
	chain, err := l.chain(r.Project, r.Tier)
	if err == nil && len(chain) == 0 {
		err = fmt.Errorf("%w: no LLM provider configured", abi.ErrUnavailable)
	}
	if err != nil {
		return nil, err
	}
	id := r.Key(l.Identity(r.Project))
	l.mu.Lock()
	defer l.mu.Unlock()
	key := flightKey{r.Project, id, l.epoch}
	if f := l.flights[key]; f != nil && f.join(ctx, r.Background) {
		return f, nil
	}
	return l.start(ctx, key, r, chain)
}

// start begins a flight; the caller holds the lock.
func (l *Layer) start(ctx context.Context, key flightKey, r abi.LLMRequest, chain []*provider) (abi.LLMCall, error) {
	switch {
	case l.closed:
		return nil, fmt.Errorf("%w: LLM requests have ended with the host", abi.ErrUnavailable)
	case len(l.flights) >= maxFlights:
		return nil, fmt.Errorf("%w: %d LLM requests under way, limit %d", abi.ErrLimit, len(l.flights), maxFlights)
	}
	if _, err := inOrder(chain, r.Background); err != nil {
		return nil, err
	}
	q := requestOf(r)
	spends, tokens := purse{r.Module, r.Project}, estimate(q.System)+estimate(q.Prompt)+q.MaxTokens
	day, err := l.budget.reserve(spends, tokens, l.cfg.DailyTokens)
	if err != nil {
		return nil, err
	}
	f := newFlight(l.life, r)
	f.join(ctx, r.Background)
	l.flights[key] = f
	l.running.Go(func() {
		got, err := l.fly(f, chain, q)
		l.budget.settle(spends, day, tokens, f.spent)
		l.land(key, f, got, err)
	})
	return f, nil
}

// land ends a flight; only a complete answer is stored.
func (l *Layer) land(key flightKey, f *flight, r reply, err error) {
	a := abi.LLMAnswer{Text: []byte(r.Text), Cut: r.Cut}
	if err != nil {
		a = abi.LLMAnswer{}
	}
	if err == nil && !a.Cut && l.opts.Store != nil {
		l.opts.Store.Put(key.project, key.key, a.Text)
	}
	l.mu.Lock()
	if l.flights[key] == f { // else the last asker had left, and another came
		delete(l.flights, key)
	}
	l.mu.Unlock()
	f.land(a, err)
}

// fly asks one provider after the other. What rests is waited for once no other
// has answered.
func (l *Layer) fly(f *flight, chain []*provider, q request) (r reply, err error) {
	usable, err := inOrder(chain, f.req.Background)
	if err != nil {
		return reply{}, err
	}
	var failed []error
	for patient := len(usable) == 1; ; patient = true {
		for _, p := range usable {
			if r, err = p.ask(f, q, patient); err == nil {
				return r.counted(q), nil
			}
			if f.ctx.Err() != nil {
				return reply{}, context.Cause(f.ctx)
			}
			failed = append(failed, err)
		}
		if usable = soonest(usable); patient || len(usable) == 0 {
			return reply{}, all(failed)
		}
	}
}

// soonest is that one of the providers that rest which can be asked again first.
func soonest(list []*provider) (first []*provider) {
	for _, p := range list {
		if rest := p.resting(); rest > 0 && (len(first) == 0 || rest < first[0].resting()) {
			first = []*provider{p}
		}
	}
	return first
}

// all makes one error of those of several providers, on one line.
func all(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	var text []string
	for _, err := range errs {
		text = append(text, err.Error())
	}
	return &several{strings.Join(text, "; "), errs}
}

type several struct {
	text string
	errs []error
}

func (s *several) Error() string   { return s.text }
func (s *several) Unwrap() []error { return s.errs }

// jsonOnly is said to a model that has to answer in JSON.
const jsonOnly = "Answer with one JSON value and nothing else."

func requestOf(r abi.LLMRequest) request {
	q := request{System: r.System, Prompt: string(r.Prompt()), MaxTokens: r.MaxTokens}
	if r.JSON {
		q.System = strings.TrimSpace(q.System + "\n\n" + jsonOnly)
	}
	return q
}

func estimate(text string) int { return abi.EstimateTokens([]byte(text)) }

// counted fills in tokens where the provider said nothing.
func (r reply) counted(q request) reply {
	if r.In == 0 {
		r.In = estimate(q.System) + estimate(q.Prompt)
	}
	if r.Out == 0 {
		r.Out = estimate(r.Text)
	}
	return r
}

// cost is what an attempt took of the budget: all that was answered, if it is of no
// use too, since the provider wants its money; and what was asked if nobody waited
// for the answer.
func (r reply) cost(q request, err error) int {
	var sent unheard
	switch {
	case err == nil, r.In+r.Out > 0:
		r = r.counted(q)
		return r.In + r.Out
	case errors.As(err, &sent):
		return estimate(q.System) + estimate(q.Prompt)
	}
	return 0
}

// mostTokens is more than any model takes or gives.
const mostTokens = 1 << 30

// plausible is a count of tokens by a provider, which may be any number.
func plausible(tokens int) int { return min(max(tokens, 0), mostTokens) }
