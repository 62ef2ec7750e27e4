package proxy

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func plainRig(t *testing.T, o Options) *rig {
	ups := fakeUpstreams{"s": oneTool(func(context.Context, fakeCall) string { return `{"content":[]}` }, "t")}
	return newRig(t, ups, Project{Servers: []Server{{Name: "s"}}}, o)
}

// Only the right combinations of Host, Origin and content type are accepted.
func TestGuardMatrix(t *testing.T) {
	hosts := map[string]bool{
		"localhost": true, "LOCALHOST:3200": true, "127.0.0.1:3200": true, "127.8.9.1": true, "[::1]:80": true, "[::1]": true,
		"evil.example": false, "localhost.evil.example": false, "127.0.0.1.evil.example:3200": false, "10.0.0.1": false, "0.0.0.0": false, "[::]:1": false, "127.0.0.1:3200.evil.example": false, "": false, "xlocalhost": false,
	}
	origins := map[string]bool{
		"-": true, "http://localhost": true, "https://127.0.0.1:8443": true, "http://[::1]:1": true, "https://team.example": false,
		"null": false, "http://evil.example": false, "https://localhost.evil.example": false, "file://localhost": false, "http://evil.example@localhost.": false, "": false, "http://localhost http://evil.example": false,
	}
	types := map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, "Application/JSON": true,
		"text/plain": false, "": false, "application/x-www-form-urlencoded": false, "application/jsonx": false, "text/plain; application/json": false,
	}
	r := plainRig(t, Options{})
	cells, in := 0, 0
	for host, hostOK := range hosts {
		for origin, originOK := range origins {
			for mediaType, typeOK := range types {
				req := httptest.NewRequest("POST", "/projects/"+testProject+"/mcp", strings.NewReader(hello))
				req.Host = host
				req.Header.Set("Content-Type", mediaType)
				if origin != "-" {
					req.Header.Set("Origin", origin)
				}
				w := httptest.NewRecorder()
				r.ServeHTTP(w, req)
				want := http.StatusOK
				switch {
				case !hostOK || !originOK:
					want = http.StatusForbidden
				case !typeOK:
					want = http.StatusUnsupportedMediaType
				default:
					in++
				}
				cells++
				if w.Code != want {
					t.Errorf("Host %q, Origin %q, type %q: status %d, want %d", host, origin, mediaType, w.Code, want)
				}
				if w.Header().Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("Host %q, Origin %q: a CORS header is set", host, origin)
				}
			}
		}
	}
	t.Logf("%d combinations, %d accepted", cells, in)
}

func TestTwoOriginsAreRejected(t *testing.T) {
	req := httptest.NewRequest("GET", "http://localhost/", nil)
	req.Header["Origin"] = []string{"http://localhost", "http://evil.example"}
	if rejection(req) == "" {
		t.Error("a second Origin is accepted")
	}
}

func TestHostOfUnixSocketIsNotChecked(t *testing.T) {
	req := httptest.NewRequest("GET", "http://mcplocal/", nil)
	req = req.WithContext(context.WithValue(req.Context(), http.LocalAddrContextKey, &net.UnixAddr{Name: "/s", Net: "unix"}))
	if why := rejection(req); why != "" {
		t.Error(why)
	}
	req.Header.Set("Origin", "http://evil.example")
	if rejection(req) == "" {
		t.Error("a foreign Origin is accepted over a unix socket")
	}
}

