package proxy

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/names"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// Endpoint serves all projects to clients. It is an http.Handler for
// /projects/{project}/mcp and safe for concurrent use.
type Endpoint struct {
	*core
	sessions *sessionTable
	bodies   bodies
	handler  http.Handler

	// Of requests without sessions.
	opening      sync.Mutex // held while such a session is opened
	paused       pausedCalls
	statelessIDs atomic.Int64
	self         []byte // describes this server in results
}

// Open returns an Endpoint. Close ends its sessions.
func Open(p Parts, o Options) *Endpoint {
	c := newCore(p, o)
	e := &Endpoint{core: c, sessions: newSessionTable(c.opts, maxSessions), bodies: newBodies(c.opts.MaxBody), self: c.describeSelf()}
	e.handler = Guard(http.HandlerFunc(e.serve))
	return e
}

// ServeHTTP implements http.Handler.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.handler.ServeHTTP(w, r) }

// Refresh makes the open sessions of a project, or all with "", follow the current
// configuration and notify their clients of changed lists. Otherwise they do so at their
// next request.
func (e *Endpoint) Refresh(project string) {
	for _, o := range e.sessions.of(project) {
		if p, err := e.Projects.Project(o.scope.Project); err == nil {
			o.links.sync(p)
		} else if errors.Is(err, abi.ErrNotFound) {
			e.sessions.remove(o, endedByHost)
		}
	}
}

// CheckTools notifies the clients whose list of tools is outdated, because the approved
// definitions have changed.
func (e *Endpoint) CheckTools() {
	for _, o := range e.sessions.of("") {
		o.checker.check(catalog.Tools)
	}
}

// OpenSessions describes the open sessions of a project, or of all with "".
func (e *Endpoint) OpenSessions(project string) (list []SessionInfo) {
	for _, o := range e.sessions.of(project) {
		list = append(list, o.info())
	}
	return list
}

// IgnoringClients returns the kinds of clients that were observed to ignore list_changed.
func (e *Endpoint) IgnoringClients() []IgnoringClient { return e.rereads.ignoring() }

// Panics returns the number of panics that this package recovered from.
func (e *Endpoint) Panics() int64 { return e.panics.Load() }

// Sessions returns the number of open sessions of a project, or of all with "".
func (e *Endpoint) Sessions(project string) int { return len(e.sessions.of(project)) }

// drainTick is how often Drain checks for running requests.
const drainTick = 20 * time.Millisecond

// Drain waits for running requests, at most until ctx ends, and then closes the
// Endpoint. The caller stops new requests before.
func (e *Endpoint) Drain(ctx context.Context) {
	defer e.Close()
	e.paused.cancel() // they wait for people
	tick := time.NewTicker(drainTick)
	defer tick.Stop()
	for e.running() > 0 {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// running returns the number of running requests of all sessions.
func (e *Endpoint) running() (n int) {
	for _, o := range e.sessions.of("") {
		n += o.inFlight.count()
	}
	return n
}

// Close ends all sessions, accepts no more, and waits until their connections are closed.
// It can be called twice.
func (e *Endpoint) Close() {
	e.end()
	e.sessions.close()
	e.connections.waitForZero()
}

// serve serves a request that passed the Guard.
func (e *Endpoint) serve(w http.ResponseWriter, r *http.Request) {
	name, ok := projectIn(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	project, err := e.Projects.Project(name)
	if err != nil {
		refuse(w, statusOf(err), projectError(name, err))
		return
	}
	if r.Method != http.MethodPost && (r.Header.Get(versionHeader) == stateless.Version || !project.allows(false)) {
		w.Header().Set("Allow", "POST") // the version without sessions has nothing else
		refuse(w, http.StatusMethodNotAllowed, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "method %s is not served: MCP %s has only POST", r.Method, stateless.Version))
		return
	}
	switch r.Method {
	case http.MethodPost:
		e.post(w, r, project)
	case http.MethodGet:
		e.stream(w, r, project)
	case http.MethodDelete:
		e.remove(w, r, project)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		refuse(w, http.StatusMethodNotAllowed, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "method %s is not served", r.Method))
	}
}

// projectError returns why a project is not served.
func projectError(name string, err error) *jsonrpc.Error {
	if errors.Is(err, abi.ErrNotFound) {
		why := ""
		if c, ok := errors.AsType[*flow.ClientError](err); ok {
			why = ": " + c.Why
		}
		return jsonrpc.Errorf(codeServer, "project %s not found%s", names.Quote(name), why)
	}
	return jsonrpc.Errorf(codeServer, "project %q: %v", name, err)
}

// projectIn returns the project in /projects/{project}/mcp.
func projectIn(path string) (string, bool) {
	name, ok := strings.CutPrefix(path, "/projects/")
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(name, "/mcp")
	return name, ok && name != "" && !strings.Contains(name, "/")
}

func statusOf(err error) int {
	switch {
	case errors.Is(err, abi.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, abi.ErrDenied):
		return http.StatusForbidden
	}
	return http.StatusServiceUnavailable
}

// refuse answers a request that reaches no session.
func refuse(w http.ResponseWriter, status int, why *jsonrpc.Error) {
	stream.WriteMessage(w, status, jsonrpc.Message{Error: why.Raw()})
}
