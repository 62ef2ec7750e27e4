package sharedcache

import (
	"errors"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Limits of a pause. Each failure that follows another one doubles it.
const (
	minPause = 10 * time.Second
	maxPause = 160 * time.Second
)

// pause is a time in which mcpd is not asked, for one project or for all.
type pause struct {
	until  time.Time
	length time.Duration
}

// allProjects is the key of the pause of all projects: no project has an empty name.
const allProjects = ""

// isPaused reports whether mcpd is not asked for results of a project. The caller holds mu.
func (c *Cache) isPaused(project string) bool {
	now := c.opts.Now()
	for _, p := range []*pause{c.pauses[allProjects], c.pauses[project]} {
		if p != nil && now.Before(p.until) {
			return true
		}
	}
	return false
}

// noteResult begins or ends a pause after a call. An answer about a right or a project concerns
// that project only, and one to an earlier login none.
func (c *Cache) noteResult(of target, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.login != of.login {
		return
	}
	if err == nil {
		delete(c.pauses, allProjects)
		delete(c.pauses, of.project)
		return
	}
	key := allProjects
	if errors.Is(err, abi.ErrDenied) || errors.Is(err, abi.ErrNotFound) || errors.Is(err, abi.ErrConfig) {
		key = of.project
	}
	p := c.pauses[key]
	if p == nil {
		p = new(pause)
		c.pauses[key] = p
	}
	now := c.opts.Now()
	if now.Before(p.until) {
		return // one failure of several concurrent calls
	}
	p.length = min(max(2*p.length, minPause), maxPause)
	p.until = now.Add(p.length)
	c.opts.Log.Debug("the shared cache is not asked for a while", "project", key, "for", p.length, "error", err)
}
