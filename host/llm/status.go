package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
)

// Status is the state of one provider, and its figures since it was configured.
type Status struct {
	Name  string
	Type  string
	Model string
	Tiers []string // fast, heavy
	State string   // idle, ready, cold, warming, or "failed: why": it can receive no request now, or the last one failed

	Figures
	LastError string // without credentials; empty if the last request was answered
	LastLine  string // of the output of a managed server
}

// Figures are sums over requests. A failed request counts as one error, regardless of
// its attempts.
type Figures struct {
	Requests  int64
	Errors    int64
	TokensIn  int64 // as the provider counts them, or 0
	TokensOut int64
	Time      time.Duration // from its slot to its answer
}

// stats are the figures of one provider.
type stats struct {
	mu   sync.Mutex
	sum  Figures
	last string
}

func (s *stats) addReply(r reply, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum.Requests++
	s.sum.TokensIn += int64(r.In)
	s.sum.TokensOut += int64(r.Out)
	s.sum.Time += took
	s.last = ""
}

func (s *stats) addError(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum.Errors++
	if !errors.Is(err, context.Canceled) { // an abandoned request does not count
		s.last = err.Error()
	}
}

func (s *stats) snapshot() (Figures, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sum, s.last
}

// Providers returns all configured providers in the order of the settings.
func (l *Layer) Providers() []Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]Status, 0, len(l.providers))
	for _, p := range l.providers {
		st := Status{Name: string(p.cfg.Name), Type: p.cfg.Type, Model: p.cfg.Model, State: p.state()}
		for _, tier := range []struct {
			name string
			of   []object.Name
		}{{"fast", l.cfg.Fast}, {"heavy", l.cfg.Heavy}} {
			if slices.Contains(tier.of, p.cfg.Name) {
				st.Tiers = append(st.Tiers, tier.name)
			}
		}
		st.Figures, st.LastError = p.snapshot()
		if p.server != nil {
			st.LastLine = shorten(p.scrub(p.server.lastLine()))
		}
		list = append(list, st)
	}
	return list
}

func (p *provider) state() string {
	if p.server != nil && strings.HasPrefix(p.server.phase(), phaseFailed) {
		return p.server.phase()
	}
	if err := p.fault(0); err != nil {
		return "failed: " + shorten(p.scrub(err.Error()))
	}
	if p.server != nil && !p.server.isReady() {
		return p.server.phase()
	}
	switch sum, last := p.snapshot(); {
	case last != "":
		return "failed: " + strings.TrimPrefix(last, fmt.Sprintf("LLM provider %q: ", p.cfg.Name))
	case sum.Requests == 0 && p.server == nil:
		return "idle"
	}
	return "ready"
}

// Resolution describes in one line which providers a project uses, and why.
func (l *Layer) Resolution(project string) string {
	source := "llm.tiers of " + homedir.SettingsFile
	switch choice := l.opts.Choice(project); {
	case choice != nil && *choice == "none":
		return "none (llmProvider: none)"
	case choice != nil:
		source = "llmProvider"
	}
	fast, err := l.chain(project, abi.TierFast)
	if err != nil {
		return fmt.Sprintf("failed: %s is not in %s (llmProvider)", *l.opts.Choice(project), homedir.SettingsFile)
	}
	heavy, _ := l.chain(project, abi.TierHeavy) // the error is the same as for fast
	if len(fast) == 0 {
		return "none (no provider in " + homedir.SettingsFile + ")"
	}
	if slices.Equal(fast, heavy) {
		return fmt.Sprintf("%s (%s)", describe(fast), source)
	}
	return fmt.Sprintf("fast %s; heavy %s (%s)", describe(fast), describe(heavy), source)
}

// Resolved is the set of providers of one project.
type Resolved struct {
	Source string   // llmProvider of the project, or the tiers of the settings
	Fast   []string // providers in order; empty: no LLM
	Heavy  []string
}

// Resolve returns the providers of a project.
//
// It returns abi.ErrUnavailable if the project selects a provider that does not exist.
func (l *Layer) Resolve(project string) (r Resolved, err error) {
	r.Source = "llm.tiers of " + homedir.SettingsFile
	if choice := l.opts.Choice(project); choice != nil {
		r.Source = "llmProvider: " + *choice
	}
	for tier, names := range map[int]*[]string{abi.TierFast: &r.Fast, abi.TierHeavy: &r.Heavy} {
		chain, err := l.chain(project, tier)
		if err != nil {
			return r, err
		}
		for _, p := range chain {
			*names = append(*names, string(p.cfg.Name))
		}
	}
	return r, nil
}

// Budget returns the tokens spent today, highest first, and the daily limit of one
// module in one project; 0 is unlimited.
func (l *Layer) Budget() (spent []Spent, limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.budget.list(), l.cfg.DailyTokens
}

// describe lists providers: "local (openai, qwen3:4b), then claude (...)".
func describe(chain []*provider) string {
	var names []string
	for _, p := range chain {
		text := p.cfg.Type
		if p.cfg.Model != "" && p.cfg.Model != p.cfg.Type {
			text += ", " + p.cfg.Model
		}
		names = append(names, fmt.Sprintf("%s (%s)", p.cfg.Name, text))
	}
	return strings.Join(names, ", then ")
}

// Faults returns the reason for each provider that cannot receive requests, in one line.
// Providers that are only out of service for a while are not included.
func (l *Layer) Faults() (list []error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.providers {
		_, err := p.environ(nil)
		if _, unset := p.expand(p.cfg.APIKey, "apiKey"); unset != nil {
			err = unset
		}
		if p.broken != nil {
			err = p.broken
		}
		if err != nil {
			list = append(list, fmt.Errorf("LLM provider %q: %w", p.cfg.Name, err))
		}
	}
	return list
}
