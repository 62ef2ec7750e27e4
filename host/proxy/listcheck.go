package proxy

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/proxy/catalog"
)

// checkDelay collects a burst of list_changed notifications into one check. It doubles,
// up to maxCheckDelay, as long as they continue, because each check asks the server and
// the controllers of every session.
const (
	checkDelay    = 20 * time.Millisecond
	maxCheckDelay = time.Second
)

// listChecker detects whether the lists that a client has are outdated. It is safe for
// concurrent use.
type listChecker struct {
	*index

	mu    sync.Mutex
	kinds [catalog.Kinds]struct {
		given   bool // the client has the list
		sum     [sha256.Size]byte
		running bool     // a check is running
		wanted  bool     // another check is needed
		servers []string // to be asked in that check
	}
}

// give records the list that the client gets. It reports whether the client had a
// different one.
func (c *listChecker) give(k catalog.Kind, sum [sha256.Size]byte) (changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := &c.kinds[k]
	changed = one.given && one.sum != sum
	one.given, one.sum = true, sum
	return changed
}

// isGiven reports whether the client has requested the list.
func (c *listChecker) isGiven(k catalog.Kind) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kinds[k].given
}

// check compares the current list with the client's in the background, and sends
// list_changed if they differ. The named servers are asked for their list.
func (c *listChecker) check(k catalog.Kind, servers ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := &c.kinds[k]
	if !one.given || c.session.Err() != nil {
		return // the client has nothing that could be outdated
	}
	one.wanted = true
	one.servers = append(one.servers, servers...)
	if !one.running {
		one.running = true
		go c.loop(k)
	}
}

// checkAll checks every list after the project has changed.
func (c *listChecker) checkAll(p *Project) {
	names := []string{}
	for _, server := range p.Servers {
		names = append(names, server.Name)
	}
	for k := range catalog.Kinds {
		c.check(k, names...)
	}
}

// loop runs checks of one list as long as they are wanted.
func (c *listChecker) loop(k catalog.Kind) {
	for delay := checkDelay; ; delay = min(2*delay, maxCheckDelay) {
		select {
		case <-time.After(delay):
		case <-c.session.Done():
		}
		c.mu.Lock()
		one := &c.kinds[k]
		if !one.wanted || c.session.Err() != nil {
			one.running = false
			c.mu.Unlock()
			return
		}
		servers := one.servers
		one.wanted, one.servers = false, nil
		c.mu.Unlock()
		c.compare(k, servers)
	}
}

// compare joins the current list and notifies the client if it has changed.
func (c *listChecker) compare(k catalog.Kind, servers []string) {
	var failed error
	defer c.recovered(k.Changed(), &failed)
	list := c.refresh(c.session, nil, c.links.project(), k, c.forCheck(servers))
	if c.give(k, list.Sum) {
		c.notify.sendListChanged(k)
	}
}
