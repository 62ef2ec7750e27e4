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

// start starts a flight. The caller holds the lock.
func (l *Layer) start(ctx context.Context, key flightKey, r abi.LLMRequest, chain []*provider) (abi.LLMCall, error) {
	switch {
	case l.closed:
		return nil, fmt.Errorf("%w: LLM requests have ended with the host", abi.ErrUnavailable)
	case len(l.flights) >= maxFlights:
		return nil, fmt.Errorf("%w: %d LLM requests under way, limit %d", abi.ErrLimit, len(l.flights), maxFlights)
	}
	if _, err := selectUsable(chain, r.Background); err != nil {
		return nil, err
	}
	q := requestOf(r)
	spends, tokens := budgetKey{r.Module, r.Project}, estimate(q.System)+estimate(q.Prompt)+q.MaxTokens
	day, err := l.budget.reserve(spends, tokens, l.cfg.DailyTokens)
	if err != nil {
		return nil, err
	}
	f := newFlight(l.life, r)
	f.join(ctx, r.Background)
	l.flights[key] = f
	l.running.Go(func() {
		got, err := l.tryProviders(f, chain, q)
		l.budget.settle(spends, day, tokens, f.spent)
		l.finish(key, f, got, err)
	})
	return f, nil
}

// finish ends a flight and stores its answer if it is complete.
func (l *Layer) finish(key flightKey, f *flight, r reply, err error) {
	a := abi.LLMAnswer{Text: []byte(r.Text), Cut: r.Cut}
	if err != nil {
		a = abi.LLMAnswer{}
	}
	if err == nil && !a.Cut && l.opts.Store != nil {
		l.opts.Store.Put(key.project, key.key, a.Text)
	}
	l.mu.Lock()
	if l.flights[key] == f { // otherwise the last caller had left, and a new flight has started
		delete(l.flights, key)
	}
	l.mu.Unlock()
	f.finish(a, err)
}

// tryProviders tries one provider after the other. It waits for a paused provider only
// if no other one has answered.
func (l *Layer) tryProviders(f *flight, chain []*provider, q request) (r reply, err error) {
	usable, err := selectUsable(chain, f.req.Background)
	if err != nil {
		return reply{}, err
	}
	var failed []error
	for patient := len(usable) == 1; ; patient = true {
		for _, p := range usable {
			if r, err = p.requestAnswer(f, q, patient); err == nil {
				return r.withTokenCounts(q), nil
			}
			if f.ctx.Err() != nil {
				return reply{}, context.Cause(f.ctx)
			}
			failed = append(failed, err)
		}
		if usable = firstToResume(usable); patient || len(usable) == 0 {
			return reply{}, joinErrors(failed)
		}
	}
}

// firstToResume returns the paused provider with the shortest pause.
func firstToResume(list []*provider) (first []*provider) {
	for _, p := range list {
		if rest := p.pauseLeft(); rest > 0 && (len(first) == 0 || rest < first[0].pauseLeft()) {
			first = []*provider{p}
		}
	}
	return first
}

// joinErrors joins the errors of several providers in one line.
func joinErrors(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	var text []string
	for _, err := range errs {
		text = append(text, err.Error())
	}
	return &joinedError{strings.Join(text, "; "), errs}
}

type joinedError struct {
	text string
	errs []error
}

func (s *joinedError) Error() string   { return s.text }
func (s *joinedError) Unwrap() []error { return s.errs }

// jsonOnly is the instruction for a model that must answer in JSON.
const jsonOnly = "Answer with one JSON value and nothing else."

func requestOf(r abi.LLMRequest) request {
	q := request{System: r.System, Prompt: string(r.Prompt()), MaxTokens: r.MaxTokens}
	if r.JSON {
		q.System = strings.TrimSpace(q.System + "\n\n" + jsonOnly)
	}
	return q
}

func estimate(text string) int { return abi.EstimateTokens([]byte(text)) }

// withTokenCounts returns the reply with estimates for the tokens that the provider did
// not report.
func (r reply) withTokenCounts(q request) reply {
	if r.In == 0 {
		r.In = estimate(q.System) + estimate(q.Prompt)
	}
	if r.Out == 0 {
		r.Out = estimate(r.Text)
	}
	return r
}

// cost returns the tokens of an attempt for the budget. It includes answers that could
// not be used, because providers charge for them, and the prompt of abandoned requests.
func (r reply) cost(q request, err error) int {
	var sent abandonedError
	switch {
	case err == nil, r.In+r.Out > 0:
		r = r.withTokenCounts(q)
		return r.In + r.Out
	case errors.As(err, &sent):
		return estimate(q.System) + estimate(q.Prompt)
	}
	return 0
}

// mostTokens is more than any model accepts or returns.
const mostTokens = 1 << 30

// clampTokens limits a token count of a provider, which may be any number.
func clampTokens(tokens int) int { return min(max(tokens, 0), mostTokens) }