// The status of an invalid request makes the client react: on 404 it initializes again.
func TestStatuses(t *testing.T) {
	r := plainRig(t, Options{MaxBody: 1000})
	c := r.open(t, "")
	type change func(*http.Request)
	set := func(key, value string) change { return func(r *http.Request) { r.Header.Set(key, value) } }
	drop := func(key string) change { return func(r *http.Request) { r.Header.Del(key) } }
	path := func(p string) change { return func(r *http.Request) { r.URL.Path = p } }
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, tc := range []struct {
		rule, method, body string
		change             change
		status             int
		answer             string // part of the body
	}{
		{"request", "POST", ping, nil, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"notification", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, ""},
		{"answer to an unknown request", "POST", `{"jsonrpc":"2.0","id":99,"result":{}}`, nil, 202, ""},
		{"known version", "POST", ping, set("MCP-Protocol-Version", "2025-03-26"), 200, "{}"},
		{"unknown version", "POST", ping, set("MCP-Protocol-Version", "2024-01-01"), 400, `{"code":-32022,"message":"protocol version \"2024-01-01\" is not supported","data":{"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26"],"requested":"2024-01-01"}}`},
		{"unknown version, stream", "GET", "", set("MCP-Protocol-Version", "2024-01-01"), 400, `"code":-32022`},
		{"stateless version, without a description", "POST", ping, set("MCP-Protocol-Version", "2026-07-28"), 400, `"id":1,"error":{"code":-32602,"message":"params._meta is missing"`},
		{"stateless version at initialize", "POST", strings.Replace(hello, "2025-11-25", "2026-07-28", 1), drop("Mcp-Session-Id"), 200, `"protocolVersion":"2025-11-25"`},
		{"no version at initialize", "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, drop("Mcp-Session-Id"), 400, `"code":-32602`},
		{"no session", "POST", ping, drop("Mcp-Session-Id"), 400, `"id":1,"error":{"code":-32000,"message":"no session`},
		{"unknown session", "POST", ping, set("Mcp-Session-Id", "x"), 404, "session not found"},
		{"unknown session, stream", "GET", "", set("Mcp-Session-Id", "x"), 404, "session not found"},
		{"unknown session, end", "DELETE", "", set("Mcp-Session-Id", "x"), 404, "session not found"},
		{"no JSON", "POST", `{"jsonrpc"`, nil, 400, `"error":{"code":-32700`},
		{"empty body", "POST", ``, nil, 400, `"error":{"code":-32700`},
		{"batch", "POST", `[` + ping + `]`, nil, 400, `"code":-32600,"message":"batches are not supported`},
		{"too long", "POST", strings.Replace(ping, "ping", strings.Repeat("p", 1000), 1), nil, 413, `limit of 1000 bytes`},
		{"too long, no content length", "POST", strings.Replace(ping, "ping", strings.Repeat("p", 1000), 1), func(r *http.Request) { r.ContentLength = -1 }, 413, `limit of 1000 bytes`},
		{"shorter than its content length", "POST", ping, func(r *http.Request) { r.ContentLength = 900 }, 400, `"code":-32700`},
		{"unknown project", "POST", ping, path("/projects/none/mcp"), 404, `project \"none\" not found`},
		{"another path", "POST", ping, path("/projects/home/mcp/x"), 404, ""},
		{"path with ..", "POST", ping, path("/projects/a/../home/mcp"), 404, ""},
		{"stream without Accept", "GET", "", set("Accept", "application/json"), 406, "text/event-stream"},
		{"another method", "PUT", ping, nil, 405, ""},
		{"preflight", "OPTIONS", "", nil, 405, ""},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			c.t = t
			req := c.request(context.Background(), tc.method, tc.body)
			if tc.change != nil {
				tc.change(req)
			}
			res, err := c.http.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			text := c.body(res)
			if res.StatusCode != tc.status || !strings.Contains(text, tc.answer) {
				t.Errorf("status %d, want %d\n got %s\nwant %s", res.StatusCode, tc.status, text, tc.answer)
			}
		})
	}
}

func TestInitialize(t *testing.T) {
	for _, tc := range []struct{ asked, want string }{
		{"2025-11-25", "2025-11-25"}, {"2025-06-18", "2025-06-18"}, {"2025-03-26", "2025-03-26"},
		{"2024-11-05", "2025-11-25"}, {"1.0", "2025-11-25"},
	} {
		c := plainRig(t, Options{Version: "1.2"}).dial(t)
		got := c.body(c.post(strings.Replace(hello, "2025-11-25", tc.asked, 1)))
		want := `{"jsonrpc":"2.0","id":"init","result":{"protocolVersion":"` + tc.want + `","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"mcpctl","version":"1.2"}}}`
		if got != want {
			t.Errorf("requested %s\n got %s\nwant %s", tc.asked, got, want)
		}
	}
}

