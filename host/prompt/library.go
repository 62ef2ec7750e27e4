package prompt

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
)

// State is the configuration of one moment.
type State struct {
	Snapshot *store.Snapshot
	Epoch    uint64 // changes with the configuration

	// Filters identifies the filters that a prompt of a project goes through; "" if
	// there are none. It returns an error if the proxymodel of the prompt is invalid.
	Filters func(project string, p *object.Prompt) (string, error)
	// IsGated reports whether the sessions of a project begin with begin_session.
	IsGated func(project string) bool

	TeamLogin string // identifies the login to the team server, "" without one
}

// Home is the open home that prompts are read from. Implementations are safe for
// concurrent use.
type Home interface {
	State() State
	// Transform runs the filters and stages of a project; see transform.Transformer.
	Transform(ctx context.Context, scope flow.Scope, c flow.Content) (flow.Shown, error)
	// Epoch changes whenever equal content may be transformed differently.
	Epoch() uint64
	// Repeat records that a text is shown again; see transform.Transformer.
	Repeat(scope flow.Scope, refs []string, reports []flow.RunReport) bool
	// ReadResource reads a text resource of a server of a project.
	ReadResource(ctx context.Context, project, server, uri string) ([]byte, error)
	// ReadTeamLink reads the text resource that a prompt of the team server links to. The
	// team server decides whether it may be read.
	//
	// It returns ErrNotGranted if the link has no grant.
	ReadTeamLink(ctx context.Context, prompt object.Key, server, uri string) ([]byte, error)
	// ProposeToTeam stores a proposal for a project of the team server there.
	//
	// Errors: a *flow.ClientError, of the kind abi.ErrConflict if a proposal of this name is
	// open, and abi.ErrLimit if too many are.
	ProposeToTeam(ctx context.Context, project string, p Proposal) error
	// Apply writes objects to the home.
	Apply(objects []object.Object, opt store.ApplyOptions) ([]store.Change, error)
	// Delete removes an object from the home.
	Delete(key object.Key) (store.Deletion, error)
	// HasLLM returns an error that explains why no LLM can write summaries for a
	// project; nil if one can.
	HasLLM(project string) error
}

// LibraryOptions are the settings of NewLibrary. Home and Log are required.
type LibraryOptions struct {
	Home    Home
	Log     *slog.Logger
	LLM     LLM   // nil: summaries are extracted, not generated
	Store   Store // stores generated summaries; nil: they are in memory only
	Offline bool  // links are not read, and RegenerateSummary only removes the stored summary
}

// Library provides the prompts of all projects: index, summaries, links and filtered
// texts. It is safe for concurrent use.
type Library struct {
	opts      LibraryOptions
	home      Home
	summaries *Summaries
	links     *Links
	changed   chan struct{} // wakes Run
	proposing sync.Mutex

	mu      sync.Mutex
	version uint64                     // incremented for every new summary, link or screen
	caches  map[string]*projectCache   // by project
	screens map[string]screenedPrompts // by project
}

// NewLibrary returns a Library. Call Run to update it in the background.
func NewLibrary(o LibraryOptions) *Library {
	l := &Library{opts: o, home: o.Home, changed: make(chan struct{}, 1), caches: make(map[string]*projectCache), screens: make(map[string]screenedPrompts)}
	summaries := SummaryOptions{Log: o.Log, LLM: o.LLM, Store: o.Store, Changed: func(string) { l.invalidate() }}
	if o.Offline {
		summaries.LLM = nil
	}
	l.summaries = NewSummaries(summaries)
	l.links = NewLinks(LinkOptions{Read: l.readLink, Log: o.Log, Changed: l.invalidate})
	return l
}

// Close stops reading links.
func (l *Library) Close() error { return l.links.Close() }

// invalidate causes all caches to be rebuilt at their next use.
func (l *Library) invalidate() {
	l.mu.Lock()
	l.version++
	l.mu.Unlock()
	l.Update()
}

// Update notifies Run that the configuration may have changed. It does not block.
func (l *Library) Update() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// updateInterval is the interval at which Run checks links that are due.
const updateInterval = 30 * time.Second

// Run updates indexes, summaries and the status of links in the background, so that
// sessions do not wait for them. It returns when ctx is done.
func (l *Library) Run(ctx context.Context) {
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() { l.summaries.Run(ctx) })
	tick := time.NewTicker(updateInterval)
	defer tick.Stop()
	for {
		l.updateAll(ctx)
		select {
		case <-l.changed:
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (l *Library) updateAll(ctx context.Context) {
	var targets []string
	for _, o := range l.home.State().Snapshot.List(object.KindProject) {
		project := string(o.Key().Name)
		l.screenPrompts(ctx, project)
		index, links := l.indexAndLinks(project)
		targets = append(targets, links...)
		index.EachIncomplete(func(p *object.Prompt, hash string) {
			if text, ok := l.cachedText(p); ok && len(text) > 0 {
				l.requestSummary(ctx, project, p, hash, text)
			}
		})
	}
	l.links.Check(targets)
}

// requestSummary asks an LLM for the summary of a prompt after its filters.
func (l *Library) requestSummary(ctx context.Context, project string, p *object.Prompt, hash string, text []byte) {
	if hashOf(text) != hash {
		filtered, err := l.filter(ctx, project, p, text)
		if err != nil || hashOf(filtered) != hash { // it is changing now: retried in the next round
			return
		}
		text = filtered
	}
	l.summaries.Want(project, hash, string(text))
}

// RegenerateSummary makes an LLM write the summary of a prompt again, in the background.
// Offline it removes the stored summary, and the next daemon regenerates it.
//
// Errors: abi.ErrNotFound; abi.ErrUnavailable if the project has no LLM or a link
// cannot be read; abi.ErrConflict if the author wrote summary and chapters.
func (l *Library) RegenerateSummary(ctx context.Context, project, name string) error {
	p, err := l.find(project, name)
	if err != nil {
		return err
	}
	if p.Spec.Summary != "" && len(p.Spec.Chapters) > 0 {
		return fmt.Errorf("%w: prompt %q has a summary and chapters of its author, remove them from its file first", abi.ErrConflict, name)
	}
	text, _, err := l.readText(ctx, p)
	if err != nil {
		return err
	}
	if text, err = l.filter(ctx, project, p, text); err != nil {
		return err
	}
	hash := hashOf(text)
	if !l.opts.Offline {
		return l.summaries.Again(project, hash, string(text))
	}
	if err := l.home.HasLLM(project); err != nil {
		return err
	}
	return l.opts.Store.Set(project, hash, RegenerateMark(time.Now()))
}

// LinkFault returns why the link of a prompt cannot be read. It is meant for operators and
// must not be sent to clients. It is nil for a link that can be read or was not read yet,
// and ErrNotGranted for one that the team server has no grant for.
func (l *Library) LinkFault(p *object.Prompt) error { return l.links.Fault(linkOf(l.home.State(), p)) }

// IsGated reports whether the sessions of a project begin with begin_session, as soon as
// the project has prompts. The prompts of other projects are listed as resources, and
// those of priority 10 in the instructions.
func (l *Library) IsGated(project string) bool { return l.home.State().IsGated(project) }
