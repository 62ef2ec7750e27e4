package upstream

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// garbageLogEvery is how often the log reports that a server sends what is no
// message. Some print a line for every call.
const garbageLogEvery = time.Minute

// errNotJSON is why a line of a log is no message.
var errNotJSON = errors.New("not JSON: what a server logs belongs on its standard error")

// garbage records the frames of a server that cannot be decoded, which are mostly lines
// that belong on stderr. It keeps no content, because a frame may hold a secret. It is
// safe for concurrent use; the zero value is empty.
type garbage struct {
	mu       sync.Mutex
	what     string // size and error of the last one
	reported time.Time
	held     int // since then
}

// noteGarbage counts one, keeps its size and what is wrong with it, and logs that
// unless another one was logged just before.
func (c *Client) noteGarbage(frame []byte, why error) {
	c.counts.garbage.Add(1)
	if first := bytes.TrimLeft(frame, " \t\r"); len(first) > 0 && first[0] != '{' && first[0] != '[' {
		why = errNotJSON
	}
	g := &c.garbage
	g.mu.Lock()
	g.what = fmt.Sprintf("%d bytes: %v", len(frame), why)
	g.held++
	what, n, now := g.what, g.held, time.Now()
	report := g.reported.IsZero() || now.Sub(g.reported) >= garbageLogEvery
	if report {
		g.reported, g.held = now, 0
	}
	g.mu.Unlock()
	if report {
		c.cfg.Log.Warn("server sent what is no message", "server", c.cfg.Name, slog.Int("messages", n), "last", what)
	}
}

func (g *garbage) last() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.what
}
