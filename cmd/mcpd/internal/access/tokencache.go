package access

import (
	"sync"
	"time"
)

// tokenCache holds the owners of tokens for a moment, so that most requests need no query.
type tokenCache struct {
	mu     sync.Mutex
	owners map[[32]byte]cachedOwner
}

type cachedOwner struct {
	Caller
	until time.Time
}

// Limits of a tokenCache.
const (
	cachedFor = 5 * time.Second
	maxCached = 10_000
)

func (c *tokenCache) get(hash [32]byte, now time.Time) (Caller, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, ok := c.owners[hash]
	if !ok || now.After(o.until) {
		delete(c.owners, hash)
		return Caller{}, false
	}
	return o.Caller, true
}

func (c *tokenCache) put(hash [32]byte, owner Caller, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owners == nil || len(c.owners) >= maxCached {
		c.owners = make(map[[32]byte]cachedOwner)
	}
	c.owners[hash] = cachedOwner{owner, now.Add(cachedFor)}
}

func (c *tokenCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owners = nil
}
