// Package teamtest is a fake of mcpd for tests: the calls that mcplocal makes, with objects in
// memory, and the failures of a real or hostile mcpd on demand. It is not a team server: it
// has no rights, no database and no rate limits.
package teamtest

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Mcpd is a fake mcpd. Its methods are safe for concurrent use.
type Mcpd struct {
	URL string

	server *httptest.Server
	mu     sync.Mutex
	woken  chan struct{} // closed and replaced with each change and each fault

	version int
	objects map[string]map[string]any // by kind/project/name
	changes []change
	oldest  int // changes after this version are kept

	users    map[string]string // passwords
	tokens   map[string]string // users, by token
	expired  map[string]bool   // tokens that have expired
	issued   int
	faults   Faults
	cuts     int      // streams that were opened before the last cut end
	rights   int      // version of the last change of rights; streams after an earlier one end with the event resync
	logins   []string // the answers to polls of logins by an issuer; nil: there is no issuer
	identity map[string]any
	shared   sharedCache

	requests []Request

	// Replies are answers in place of those of the fake.
	Replies Replies
}

// Faults are failures of the fake. The zero value has none.
type Faults struct {
	Status      int    // answer to all calls, for example 503
	Body        string // with Status, or in place of a snapshot if Status is 0
	Silent      bool   // streams get no heartbeat and no change
	Raw         string // written to each new stream
	CutStreams  bool   // streams end after the changes that are known
	SlowBody    time.Duration
	ServerCalls int           // status of the answer to calls of servers
	Denied      string        // calls whose path or query contains it are answered with 403; "" denies none
	SlowCache   time.Duration // before questions about the shared cache are answered
}

// Request is one request that was received.
type Request struct {
	Method, Path  string // with the query
	Header        http.Header
	Authorization string
	LastEventID   string
	TraceID       string // the header Mcpctl-Trace-Id
	Body          string
}

type change struct {
	version int
	body    map[string]any
}

// Start starts a fake on a loopback address. The caller closes it.
func Start() *Mcpd {
	m := newMcpd()
	m.server = httptest.NewServer(m.handler())
	m.URL = m.server.URL
	return m
}

// StartTLS is Start with TLS; see Certificate.
func StartTLS() *Mcpd {
	m := newMcpd()
	m.server = httptest.NewUnstartedServer(m.handler())
	m.server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that do not trust it
	m.server.StartTLS()
	m.URL = m.server.URL
	return m
}

// Server returns the HTTP server of the fake.
func (m *Mcpd) Server() *httptest.Server { return m.server }

func newMcpd() *Mcpd {
	return &Mcpd{woken: make(chan struct{}), version: 100, oldest: 100, objects: make(map[string]map[string]any),
		users: make(map[string]string), tokens: make(map[string]string), expired: make(map[string]bool)}
}

// Close ends all streams and the server.
func (m *Mcpd) Close() {
	m.Cut()
	m.server.CloseClientConnections()
	m.server.Close()
}

// Put creates or replaces an object by its manifest as JSON.
func (m *Mcpd) Put(manifest string) {
	var head struct {
		Kind     string
		Metadata struct{ Name, Project string }
	}
	if err := json.Unmarshal([]byte(manifest), &head); err != nil {
		panic("teamtest: " + err.Error())
	}
	m.PutRaw(strings.ToLower(head.Kind), head.Metadata.Project, head.Metadata.Name, json.RawMessage(manifest))
}

// PutRaw is Put with a manifest that may be of another object, or no manifest.
func (m *Mcpd) PutRaw(kind, project, name string, manifest any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.version++
	o := map[string]any{"kind": kind, "name": name, "source": "team", "revision": strconv.Itoa(m.version), "manifest": manifest}
	if project != "" {
		o["project"] = project
	}
	m.objects[kind+"/"+project+"/"+name] = o
	m.record("put", kind, project, name, o)
}

// Delete deletes an object.
func (m *Mcpd) Delete(kind, project, name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.version++
	delete(m.objects, kind+"/"+project+"/"+name)
	m.record("delete", kind, project, name, nil)
}

func (m *Mcpd) record(op, kind, project, name string, o map[string]any) {
	body := map[string]any{"version": strconv.Itoa(m.version), "op": op, "kind": kind, "name": name}
	if project != "" {
		body["project"] = project
	}
	if o != nil {
		body["object"] = o
	}
	m.changes = append(m.changes, change{m.version, body})
	m.wake()
}

// Compact forgets all changes up to now, so that a stream after an older version is answered
// with 410.
func (m *Mcpd) Compact() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changes, m.oldest = nil, m.version
}

