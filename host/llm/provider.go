package llm

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/credential"
	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
	"github.com/mcpctl/mcpctl/host/secret"
)

// provider is one that can be asked, with its health. Safe for concurrent use.
type provider struct {
	cfg    llmconfig.Provider
	lookup func(string) (secret.Value, bool)
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
func (l *Layer) newProvider(cfg llmconfig.Provider) *provider {
	p := &provider{cfg: cfg, lookup: l.opts.Lookup, log: l.log, slots: make(chan struct{}, cfg.MaxConcurrent), rate: newRate(cfg.PerMinute)}
	switch cfg.Type {
	case llmconfig.Anthropic:
		p.driver = newAnthropic(l.client, cfg)
	case llmconfig.GeminiCLI:
		p.driver = &geminiCLI{command: cfg.Command, model: cfg.Model, environ: func() ([]string, error) { return p.environ(l.opts.Environ()) }}
	case llmconfig.Managed:
		p.driver = newOpenAI(l.client, cfg)
		p.server = newServer(cfg, l.client, func() ([]string, error) { return p.environ(l.opts.Environ()) }, p.authorize, p.scrub, l.log)
	case llmconfig.Fake:
		answers := cfg.Answers
		if cfg.Script != "" {
			answers, p.broken = llmconfig.LoadScript(l.inHome(cfg.Script))
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
func (p *provider) expand(t secret.Template, what string) (secret.Value, error) {
	v, err := t.Expand(p.lookup)
	if errors.Is(err, secret.ErrVariable) {
		return v, unavailable("%s needs %v, set neither in the daemon's environment nor in %s (mcpctl config set-secret %s)", what, t, secret.FileName, t.Required()[0])
	}
	return v, err
}

// secrets are all credentials of the provider that are set: what comes by a
// reference, and what is called as credentials are.
func (p *provider) secrets() (s secrets) {
	add := func(t secret.Template) {
		if v, err := t.Expand(p.lookup); err == nil {
			s = s.with(v)
		}
	}
	add(p.cfg.APIKey)
	for name, t := range p.cfg.Env {
		if len(t.Variables()) > 0 || credential.IsName(name) {
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
	if !p.cfg.APIKey.IsZero() && p.cfg.Type == llmconfig.GeminiCLI {
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
