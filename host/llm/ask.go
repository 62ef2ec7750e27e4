package llm

import (
	"context"
	"math/rand/v2"
	"time"
)

// requestAnswer gets an answer for a flight. It waits for a slot, for a managed server
// to be ready and for the rate limit, then sends attempts until the time is over. A
// patient request waits while the provider is paused; any other request goes to the next
// provider.
func (p *provider) requestAnswer(f *flight, q request, patient bool) (r reply, err error) {
	release, err := p.waitSlot(f)
	if err != nil {
		return reply{}, err
	}
	defer release()
	if p.server != nil {
		done, err := p.server.use(f.ctx)
		if err != nil {
			return reply{}, p.describeError(f.ctx, err)
		}
		defer done()
	}
	if err := p.rate.wait(f.ctx); err != nil {
		return reply{}, err
	}
	ctx, cancel := f.startTimer(time.Duration(p.cfg.Timeout))
	defer cancel()
	start := time.Now()
	r, err = p.retryAttempts(ctx, f, q, patient)
	p.addReply(r, time.Since(start))
	if err == nil {
		return r, nil
	}
	err = p.describeError(f.ctx, err)
	p.addError(err)
	p.log.Debug("LLM request failed", "provider", p.cfg.Name, "error", err)
	return r, err
}

// waitSlot waits for a free slot of the provider. If the provider is paused meanwhile,
// it reports to the waiting guests that the answer is postponed.
func (p *provider) waitSlot(f *flight) (release func(), err error) {
	halted := p.pauseStarted()
	for {
		select {
		case p.slots <- struct{}{}:
			return func() { <-p.slots }, nil
		case <-halted:
			halted = nil
			defer f.postpone()()
		case <-f.ctx.Done():
			return nil, context.Cause(f.ctx)
		}
	}
}

// describeError returns an error that can be shown: it has the name of the provider and
// none of its secrets. If the flight has ended, it returns the reason for that instead.
func (p *provider) describeError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return asFault(err).withProvider(string(p.cfg.Name), p.secrets())
}

// maxAttempts is the maximum number of attempts of one request.
const maxAttempts = 4

func (p *provider) retryAttempts(ctx context.Context, f *flight, q request, patient bool) (r reply, err error) {
	if err = p.waitPause(ctx, f, patient); err != nil {
		return r, err
	}
	for n := 1; ; n++ {
		if r, err = p.attempt(ctx, f, q); err == nil {
			return r, nil
		}
		why := asFault(err)
		if ctx.Err() != nil || !why.retry || why.once && n > 1 || n == maxAttempts || p.retryIn() > 0 {
			return r, err
		}
		if p.server != nil && !p.server.isReady() {
			return r, err // a restart takes longer than a pause
		}
		if p.pauseBefore(ctx, f, n, patient) != nil || p.rate.wait(ctx) != nil {
			return r, err // the error of the provider is more useful than a timeout
		}
	}
}

// pauseBefore waits between attempt n and the next one: for the time that the provider
// asked for, or else for the backoff.
//
// It returns an error if there is not enough time left.
func (p *provider) pauseBefore(ctx context.Context, f *flight, n int, patient bool) error {
	if p.pauseLeft() > 0 {
		return p.waitPause(ctx, f, patient)
	}
	delay := backoff(n)
	if delay >= f.remaining() {
		return context.DeadlineExceeded
	}
	return sleep(ctx, delay)
}

// waitPause waits until the provider accepts requests again. If that takes longer than
// guests wait, it reports that the answer is postponed.
func (p *provider) waitPause(ctx context.Context, f *flight, patient bool) error {
	for {
		rest := p.pauseLeft()
		switch {
		case rest == 0:
			return nil
		case !patient, rest > f.patience(), rest >= f.remaining():
			return pausedFault(rest)
		}
		resume := func() {}
		if rest > guestWaits {
			resume = f.postpone()
		}
		err := sleep(ctx, rest)
		resume()
		if err != nil {
			return err
		}
	}
}

// backoff returns the pause after attempt n: 125 to 250 ms for the first one, doubling
// each time.
func backoff(n int) time.Duration {
	d := 250 * time.Millisecond << (n - 1)
	return d/2 + rand.N(d/2)
}

// attempt sends the request once and records the result in the breaker.
func (p *provider) attempt(ctx context.Context, f *flight, q request) (r reply, err error) {
	if q.Key, err = p.expand(p.cfg.APIKey, "apiKey"); err != nil {
		return r, err
	}
	ok, trial := p.allow()
	if !ok {
		return r, unavailable("out of order, tried again in %v", p.retryIn().Round(100*time.Millisecond))
	}
	r, err = p.driver.complete(ctx, q)
	r.In, r.Out = clampTokens(r.In), clampTokens(r.Out)
	f.spent += r.cost(q, err)
	if err == nil {
		r.Text, err = accept(r, f.req.JSON, p.secrets())
		p.done(trial, true)
		return r, err
	}
	why := asFault(err)
	p.pause(why.after)
	switch {
	case f.ctx.Err() != nil || !why.countsAgainst && trial && why.kind != nil:
		p.release(trial) // the request was abandoned, or the provider is only busy
	default:
		if why.countsAgainst && p.server != nil {
			p.server.reportLost()
		}
		if p.done(trial, !why.countsAgainst) {
			p.log.Warn("LLM provider out of order", "provider", p.cfg.Name, "error", why.withProvider(string(p.cfg.Name), p.secrets()), "again", waitFirst)
		}
	}
	return r, err
}
