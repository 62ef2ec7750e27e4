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

// provider is a configured provider with its health. Safe for concurrent use.
type provider struct {
	cfg    llmconfig.Provider
	lookup func(string) (secret.Value, bool)
	driver driver
	server *server // of type managed
	broken error   // error in the settings; it can receive no requests
	log    *slog.Logger

	slots chan struct{}
	rate  *rate
	breaker
	stats
}

// newProvider returns the provider for its settings. An error in them is returned by its
// requests, so that other providers keep working.
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
			answers, p.broken = llmconfig.LoadScript(l.resolvePath(cfg.Script))
		}
		p.driver = newOpenAI(&http.Client{Transport: newFake(answers)}, fakeSettings(cfg))
	default:
		p.driver = newOpenAI(l.client, cfg)
	}
	return p
}

func (l *Layer) resolvePath(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(l.opts.Home, path)
}

// identity identifies the provider and its model in the keys of stored answers.
func (p *provider) identity() string {
	return fmt.Sprintf("%s/%s/%s/%s/t0/%s", p.cfg.Name, p.cfg.Type, p.cfg.BaseURL, p.cfg.Model, p.cfg.TokenField)
}

// expand replaces the references in a template.
func (p *provider) expand(t secret.Template, field string) (secret.Value, error) {
	v, err := t.Expand(p.lookup)
	if errors.Is(err, secret.ErrVariable) {
		return v, unavailable("%s needs %v, set neither in the daemon's environment nor in %s (mcpctl config set-secret %s)", field, t, secret.FileName, t.Required()[0])
	}
	return v, err
}

// secrets returns all credentials of the provider that are set: values of references,
// and values whose names are those of credentials.
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

// authorize adds the key to a health check.
func (p *provider) authorize(r *http.Request) {
	key, err := p.cfg.APIKey.Expand(p.lookup)
	base, bad := url.Parse(p.cfg.BaseURL)
	if err == nil && bad == nil && key.Reveal() != "" && r.URL.Host == base.Host {
		r.Header.Set("Authorization", "Bearer "+key.Reveal())
	}
}

func (p *provider) scrub(text string) string { return p.secrets().scrub(text) }

// environ returns the environment of the provider's process; inherited is the
// environment of every child process. Credentials are passed only here.
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

// fault returns the reason why the provider cannot receive requests now, or nil. It can
// if its server is still starting, or if its pause ends within patience.
func (p *provider) fault(patience time.Duration) error {
	_, unset := p.environ(nil)
	if _, err := p.expand(p.cfg.APIKey, "apiKey"); err != nil {
		unset = err
	}
	switch left, resting := p.retryIn(), p.pauseLeft(); {
	case p.broken != nil:
		return unavailable("%v", p.broken)
	case unset != nil:
		return unset
	case left > 0:
		return unavailable("out of order, tried again in %v", left.Round(100*time.Millisecond))
	case resting > patience:
		return pausedFault(resting)
	case p.server != nil:
		return p.server.fault()
	}
	return nil
}

const (
	// foregroundTime is the time limit of a request that a guest waits for.
	foregroundTime = 10 * time.Second
	// guestWaits is the maximum time that a guest waits.
	guestWaits = abi.LimitLLMMillis * time.Millisecond
)

// pausedFault returns the fault of a provider that asked for a pause.
func pausedFault(left time.Duration) *fault {
	return unavailable("accepts no request for %v", left.Round(time.Second))
}
