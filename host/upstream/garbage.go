package upstream

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// garbageLogEvery is the minimum time between two log lines about invalid messages of a
// server. Some servers print a line for every call.
const garbageLogEvery = time.Minute

// errNotJSON is the error of a log line on stdout.
var errNotJSON = errors.New("not JSON: what a server logs belongs on its standard error")

// garbage records the frames of a server that cannot be decoded, which are mostly lines
// that belong on stderr. It keeps no content, because a frame may hold a secret. It is
// safe for concurrent use; the zero value is empty.
type garbage struct {
	mu          sync.Mutex
	description string // size and error of the last frame
	reported    time.Time
	unreported  int // frames since then
}

// note records the size and the error of a frame. It logs them unless another frame was
// logged within garbageLogEvery.
func (g *garbage) note(log *slog.Logger, server string, frame []byte, err error) {
	if first := bytes.TrimLeft(frame, " \t\r"); len(first) > 0 && first[0] != '{' && first[0] != '[' {
		err = errNotJSON
	}
	g.mu.Lock()
	g.description = fmt.Sprintf("%d bytes: %v", len(frame), err)
	g.unreported++
	description, n, now := g.description, g.unreported, time.Now()
	report := g.reported.IsZero() || now.Sub(g.reported) >= garbageLogEvery
	if report {
		g.reported, g.unreported = now, 0
	}
	g.mu.Unlock()
	if report {
		log.Warn("server sent an invalid message", "server", server, slog.Int("messages", n), "last", description)
	}
}

func (g *garbage) last() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.description
}
