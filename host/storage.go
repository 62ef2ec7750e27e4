package host

import (
	"context"
	"errors"

	"github.com/mcpctl/mcpctl/host/cache"
	"github.com/mcpctl/mcpctl/host/content"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/sharedcache"
)

// Storage returns the operations on the cache and the stored originals.
func (h *Host) Storage() Storage { return Storage{h} }

// Storage describes and clears the cache and the stored originals.
type Storage struct{ h *Host }

// Stats returns the figures of the cache and of the originals.
func (s Storage) Stats() (cache.Stats, content.Stats, error) {
	var stats cache.Stats
	err := s.use(func(c *cache.Cache) error {
		stats = c.Stats()
		return nil
	})
	return stats, s.h.contents.Stats(), err
}

// Shared returns the figures of the cache of the team.
func (s Storage) Shared() sharedcache.Figures { return s.h.shared.Figures() }

// SharedState describes how the cache of the team is used, on one line; it is empty if it is
// not used.
func (s Storage) SharedState() string { return s.h.shared.String() }

// VerifyShared recomputes results in the cache of the team; see sharedVerifier.verify.
func (s Storage) VerifyShared(ctx context.Context, project string, sample int) ([]SharedCheck, error) {
	h := s.h
	v := sharedVerifier{sharing: sharing{h.team, h.team.config}, contents: h.contents, transformer: h.transformer, shared: h.shared}
	return v.verify(ctx, project, sample)
}

// List returns the cached results of a project; "" means all projects.
func (s Storage) List(project string) (list []cache.Item, err error) {
	err = s.use(func(c *cache.Cache) error {
		list = c.List(project)
		return nil
	})
	return list, err
}

// ClearCache removes the cached results of a project; "" means all projects.
func (s Storage) ClearCache(project string) (n int, err error) {
	err = s.use(func(c *cache.Cache) error {
		n, err = c.Clear(project)
		return err
	})
	s.h.transformer.ForgetShown()
	return n, err
}

// Original returns a stored content of a project without subjects.
//
// Errors: abi.ErrNotFound; see content.Store.
func (s Storage) Original(project, ref string) (flow.Content, error) {
	b, info, err := s.h.contents.Get(s.h.config.Owner(flow.Scope{Project: project}), ref)
	return flow.Content{Type: info.Type, Source: info.Source, MIME: info.MIME, Hint: info.Hint, Bytes: b}, err
}

// use calls f with the open cache. Offline it opens the file only for the call, so that a
// daemon can start meanwhile.
func (s Storage) use(use func(*cache.Cache) error) error {
	if s.h.cache != nil {
		return use(s.h.cache)
	}
	c, err := s.h.openCache()
	if err != nil {
		return err
	}
	return errors.Join(use(c), c.Close())
}

// ClearOriginals removes all originals and refs, and returns the number of originals.
// Results that were shown before go through the pipeline again.
func (s Storage) ClearOriginals() (n int, err error) {
	if !s.h.opts.Offline {
		n = s.h.contents.Clear()
		s.h.transformer.ForgetShown()
		return n, nil
	}
	key, err := s.h.opts.Home.RefKey()
	if err != nil {
		return 0, err
	}
	originals, err := content.Open(s.h.opts.Home.Originals(), key, s.h.opts.Settings.originals())
	if err != nil {
		return 0, err
	}
	return originals.Clear(), originals.Close()
}
