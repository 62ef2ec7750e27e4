package proxy

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/names"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
)

// Parts is what an Endpoint is made of. Events, Controllers, Library and
// Known may be nil.
type Parts struct {
	Projects    Projects
	Upstreams   Upstreams
	Transformer Transformer
	Reader      Reader
	Events      Events
	Controllers Controllers // nil: no session is steered
	Library     Library     // nil: a project has no prompts of its own
	Known       KnownLists  // nil: what servers list is forgotten when the Endpoint closes
}

// Options of an Endpoint; the zero value works.
type Options struct {
	Version string // in serverInfo; default "0"
	// Subject names who makes a request, after it was let in. Sessions and what
	// they store belong to their subject. Default: "" for all.
	Subject func(*http.Request) string
	MaxBody int          // bytes of a POST; default 32 MiB
	Log     *slog.Logger // default: none
	Now     func() time.Time

	// ListWait is how long a list waits for a server that was never listed before,
	// from the start of its connection. Default 8 s: clients wait 10 s or longer.
	ListWait time.Duration

	// AbandonedAfter ends a session that has no request running, after its client
	// closed its last stream, or if it sent nothing after initialize: few clients say
	// that they leave. Default 2 min.
	AbandonedAfter time.Duration
	// ReleaseAfter stops the servers of a session without a request whose client never
	// opened a stream, unless another session uses them. The session's next request
	// starts them again. Default 5 min.
	ReleaseAfter time.Duration
	// IdleAfter ends a session without a request whose client never opened a stream:
	// nothing tells whether it is still there. Default 30 min.
	IdleAfter time.Duration
}

// maxSessions bounds the sessions that are open.
const maxSessions = 10_000

func (o Options) withDefaults() Options {
	if o.Version == "" {
		o.Version = "0"
	}
	if o.Subject == nil {
		o.Subject = func(*http.Request) string { return "" }
	}
	if o.MaxBody <= 0 {
		o.MaxBody = jsonrpc.DefaultFrameBytes
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	setDefault(&o.ListWait, 8*time.Second)
	setDefault(&o.AbandonedAfter, 2*time.Minute)
	setDefault(&o.ReleaseAfter, 5*time.Minute)
	setDefault(&o.IdleAfter, 30*time.Minute)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func setDefault(d *time.Duration, value time.Duration) {
	if *d <= 0 {
		*d = value
	}
}

// Endpoint serves all projects to clients. It is an http.Handler for
// /projects/{project}/mcp and safe for concurrent use.
type Endpoint struct {
	Parts
	opts     Options
	log      *slog.Logger
	now      func() time.Time
	catalog  *catalog
	memo     *memo
	forms    *forms
	tasks    taskMemory
	asides   asides
	sessions *registry
	handler  http.Handler

	connections *counter // open ones of all sessions

	life      context.Context // ends with Close
	end       context.CancelFunc
	finishing finishing
}

// Open returns an Endpoint. Close ends its sessions.
func Open(p Parts, o Options) *Endpoint {
	o = o.withDefaults()
	e := &Endpoint{
		Parts:    p,
		opts:     o,
		log:      o.Log,
		now:      o.Now,
		catalog:  newCatalog(p.Known),
		memo:     newMemo(p.Transformer),
		forms:    newForms(),
		sessions: newRegistry(o, maxSessions),

		connections: newCounter(),
	}
	e.life, e.end = context.WithCancel(context.Background())
	e.handler = Guard(http.HandlerFunc(e.serve))
	return e
}

// ServeHTTP implements http.Handler.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.handler.ServeHTTP(w, r) }

// Refresh makes the open sessions of a project, of all with "", look at its
// configuration now and tell their clients which lists have changed. Without it
// they do so at their next request.
func (e *Endpoint) Refresh(project string) {
	for _, t := range e.sessions.of(project) {
		if p, err := e.Projects.Project(t.scope.Project); err == nil {
			t.links.sync(t.Session, p)
		} else if errors.Is(err, abi.ErrNotFound) {
			e.sessions.remove(t, endedByHost)
		}
	}
}

// Sessions returns how many sessions a project has open, all together with "".
func (e *Endpoint) Sessions(project string) int { return len(e.sessions.of(project)) }

// Close ends all sessions, takes no more, and waits until their connections are
// closed. It can be called twice.
func (e *Endpoint) Close() {
	e.end()
	e.sessions.close()
	e.connections.waitForNone()
}

// serve takes a request that the Guard let in.
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

// projectError says why a project is not served: what is found nowhere needs no
// further reason.
func projectError(name string, err error) *jsonrpc.Error {
	if errors.Is(err, abi.ErrNotFound) {
		return jsonrpc.Errorf(codeServer, "project %s not found", names.Quote(name))
	}
	return jsonrpc.Errorf(codeServer, "project %q: %v", name, err)
}

// projectIn reads the project from /projects/{project}/mcp.
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