// SetFaults replaces the faults. Streams that are open notice them.
func (m *Mcpd) SetFaults(f Faults) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults = f
	m.wake()
}

// Cut ends all open streams.
func (m *Mcpd) Cut() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cuts++
	m.wake()
}

// Hide takes the right to view an object from all users: snapshots no longer have it, and
// streams after an earlier version end with the event resync.
func (m *Mcpd) Hide(kind, project, name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.version++ // of the changed binding, which the users do not see
	delete(m.objects, kind+"/"+project+"/"+name)
	m.rights = m.version
	m.wake()
}

// Version returns the version of the last change.
func (m *Mcpd) Version() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.version
}

// Requests returns the requests whose path contains part.
func (m *Mcpd) Requests(part string) (list []Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.requests {
		if strings.Contains(r.Path, part) {
			list = append(list, r)
		}
	}
	return list
}

func (m *Mcpd) wake() {
	close(m.woken)
	m.woken = make(chan struct{})
}

func (m *Mcpd) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/auth/login", m.login)
	mux.HandleFunc("POST /api/v1/auth/device", m.startDevice)
	mux.HandleFunc("POST /api/v1/auth/device/poll", m.pollDevice)
	mux.HandleFunc("POST /api/v1/auth/logout", m.authorized(m.logout))
	mux.HandleFunc("GET /api/v1/auth/whoami", m.authorized(m.whoami))
	mux.HandleFunc("POST /api/v1/auth/can-i", m.authorized(m.canI))
	mux.HandleFunc("GET /api/v1/auth/rules", m.authorized(m.rules))
	mux.HandleFunc("POST /api/v1/tokens", m.authorized(m.createToken))
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		mux.HandleFunc(method+" /api/v1/identities", m.authorized(m.serveIdentities))
	}
	mux.HandleFunc("GET /api/v1/snapshot", m.authorized(m.snapshot))
	mux.HandleFunc("GET /api/v1/watch", m.authorized(m.watch))
	mux.HandleFunc("POST /api/v1/apply", m.authorized(objectCalls{m}.apply))
	mux.HandleFunc("GET /api/v1/{kinds}", m.authorized(objectCalls{m}.list))
	mux.HandleFunc("GET /api/v1/{kinds}/{name}", m.authorized(objectCalls{m}.get))
	mux.HandleFunc("GET /api/v1/projects/{name}/prompts/visible", m.authorized(objectCalls{m}.visible))
	mux.HandleFunc("POST /api/v1/promptrequests", m.authorized(objectCalls{m}.propose))
	mux.HandleFunc("POST /api/v1/promptrequests/{name}/approve", m.authorized(objectCalls{m}.approve))
	mux.HandleFunc("DELETE /api/v1/{kinds}/{name}", m.authorized(objectCalls{m}.delete))
	m.addCacheRoutes(mux)
	mux.HandleFunc("/api/v1/servers/{name}/mcp", m.authorized(m.serveMCP))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(io.LimitReader(r.Body, 32<<20))
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		m.mu.Lock()
		m.requests = append(m.requests, Request{r.Method, r.URL.RequestURI(), r.Header, r.Header.Get("Authorization"), r.Header.Get("Last-Event-ID"), r.Header.Get("Mcpctl-Trace-Id"), string(body)})
		f := m.faults
		m.mu.Unlock()
		if f.SlowBody > 0 {
			select {
			case <-time.After(f.SlowBody):
			case <-r.Context().Done():
			}
		}
		if f.Status != 0 {
			if f.Body == "" {
				fail(w, f.Status, http.StatusText(f.Status))
				return
			}
			w.WriteHeader(f.Status)
			_, _ = io.WriteString(w, f.Body)
			return
		}
		if f.Denied != "" && strings.Contains(r.URL.RequestURI(), f.Denied) {
			fail(w, http.StatusForbidden, "user anna may not do this")
			return
		}
		if reply := m.Replies.find(r); reply != nil {
			m.authorized(reply)(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// fail answers as api.WriteProblem does.
func fail(w http.ResponseWriter, status int, detail string) {
	code := map[int]string{401: "E_DENIED", 403: "E_DENIED", 404: "E_NOT_FOUND", 409: "E_CONFLICT", 410: "E_CONFLICT", 422: "E_INVALID"}[status]
	if code == "" {
		code = "E_FAILED"
	}
	failWith(w, status, code, detail)
}

func failWith(w http.ResponseWriter, status int, code, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": detail,
		"error": map[string]string{"code": code, "message": detail}})
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// canI allows everything but the verb admin, and to run a server whose calls Faults.Denied denies.
func (m *Mcpd) canI(w http.ResponseWriter, r *http.Request) {
	var in struct{ Verb, Name, Project string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	m.mu.Lock()
	denied := m.faults.Denied
	m.mu.Unlock()
	call := "/api/v1/servers/" + in.Name + "/mcp?project=" + in.Project
	if in.Verb == "admin" || in.Verb == "run" && denied != "" && strings.Contains(call, denied) {
		answer(w, map[string]any{"allowed": false})
		return
	}
	answer(w, map[string]any{"allowed": true, "by": []string{"web-edits"}})
}

func (m *Mcpd) snapshot(w http.ResponseWriter, _ *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.faults.Body != "" {
		_, _ = io.WriteString(w, m.faults.Body)
		return
	}
	list := []map[string]any{}
	for _, o := range m.objects {
		list = append(list, o)
	}
	w.Header().Set("ETag", strconv.Quote(strconv.Itoa(m.version)))
	answer(w, map[string]any{"version": strconv.Itoa(m.version), "objects": list})
}

func (m *Mcpd) watch(w http.ResponseWriter, r *http.Request) {
	since, err := strconv.Atoi(r.URL.Query().Get("since"))
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		since, err = strconv.Atoi(last)
	}
	m.mu.Lock()
	oldest, cuts := m.oldest, m.cuts
	m.mu.Unlock()
	switch {
	case err != nil:
		fail(w, http.StatusBadRequest, "since is not a version")
		return
	case since < oldest:
		fail(w, http.StatusGone, "changes before version "+strconv.Itoa(oldest)+" are compacted")
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	first := true
	for {
		m.mu.Lock()
		f, woken, version, cut := m.faults, m.woken, m.version, m.cuts != cuts
		_, valid := m.tokens[bearer(r)]
		ends := m.rights > since
		var out strings.Builder
		if first {
			out.WriteString(f.Raw)
		}
		if ends {
			out.WriteString("event: resync\ndata: {}\n\n")
		} else if !f.Silent && !cut {
			for _, c := range m.changes {
				if c.version > since {
					b, _ := json.Marshal(c.body)
					fmt.Fprintf(&out, "id: %d\nevent: change\ndata: %s\n\n", c.version, b)
				}
			}
			since = version
			fmt.Fprintf(&out, "id: %d\nevent: sync\ndata: {\"version\":\"%d\"}\n\n: heartbeat\n", version, version)
		}
		if !valid && !cut {
			fmt.Fprintf(&out, "event: revoked\ndata: {\"expired\":%v}\n\n", m.expired[bearer(r)])
		}
		m.mu.Unlock()
		first = false
		_, _ = io.WriteString(w, out.String())
		w.(http.Flusher).Flush()
		if f.CutStreams || cut || ends || !valid {
			return
		}
		select {
		case <-woken:
		case <-r.Context().Done():
			return
		}
	}
}

// serveMCP is a server of MCP with one tool, whoami, which returns the user, or its argument text.
// A resource has its URI as its text.
func (m *Mcpd) serveMCP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	status := m.faults.ServerCalls
	m.mu.Unlock()
	if status != 0 {
		fail(w, status, "user anna may not run server "+strconv.Quote(r.PathValue("name")))
		return
	}
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var in struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			URI       string
			Arguments struct{ Text string }
		}
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	user, _ := m.userOf(bearer(r))
	result := any(map[string]any{})
	switch in.Method {
	case "initialize":
		result = map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{"tools": struct{}{}}, "serverInfo": map[string]string{"name": r.PathValue("name"), "version": "1"}}
	case "tools/list":
		result = map[string]any{"tools": []any{map[string]any{"name": "whoami", "description": "Returns the user.", "inputSchema": map[string]string{"type": "object"}}}}
	case "tools/call":
		text := "you are " + user
		if in.Params.Arguments.Text != "" {
			text = in.Params.Arguments.Text
		}
		result = map[string]any{"content": []any{map[string]string{"type": "text", "text": text}}}
	case "resources/read":
		result = map[string]any{"contents": []any{map[string]string{"uri": in.Params.URI, "text": "text of " + in.Params.URI}}}
	case "ping":
	default:
		if in.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer(w, map[string]any{"jsonrpc": "2.0", "id": in.ID, "error": map[string]any{"code": -32601, "message": "no such method"}})
		return
	}
	answer(w, map[string]any{"jsonrpc": "2.0", "id": in.ID, "result": result})
}