// Session ids cannot be guessed, and are unknown for another subject or in another project.
func TestSessionsBelongToTheirSubject(t *testing.T) {
	r := plainRig(t, Options{Subject: func(r *http.Request) string { return r.Header.Get("X-Subject") }})
	r.projects.set(Project{Name: "other"})
	seen := map[string]bool{}
	var c *testClient
	for range 100 {
		c = r.open(t, "")
		if seen[c.session] || len(c.session) < 26 { // 26 letters of 5 bits
			t.Fatalf("session id %q", c.session)
		}
		seen[c.session] = true
	}
	try := func(path, subject string) int {
		req := c.request(context.Background(), "POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		req.URL.Path = path
		req.Header.Set("X-Subject", subject)
		res, err := c.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		c.body(res)
		return res.StatusCode
	}
	for path, status := range map[string]int{"/projects/home/mcp": 200, "/projects/other/mcp": 404} {
		if got := try(path, ""); got != status {
			t.Errorf("%s: status %d, want %d", path, got, status)
		}
	}
	if got := try("/projects/home/mcp", "mallory"); got != 404 {
		t.Errorf("another subject: status %d, want 404", got)
	}
	for _, ev := range r.events.all {
		if seen[ev.Scope.Session] {
			t.Error("an event contains the id of a session")
		}
	}
}

func TestEndedSessionIsUnknown(t *testing.T) {
	r := plainRig(t, Options{})
	c := r.open(t, "")
	stream := c.stream()
	res, err := c.http.Do(c.request(context.Background(), "DELETE", ""))
	if err != nil || res.StatusCode != http.StatusNoContent {
		t.Fatalf("DELETE: %v, %v", res, err)
	}
	if text, err := stream.next(); err == nil {
		t.Errorf("the stream continues with %s", text)
	}
	if res := c.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`); res.StatusCode != http.StatusNotFound {
		t.Errorf("ping: status %d, want 404", res.StatusCode)
	}
	if r.Sessions("") != 0 {
		t.Error("the session is still open")
	}
}

// A session with a running request or an open stream stays open. Otherwise it ends soon
// after its client has closed the stream or if no request came, and later if the client
// never had a stream.
func TestIdleSessionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := make(chan struct{})
		server := oneTool(func(context.Context, fakeCall) string { <-busy; return `{}` }, "t")
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
		open := func(left int, after time.Duration) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if got := r.Sessions(""); got != left {
				t.Errorf("%d sessions, want %d", got, left)
			}
		}
		unused, quiet, streaming, calling := r.open(t, ""), r.open(t, ""), r.open(t, ""), r.open(t, "")
		quiet.ask("ping", `{}`)
		stream := streaming.stream()
		gone := calling.stream()
		answered := make(chan string)
		go func() { answered <- calling.ask("tools/call", `{"name":"s__t"}`) }()
		open(4, 0)
		gone.c.Close()
		open(4, r.opts.AbandonedAfter-time.Second)
		open(3, 2*time.Second) // without the one that was never used
		res := unused.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if text := unused.body(res); res.StatusCode != http.StatusNotFound {
			t.Errorf("request of an ended session: status %d, want 404: %s", res.StatusCode, text)
		}
		open(3, 25*time.Minute)
		quiet.ask("ping", `{}`)
		open(3, 29*time.Minute)
		open(2, 2*time.Minute) // without the quiet one
		open(2, 24*time.Hour)  // a stream holds one session, a call the other
		close(busy)
		<-answered
		open(2, time.Minute)
		open(1, 2*time.Minute)
		stream.c.Close()
		open(1, time.Minute)
		streaming.stream().c.Close() // it opened another stream
		open(1, r.opts.AbandonedAfter-time.Second)
		open(0, 2*time.Second)
		if got := server.closed.Load(); got != 4 {
			t.Errorf("%d of 4 connections were closed", got)
		}
	})
}

// A client that initializes while the endpoint closes gets an error, and Close does not
// wait for its session.
func TestInitializeWhileClosing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
		server.up = make(chan struct{}) // keeps initialize waiting
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
		answer := make(chan string)
		c := r.dial(t)
		go func() { answer <- c.body(c.post(hello)) }()
		synctest.Wait()
		began := time.Now()
		go func() {
			if got := <-answer; at(got, "/error/message") != `"shutting down"` {
				t.Errorf("got %s", got)
			}
		}()
		r.Close()
		if took := time.Since(began); took > r.opts.ListWait {
			t.Errorf("Close took %v", took)
		}
		if n := server.closed.Load(); n != 1 {
			t.Errorf("%d connections were closed, want 1", n)
		}
	})
}

// Beyond the limit of sessions, the one that has been idle for the longest time ends. If all
// are in use, no server is started and no controller runs.
func TestTooManySessions(t *testing.T) {
	f := scriptedControllers("instructions x")
	server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	r.sessions.limit = 2
	first, second := r.open(t, ""), r.open(t, "")
	third := r.open(t, "")
	if res := first.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`); res.StatusCode != http.StatusNotFound {
		t.Errorf("the session that was idle for the longest time: status %d", res.StatusCode)
	}
	for _, c := range []*testClient{second, third} {
		if res := c.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`); res.StatusCode != http.StatusOK {
			t.Errorf("another session: status %d", res.StatusCode)
		}
	}
	for _, o := range r.sessions.of("") {
		_, _ = r.sessions.enter(o.id)
		defer r.sessions.leave(o)
	}
	f.takeSeen()
	res := r.dial(t).post(hello)
	if text := third.body(res); res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "2 sessions are open, limit 2") {
		t.Errorf("status %d: %s", res.StatusCode, text)
	}
	if n := strings.Count(f.takeSeen(), "on_initialize"); n != 0 {
		t.Errorf("controllers ran for %d sessions that were refused", n)
	}
}

// Large bodies in memory are limited together.
func TestBodiesInProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBodies(1 << 20)
		var leave []func()
		for range maxBodies {
			l, err := b.enter(t.Context(), -1, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			leave = append(leave, l)
		}
		if _, err := b.enter(t.Context(), largeBody, 1<<20); err != nil {
			t.Errorf("a small body: %v", err)
		}
		if _, err := b.enter(t.Context(), 1<<30, 1<<20); err == nil || err.Error() != "too many large requests are in progress, none ended in 30s" {
			t.Errorf("one more: %v", err)
		}
		go leave[0]()
		if _, err := b.enter(t.Context(), 1<<20, 1<<20); err != nil {
			t.Errorf("after one has ended: %v", err)
		}
	})
}
