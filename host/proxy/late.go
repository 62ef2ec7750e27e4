package proxy

import (
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/host/proxy/greeting"
)

// lateServers are the servers whose instructions were unknown at initialize. The zero
// value is empty. It is safe for concurrent use.
type lateServers struct {
	mu        sync.Mutex
	servers   []Server
	announced bool // an answer has listed the servers that are starting
}

// add adds a server.
func (l *lateServers) add(server Server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.servers = append(l.servers, server)
}

// isPending reports whether the instructions of a server are still unknown.
func (l *lateServers) isPending() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.servers) > 0
}

// take returns, once, the instructions of servers that have started since initialize,
// each cut to limit characters. With announce it also names, once, the servers that are
// still starting.
func (l *lateServers) take(x *index, limit int, announce bool) (texts [][]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var waiting []Server
	var starting []string
	for _, server := range l.servers {
		caps, text := x.catalog.Greeting(idOf(x.subject, server))
		text = strings.TrimSpace(text)
		switch {
		case caps == nil:
			waiting = append(waiting, server)
			if yes, _ := x.links.starting(server.Name); yes {
				starting = append(starting, server.Name)
			}
		case text != "":
			texts = append(texts, []byte("Instructions of server "+server.Name+":\n"+greeting.Cut(text, limit)))
		}
	}
	l.servers = waiting
	if announce && !l.announced && len(starting) > 0 {
		l.announced = true
		texts = append(texts, []byte("Still starting: "+strings.Join(starting, ", ")+". Their tools and instructions follow."))
	}
	return texts
}
