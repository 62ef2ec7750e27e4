package proxy

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/lists"
	"github.com/mcpctl/mcpctl/host/proxy/task"
	"github.com/mcpctl/mcpctl/host/proxy/view"
)

// core is the state that all sessions of an Endpoint share.
type core struct {
	Parts
	opts        Options
	log         *slog.Logger
	now         func() time.Time
	catalog     *catalog.Catalog
	viewer      *view.Viewer
	definitions *lists.Interner
	tasks       task.Memory
	rereads     *rereads
	withheld    withheldTexts

	requestIDs  atomic.Uint64 // number of requests of all sessions
	panics      atomic.Int64
	connections *counter // open connections of all sessions
	finishing   finishing
	life        context.Context // ends with the Endpoint
	end         context.CancelFunc
}

func newCore(p Parts, o Options) *core {
	o = o.withDefaults()
	c := &core{
		Parts:       p,
		opts:        o,
		log:         o.Log,
		now:         o.Now,
		catalog:     catalog.New(p.Known, p.Pins, catalog.MaxListBytes(o.MaxBody), o.Now),
		viewer:      view.New(p.Transformer, p.Reader),
		definitions: lists.NewInterner(),
		rereads:     newRereads(o.Rereads, p.Known, o.Now),
		connections: newCounter(),
	}
	c.life, c.end = context.WithCancel(context.Background())
	return c
}

// recovered, when deferred, turns a panic into the error of one piece of work and logs
// its stack.
func (c *core) recovered(work string, err *error) {
	if p := recover(); p != nil {
		c.panics.Add(1)
		c.log.Error("panic", "work", work, "panic", p, "stack", string(debug.Stack()))
		*err = jsonrpc.Errorf(jsonrpc.CodeInternal, "internal error")
	}
}

// idOf returns the key of a server in the catalog.
func idOf(subject string, s Server) catalog.ID {
	return catalog.ID{Subject: subject, Server: s.Name, Revision: s.Revision}
}

// finishing holds the servers whose start continues after their session has ended. The
// zero value is empty. It is safe for concurrent use.
type finishing struct {
	mu      sync.Mutex
	servers map[serverKey]struct{}
}

type serverKey struct{ subject, server string }

// begin adds a server. It reports false if the server is being finished already.
func (f *finishing) begin(key serverKey) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, already := f.servers[key]; already {
		return false
	}
	if f.servers == nil {
		f.servers = make(map[serverKey]struct{})
	}
	f.servers[key] = struct{}{}
	return true
}

func (f *finishing) done(key serverKey) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.servers, key)
}
