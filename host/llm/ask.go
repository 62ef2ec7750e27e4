package llm

import (
	"context"
	"math/rand/v2"
	"time"
)

// ask gets an answer for a flight: a slot, a server that is ready, its turn in the
// minute, then attempts until the time is over. A patient request waits for a
// provider that rests; one that can go elsewhere is not.
func (p *provider) ask(f *flight, q request, patient bool) (r reply, err error) {
	release, err := p.slot(f)
	if err != nil {
		return reply{}, err
	}
	defer release()
	if p.server != nil {
		done, err := p.server.use(f.ctx)
		if err != nil {
			return reply{}, p.named(f.ctx, err)
		}
		defer done()
	}
	if err := p.rate.wait(f.ctx); err != nil {
		return reply{}, err
	}
	ctx, cancel := f.clock(time.Duration(p.cfg.Timeout))
	defer cancel()
	start := time.Now()
	r, err = p.attempts(ctx, f, q, patient)
	p.count(r, time.Since(start))
	if err == nil {
		return r, nil
	}
	err = p.named(f.ctx, err)
	p.failed(err)
	p.log.Debug("LLM request failed", "provider", p.cfg.Name, "error", err)
	return r, err
}

// slot waits for one of the provider's. Who waits for the answer is told if those
// before have met a provider that wants to be left alone.
func (p *provider) slot(f *flight) (release func(), err error) {
	halted := p.halted()
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

// named makes an error fit to be shown: with the provider's name and without its
// secrets. Once the flight is over nothing of the provider counts.
func (p *provider) named(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return asFault(err).by(string(p.cfg.Name), p.secrets())
}

// maxAttempts is how often a request is sent, the first time included.
const maxAttempts = 4

func (p *provider) attempts(ctx context.Context, f *flight, q request, patient bool) (r reply, err error) {
	if err = p.sitOut(ctx, f, patient); err != nil {
		return r, err
	}
	for n := 1; ; n++ {
		if r, err = p.attempt(ctx, f, q); err == nil {
			return r, nil
		}
		why := asFault(err)
		if ctx.Err() != nil || !why.retry || why.once && n > 1 || n == maxAttempts || p.left() > 0 {
			return r, err
		}
		if p.server != nil && !p.server.isReady() {
			return r, err // it takes longer than a pause to be there again
		}
		if p.pauseBefore(ctx, f, n, patient) != nil || p.rate.wait(ctx) != nil {
			return r, err // what the provider said is worth more than that time is over
		}
	}
}

// pauseBefore waits between the nth attempt and the next: as the provider says, or
// else as long as is fitting.
//
// Errors: if there is no time for it.
func (p *provider) pauseBefore(ctx context.Context, f *flight, n int, patient bool) error {
	if p.resting() > 0 {
		return p.sitOut(ctx, f, patient)
	}
	delay := backoff(n)
	if delay >= f.left() {
		return context.DeadlineExceeded
	}
	return sleep(ctx, delay)
}

// sitOut waits until the provider takes requests again. Who waits for the answer is
// told if that takes longer than they may.
func (p *provider) sitOut(ctx context.Context, f *flight, patient bool) error {
	for {
		rest := p.resting()
		switch {
		case rest == 0:
			return nil
		case !patient, rest > f.patience(), rest >= f.left():
			return wantsRest(rest)
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

// backoff is the pause after the nth attempt: 125 to 250 ms, doubling.
func backoff(n int) time.Duration {
	d := 250 * time.Millisecond << (n - 1)
	return d/2 + rand.N(d/2)
}

// attempt sends the request once and judges what comes.
func (p *provider) attempt(ctx context.Context, f *flight, q request) (r reply, err error) {
	if q.Key, err = p.expand(p.cfg.APIKey, "apiKey"); err != nil {
		return r, err
	}
	ok, trial := p.allow()
	if !ok {
		return r, unavailable("out of order, tried again in %v", p.left().Round(100*time.Millisecond))
	}
	r, err = p.driver.complete(ctx, q)
	r.In, r.Out = plausible(r.In), plausible(r.Out)
	f.spent += r.cost(q, err)
	if err == nil {
		r.Text, err = accept(r, f.req.JSON, p.secrets())
		p.done(trial, true)
		return r, err
	}
	why := asFault(err)
	p.pause(why.after)
	switch {
	case f.ctx.Err() != nil || !why.hurts && trial && why.kind != nil:
		p.release(trial) // nobody waits, or it is merely busy
	default:
		if why.hurts && p.server != nil {
			p.server.lost()
		}
		if p.done(trial, !why.hurts) {
			p.log.Warn("LLM provider out of order", "provider", p.cfg.Name, "error", why.by(string(p.cfg.Name), p.secrets()), "again", waitFirst)
		}
	}
	return r, err
}
