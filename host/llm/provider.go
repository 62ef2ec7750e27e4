package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
)

// provider is one that can be asked, with its health. Safe for concurrent use.
type provider struct {
	cfg    object.LLMProvider
	lookup func(string) (object.Secret, bool)
	driver driver
	server *server // of type managed
	broken error   // why it can never be asked as it is configured
	log    *slog.Logger

	slots chan struct{}
	rate  *rate
	breaker
	stats
}

// newProvider makes a provider of its settings. What is wrong with it shows when
// it is asked: the others serve.
func (l *Layer) newProvider(cfg object.LLMProvider) *provider {
	p := &provider{cfg: cfg, lookup: l.opts.Lookup, log: l.log, slots: make(chan struct{}, cfg.MaxConcurrent), rate: newRate(cfg.PerMinute)}
	switch cfg.Type {
	case object.LLMAnthropic:
		p.driver = newAnthropic(l.client, cfg)
	case object.LLMGeminiCLI:
		p.driver = &geminiCLI{command: cfg.Command, model: cfg.Model, environ: func() ([]string, error) { return p.environ(l.opts.Environ()) }}
	case object.LLMManaged:
		p.driver = newOpenAI(l.client, cfg)
		p.server = newServer(cfg, l.client, func() ([]string, error) { return p.environ(l.opts.Environ()) }, p.authorize, p.scrub, l.log)
	case object.LLMFake:
		answers := cfg.Answers
		if cfg.Script != "" {
			answers, p.broken = object.LoadLLMScript(l.inHome(cfg.Script))
		}
		p.driver = newOpenAI(&http.Client{Transport: newFake(answers)}, fakeAt(cfg))
	default:
		p.driver = newOpenAI(l.client, cfg)
	}
	return p
}

func (l *Layer) inHome(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(l.opts.Home, path)
}

// identity says who answers and how: part of the key of stored answers.
func (p *provider) identity() string {
	return fmt.Sprintf("%s/%s/%s/%s/t0/%s", p.cfg.Name, p.cfg.Type, p.cfg.BaseURL, p.cfg.Model, p.cfg.TokenField)
}

// expand fills in a reference.
func (p *provider) expand(t object.Template, what string) (object.Secret, error) {
	v, err := t.Expand(p.lookup)
	if errors.Is(err, object.ErrVariable) {
		return v, unavailable("%s needs %v, set neither in the daemon's environment nor in %s", what, t, object.SecretsFile)
	}
	return v, err
}

// secrets are all credentials of the provider that are set: what comes by a
// reference, and what is called as credentials are.
func (p *provider) secrets() (s secrets) {
	add := func(t object.Template) {
		if v, err := t.Expand(p.lookup); err == nil {
			s = s.with(v)
		}
	}
	add(p.cfg.APIKey)
	for name, t := range p.cfg.Env {
		if len(t.Variables()) > 0 || object.IsCredentialName(name) {
			add(t)
		}
	}
	return s
}

// authorize adds the key to a question that is no request: whether a server is ready.
func (p *provider) authorize(r *http.Request) {
	key, err := p.cfg.APIKey.Expand(p.lookup)
	base, bad := url.Parse(p.cfg.BaseURL)
	if err == nil && bad == nil && key.Reveal() != "" && r.URL.Host == base.Host {
		r.Header.Set("Authorization", "Bearer "+key.Reveal())
	}
}

func (p *provider) scrub(text string) string { return p.secrets().scrub(text) }

// environ is the environment of the provider's process; inherited is what any
// process of ours gets. Credentials go no other way.
func (p *provider) environ(inherited []string) ([]string, error) {
	env := slices.Clone(inherited)
	if !p.cfg.APIKey.IsZero() && p.cfg.Type == object.LLMGeminiCLI {
		key, err := p.expand(p.cfg.APIKey, "apiKey")
		if err != nil {
			return nil, err
		}
		env = append(env, geminiKey+"="+key.Reveal())
	}
	for _, name := range slices.Sorted(maps.Keys(p.cfg.Env)) {
		v, err := p.expand(p.cfg.Env[name], "env."+name)
		if err != nil {
			return nil, err
		}
		env = append(env, name+"="+v.Reveal())
	}
	return env, nil
}

// fault is why it cannot be asked at this moment, nil if it can. A server that is
// still warming up can, and what wants to be left alone no longer than patience.
func (p *provider) fault(patience time.Duration) error {
	_, unset := p.environ(nil)
	if _, err := p.expand(p.cfg.APIKey, "apiKey"); err != nil {
		unset = err
	}
	switch left, resting := p.left(), p.resting(); {
	case p.broken != nil:
		return unavailable("%v", p.broken)
	case unset != nil:
		return unset
	case left > 0:
		return unavailable("out of order, tried again in %v", left.Round(100*time.Millisecond))
	case resting > patience:
		return wantsRest(resting)
	case p.server != nil:
		return p.server.fault()
	}
	return nil
}

const (
	// foreground is how long a request may take that somebody waits for.
	foreground = 10 * time.Second
	// guestWaits is how long a guest waits in all.
	guestWaits = abi.LimitLLMMillis * time.Millisecond
)

// wantsRest is a provider that has said when to come back.
func wantsRest(left time.Duration) *fault {
	return unavailable("wants no request for %v", left.Round(time.Second))
}

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
