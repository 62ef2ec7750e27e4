package host

import (
	"cmp"
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/cache"
	"github.com/mcpctl/mcpctl/host/controller"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/prompt"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/transform"
)

var (
	_ proxy.Library      = prompt.Resources{}
	_ controller.Prompts = (*prompt.Library)(nil)
	_ prompt.Home        = promptHome{}
)

// Prompts returns the prompts of all projects.
func (h *Host) Prompts() *prompt.Library { return h.prompts }

func (h *Host) openPrompts() {
	opts := prompt.LibraryOptions{Home: promptHome{h.transformer, h}, Log: h.log, Offline: h.opts.Offline, Store: outlines{h}}
	if h.opts.LLM != nil {
		opts.LLM = h.opts.LLM
	}
	h.prompts = prompt.NewLibrary(opts)
}

// promptHome implements prompt.Home with a Host.
type promptHome struct {
	*transform.Transformer
	h *Host
}

// State implements prompt.Home.
func (p promptHome) State() prompt.State {
	s := p.h.config.State()
	return prompt.State{Snapshot: s.Snapshot, Epoch: s.Epoch, Filters: s.FiltersOf, IsGated: s.IsGated, TeamLogin: s.TeamSet().Login}
}

// ReadResource implements prompt.Home.
func (p promptHome) ReadResource(ctx context.Context, project, server, uri string) ([]byte, error) {
	found, ok := p.h.config.State().Projects[project]
	if !ok {
		return nil, fmt.Errorf("%w: project %q", abi.ErrNotFound, project)
	}
	for _, s := range found.Servers {
		if s.Name == server {
			ctx, cancel := context.WithTimeout(ctx, 2*cmp.Or(s.Timeout, object.DefaultTimeout)) // half of it for starting the server
			defer cancel()
			return p.h.pool.ReadResource(ctx, project, s, uri)
		}
	}
	return nil, fmt.Errorf("%w: project %q has no server %q", abi.ErrNotFound, project, server)
}

// ReadTeamLink implements prompt.Home.
func (p promptHome) ReadTeamLink(ctx context.Context, key object.Key, server, uri string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, object.DefaultTimeout)
	defer cancel()
	return p.h.team.readLink(ctx, p.h.pool, key, server, uri)
}

// ProposeToTeam implements prompt.Home.
func (p promptHome) ProposeToTeam(ctx context.Context, project string, proposal prompt.Proposal) error {
	return p.h.team.propose(ctx, project, proposal)
}

// Apply implements prompt.Home.
func (p promptHome) Apply(objects []object.Object, opt store.ApplyOptions) ([]store.Change, error) {
	return p.h.Apply(objects, opt)
}

// Delete implements prompt.Home.
func (p promptHome) Delete(key object.Key) (store.Deletion, error) { return p.h.Delete(key) }

// HasLLM implements prompt.Home.
func (p promptHome) HasLLM(project string) error {
	r, err := p.h.llm.Resolve(project)
	if err == nil && len(r.Fast) == 0 {
		err = fmt.Errorf("%w: project %q has no LLM that can write a summary, the summary without an LLM is kept", abi.ErrUnavailable, project)
	}
	return err
}

// outlines stores the summaries of an LLM in the cache, by the hash of their text.
type outlines struct{ h *Host }

func (o outlines) producer(project string) flow.Producer {
	return flow.Producer{Project: project, Role: "prompt-summary", ModuleHash: "host/prompt"}
}

// Get implements prompt.Store. Offline the cache is not read.
func (o outlines) Get(project, hash string) ([]byte, bool) {
	if o.h.cache == nil {
		return nil, false
	}
	return o.h.cache.KV(o.producer(project), nil).Get([]byte(hash))
}

// Set implements prompt.Store.
func (o outlines) Set(project, hash string, value []byte) error {
	return o.h.Storage().use(func(c *cache.Cache) error { return c.KV(o.producer(project), nil).Set([]byte(hash), value) })
}
