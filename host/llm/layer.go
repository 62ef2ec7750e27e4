package llm

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
)

// Store keeps answers by project. Implementations are safe for concurrent use.
type Store interface {
	Get(project string, key [32]byte) ([]byte, bool)
	Put(project string, key [32]byte, answer []byte)
}

// Options are the options of Open. With the zero value, no project selects its own
// provider, no variable is set and no answer is kept.
type Options struct {
	Home    string       // scripts of fake providers are relative to it
	Ledger  string       // file with the tokens spent today; empty: only in memory
	Store   Store        // nil: answers are not kept
	Log     *slog.Logger // nil: nothing is logged
	Environ func() []string

	// Lookup returns credentials. It is called at each use.
	Lookup func(name string) (secret.Value, bool)
	// Choice returns the llmProvider of a project; nil uses the tiers.
	Choice func(project string) *string
}

// Layer sends the LLM requests of all projects. Safe for concurrent use.
type Layer struct {
	opts   Options
	log    *slog.Logger
	client *http.Client
	budget budget

	life    context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	cfg       llmconfig.Settings
	providers []*provider // in the order of the settings
	epoch     int         // increases when they change
	flights   map[flightKey]*flight
}

// flightKey identifies the requests that share one flight. Requests after a change of
// the settings do not join the flights of before.
type flightKey struct {
	project string
	key     [32]byte
	epoch   int
}

// maxFlights is the maximum number of requests that are in progress or wait.
const maxFlights = 1000

// Open makes a Layer without providers.
func Open(o Options) *Layer {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Lookup == nil {
		o.Lookup = func(string) (secret.Value, bool) { return secret.Value{}, false }
	}
	if o.Choice == nil {
		o.Choice = func(string) *string { return nil }
	}
	if o.Environ == nil {
		o.Environ = func() []string { return nil }
	}
	l := &Layer{opts: o, log: o.Log, client: newClient(), flights: make(map[flightKey]*flight)}
	l.budget.ledger, l.budget.log = o.Ledger, o.Log
	l.budget.load()
	l.life, l.end = context.WithCancel(context.Background())
	return l
}

// Set applies settings. A provider with an unchanged entry keeps its health, its figures
// and its process; all others start from the beginning. Requests in progress keep their
// provider.
func (l *Layer) Set(cfg llmconfig.Settings) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	before := l.providers
	l.cfg, l.providers = cfg, nil
	for _, p := range cfg.Providers {
		i := slices.IndexFunc(before, func(old *provider) bool { return old.cfg.Name == p.Name && old.cfg.Revision == p.Revision })
		if i < 0 || before[i].broken != nil { // its script may have been repaired
			l.providers = append(l.providers, l.newProvider(p))
			l.epoch++
			continue
		}
		l.providers = append(l.providers, before[i])
	}
	for _, old := range before {
		if old.server != nil && !slices.Contains(l.providers, old) {
			l.running.Go(old.server.retire)
		}
	}
}

// Close cancels requests in progress, stops servers and waits for both. It may be called
// twice.
func (l *Layer) Close() error {
	l.mu.Lock()
	l.closed = true
	providers := l.providers
	l.mu.Unlock()
	l.end()
	for _, p := range providers {
		if p.server != nil {
			l.running.Go(p.server.close)
		}
	}
	l.running.Wait()
	l.budget.flush()
	l.client.CloseIdleConnections()
	return nil
}

// Configured reports whether there is a provider.
func (l *Layer) Configured() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.providers) > 0
}

// chain returns the providers for requests of a project and a tier, in order. It returns
// none, without an error, if there is no LLM.
//
// It returns abi.ErrUnavailable if the project selects a provider that does not exist.
func (l *Layer) chain(project string, tier int) ([]*provider, error) {
	choice := l.opts.Choice(project)
	l.mu.Lock()
	defer l.mu.Unlock()
	names := l.cfg.Fast
	if tier == abi.TierHeavy {
		names = l.cfg.Heavy
	}
	switch {
	case choice != nil && *choice == "none":
		return nil, nil
	case choice != nil:
		names = []object.Name{object.Name(*choice)}
	}
	var chain []*provider
	for _, n := range names {
		i := slices.IndexFunc(l.providers, func(p *provider) bool { return p.cfg.Name == n })
		if i < 0 {
			return nil, fmt.Errorf("%w: LLM provider %q is not in %s", abi.ErrUnavailable, n, homedir.SettingsFile)
		}
		chain = append(chain, l.providers[i])
	}
	return chain, nil
}

// Available implements wasm.LLM. It returns the slots of the provider that would receive
// a request.
func (l *Layer) Available(project string, tier int) (slots int, err error) {
	chain, err := l.chain(project, tier)
	if err != nil || len(chain) == 0 {
		return 0, err
	}
	usable, err := selectUsable(chain, false)
	if err != nil {
		return 0, err
	}
	return usable[0].cfg.MaxConcurrent, nil
}

// selectUsable returns the providers of a chain that can receive a request. Providers
// that need time to start come last, and are started, except for paused ones. Requests
// in the background accept a longer pause.
//
// It returns abi.ErrUnavailable with the reason of each provider if there is none.
func selectUsable(chain []*provider, background bool) (usable []*provider, err error) {
	var cold, resting []*provider
	var why []string
	for _, p := range chain {
		patience := guestWaits
		if background {
			patience = time.Duration(p.cfg.Timeout)
		}
		switch fault := p.fault(patience); {
		case fault != nil:
			why = append(why, fmt.Sprintf("LLM provider %q: %s", p.cfg.Name, shorten(p.scrub(fault.Error()))))
		case p.pauseLeft() > 0:
			resting = append(resting, p)
		case p.server != nil && !p.server.warm():
			cold = append(cold, p)
		default:
			usable = append(usable, p)
		}
	}
	slices.SortStableFunc(resting, func(a, b *provider) int { return cmp.Compare(a.pauseLeft(), b.pauseLeft()) })
	if usable = slices.Concat(usable, cold, resting); len(usable) == 0 {
		return nil, &fault{text: strings.Join(why, "; "), kind: abi.ErrUnavailable}
	}
	return usable, nil
}

// Identity implements wasm.LLM.
func (l *Layer) Identity(project string) string {
	var all []string
	for _, tier := range []int{abi.TierFast, abi.TierHeavy} {
		chain, err := l.chain(project, tier)
		if err != nil {
			return "unknown"
		}
		var names []string
		for _, p := range chain {
			names = append(names, p.identity())
		}
		if len(names) > 0 {
			all = append(all, strings.Join(names, ","))
		}
	}
	return strings.Join(all, ";")
}

// Warm starts the servers that a project may need, without waiting for them.
func (l *Layer) Warm(project string) {
	for _, tier := range []int{abi.TierFast, abi.TierHeavy} {
		chain, err := l.chain(project, tier)
		if err != nil {
			return
		}
		for _, p := range chain {
			if p.server != nil && p.server.fault() == nil {
				p.server.warm()
			}
		}
	}
}
