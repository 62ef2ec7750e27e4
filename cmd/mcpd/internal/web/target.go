package web

import (
	"net/url"
	"sync"

	"github.com/mcpctl/mcpctl/host/object"
)

// target is where requests to a server go.
type target struct {
	url     *url.URL
	headers map[string]string // with credentials
}

// targetCache keeps targets while no object changes, so that most calls need no query. Its zero
// value is empty. It is safe for concurrent use.
type targetCache struct {
	mu      sync.Mutex
	version int64 // of the store
	targets map[object.Name]target
}

func (c *targetCache) get(server object.Name, version int64) (t target, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version {
		return target{}, false
	}
	t, ok = c.targets[server]
	return t, ok
}

func (c *targetCache) put(server object.Name, version int64, t target) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version || c.targets == nil {
		c.version, c.targets = version, make(map[object.Name]target)
	}
	c.targets[server] = t
}
