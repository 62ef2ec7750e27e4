package upstream

import (
	"log/slog"
	"sync"
	"time"
)

// garbageLogEvery is how often the log tells that a server says what is no
// message. Some print a line for every call.
const garbageLogEvery = time.Minute

// garbage is what a server said that is no message: mostly what it should have
// printed to stderr. Safe for concurrent use; the zero value is empty.
type garbage struct {
	mu     sync.Mutex
	sample string // of the last one
	told   time.Time
	untold int // since then
}

// noteGarbage counts one, keeps its beginning, and logs it unless that was done just
// before.
func (c *Client) noteGarbage(said []byte, why error) {
	c.counts.garbage.Add(1)
	const most = 8 << 10 // bytes looked at: room for a secret that begins in what is shown
	sample := c.scrub.shortened(string(said[:min(len(said), most)]))
	g := &c.garbage
	g.mu.Lock()
	g.sample = sample
	g.untold++
	n, now := g.untold, time.Now()
	tell := g.told.IsZero() || now.Sub(g.told) >= garbageLogEvery
	if tell {
		g.told, g.untold = now, 0
	}
	g.mu.Unlock()
	if tell {
		c.cfg.Log.Warn("server said what is no message", "server", c.cfg.Name, slog.Int("messages", n), "last", sample, "err", why)
	}
}

func (g *garbage) last() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sample
}
