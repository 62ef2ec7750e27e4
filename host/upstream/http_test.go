package upstream

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

func (f *fakeHTTP) timesCalled(tool string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[tool]
}

// A server that lost the session gets a new handshake and the state of the old session.
// The call, which did not run, is sent again.
func TestLostSessionIsRestored(t *testing.T) {
	for name, lax := range map[string]bool{"404": false, "400": true} {
		t.Run(name, func(t *testing.T) { testForgottenSession(t, lax) })
	}
}

func testForgottenSession(t *testing.T, lax bool) {
	f := newFakeHTTP()
	f.lax = lax
	serveFake(t, f)
	c := startFake(t, f.config(), nil)
	for _, m := range []struct{ method, params string }{
		{"logging/setLevel", `{"level":"debug"}`}, {"resources/subscribe", `{"uri":"a"}`},
	} {
		if _, err := c.Call(t.Context(), m.method, []byte(m.params), nil); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		f.forget()
		callTool(t, c, "echo", "", nil)
		if got := f.timesCalled("echo"); got != i+1 {
			t.Errorf("the call ran %d times, want %d", got, i+1)
		}
	}
	got := callTool(t, c, "count", "", nil)
	if want := "initialize|notifications/initialized|logging/setLevel debug|resources/subscribe a|tools/call|initialize"; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
	if s := c.State(); s.Restarts != 3 || s.Counts.Repeated != 3 || s.Counts.Failed != 0 {
		t.Errorf("state %+v", s)
	}
}

// A call to a server that loses every session is sent twice, not forever.
func TestForgetfulServerEndsInAnError(t *testing.T) {
	f := newFakeHTTP()
	f.intercept = func(w http.ResponseWriter, _ *http.Request, m jsonrpc.Message) bool {
		if m.Method != "tools/call" {
			return false
		}
		http.Error(w, "who are you", http.StatusNotFound)
		return true
	}
	c := startFake(t, serveFake(t, f).config(), nil)
	_, err := c.Call(t.Context(), "tools/call", toolParams("echo", ""), nil)
	if !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "forgotten its session") {
		t.Errorf("got %v", err)
	}
}

// If the connection breaks after the request was sent, it is unknown whether the call ran.
func TestBrokenConnectionRepeatsOnlyWhatMayRunTwice(t *testing.T) {
	for _, sse := range []bool{false, true} {
		var broken atomic.Int64
		f := newFakeHTTP()
		f.intercept = func(w http.ResponseWriter, _ *http.Request, m jsonrpc.Message) bool {
			if m.Method != "tools/call" || broken.Add(1) > 1 {
				return false
			}
			if sse {
				w.Header().Set("Content-Type", "text/event-stream")
				writeEvent(w, jsonrpc.Message{Method: "notifications/message"})
			}
			panic(http.ErrAbortHandler)
		}
		c := startFake(t, serveFake(t, f).config(), nil)
		_, err := c.Call(t.Context(), "tools/call", toolParams("echo", ""), nil)
		if !errors.Is(err, abi.ErrUnavailable) || broken.Load() != 1 {
			t.Errorf("sse %v: got %v after %d requests, want an error after one", sse, err, broken.Load())
		}
		broken.Store(0)
		if _, err = c.CallRepeatable(t.Context(), "tools/call", toolParams("echo", ""), nil); err != nil || broken.Load() != 2 {
			t.Errorf("sse %v: got %v after %d requests, want an answer after two", sse, err, broken.Load())
		}
	}
}

// A server that restarts breaks all connections, also those that are idle. A repeated
// call uses none of them.
func TestRepeatedCallUsesANewConnection(t *testing.T) {
	const calls = 3
	var mu sync.Mutex
	broken := map[string]bool{} // by address of the client
	f := newFakeHTTP()
	arrived := make(chan struct{}, calls)
	together := make(chan struct{})
	f.intercept = func(_ http.ResponseWriter, r *http.Request, m jsonrpc.Message) bool {
		mu.Lock()
		breaks := broken[r.RemoteAddr]
		broken[r.RemoteAddr] = m.Method == "ping"
		mu.Unlock()
		switch m.Method {
		case "ping": // all at once, so that each has a connection
			arrived <- struct{}{}
			<-together
		case "tools/call":
			if breaks {
				panic(http.ErrAbortHandler)
			}
		}
		return false
	}
	c := startFake(t, serveFake(t, f).config(), nil)
	var pings sync.WaitGroup
	for range calls {
		pings.Go(func() {
			if _, err := c.Call(t.Context(), "ping", nil, nil); err != nil {
				t.Error(err)
			}
		})
	}
	for range calls {
		<-arrived
	}
	close(together)
	pings.Wait()
	if _, err := c.CallRepeatable(t.Context(), "tools/call", toolParams("echo", ""), nil); err != nil {
		t.Error(err)
	}
}

// A call to an HTTP server that is down fails at once and names the cause; one
// attempt is enough. The next call finds the server when it is back.
func TestCallToHTTPServerThatIsDownFailsAtOnce(t *testing.T) {
	f := newFakeHTTP()
	server := httptest.NewUnstartedServer(f)
	server.Start()
	address := server.Listener.Addr().String()
	c := startFake(t, Config{Name: "fake", URL: server.URL + "/mcp", QueueWait: time.Hour}, nil)
	callTool(t, c, "echo", "", nil)
	_ = server.Listener.Close() // before the connections, so that no new one is accepted
	server.CloseClientConnections()
	server.Close()

	for range 3 { // over the old connection, and without one
		_, err := c.CallRepeatable(t.Context(), "tools/call", toolParams("echo", ""), nil)
		if !errors.Is(err, abi.ErrUnavailable) || !strings.HasSuffix(err.Error(), "cannot connect: connection refused") {
			t.Errorf("got %v", err)
		}
		waitFor(t, "the loss", func() bool { return c.State().Status == Failed })
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skip("the port is in use by another process:", err)
	}
	again := &httptest.Server{Listener: l, Config: &http.Server{Handler: f}}
	again.Start()
	defer again.Close()
	callTool(t, c, "echo", "", nil)
	_ = c.Close()
}

// A dial that times out counts once, and the error gives its real duration.
func TestDialTimeoutEndsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := roundTripper(func(r *http.Request) (*http.Response, error) {
			time.Sleep(dialTimeout)
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
		})
		c, err := Start(t.Context(), Config{Name: "far", URL: "http://far.invalid/mcp", Transport: hangs}, nil)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = c.Call(t.Context(), "tools/call", toolParams("echo", ""), nil)
		if err == nil || !strings.HasSuffix(err.Error(), "cannot connect: no answer within 10s") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != dialTimeout {
			t.Errorf("took %s, want %s", took, dialTimeout)
		}
		_ = c.Close()
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestRequestsCarryTheirHeaders(t *testing.T) {
	f := serveFake(t, newFakeHTTP())
	cfg := f.config()
	cfg.Headers = map[string]Secret{"authorization": NewSecret("Bearer t")}
	c := startFake(t, cfg, nil)
	callTool(t, c, "echo", "", nil)
	waitFor(t, "the GET stream", func() bool { f.lock.Lock(); defer f.lock.Unlock(); return f.gets == 1 })
	callTool(t, c, "echo", "", nil)
	f.lock.Lock()
	for name, want := range map[string]string{
		"Authorization": "Bearer t", "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Session-Id": "s1", "Mcp-Protocol-Version": preferredVersion,
	} {
		if got := f.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	f.lock.Unlock()
	_ = c.Close()
	if f.deleted != 1 {
		t.Errorf("the session was deleted %d times", f.deleted)
	}
}

func TestBodyOverTheLimitIsAnErrorResult(t *testing.T) {
	huge := `{"jsonrpc":"2.0","id":%s,"result":"` + strings.Repeat("x", 300_000) + `"}`
	for _, tt := range []struct {
		rule, want string
		write      func(w http.ResponseWriter, answer string)
	}{
		{"length known", "answered 3000", func(w http.ResponseWriter, answer string) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", fmt.Sprint(len(answer)))
			_, _ = w.Write([]byte(answer))
		}},
		{"length unknown", "answered too many bytes", func(w http.ResponseWriter, answer string) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write([]byte(answer))
		}},
		{"event", "answered 3000", func(w http.ResponseWriter, answer string) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "data: %s\n\n", answer)
		}},
		{"notification first", "answered 3000", func(w http.ResponseWriter, answer string) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":%q}}\n\n", answer)
			_, _ = fmt.Fprintf(w, "data: %s\n\n", answer)
		}},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			f := newFakeHTTP()
			f.intercept = func(w http.ResponseWriter, _ *http.Request, m jsonrpc.Message) bool {
				if text(m.Params, "/name") == "huge" {
					tt.write(w, fmt.Sprintf(huge, m.ID))
					return true
				}
				return false
			}
			cfg := serveFake(t, f).config()
			cfg.FrameBytes = 200_000
			c := startFake(t, cfg, nil)
			got := callTool(t, c, "huge", "", nil)
			if !strings.Contains(got, `"isError":true`) || !strings.Contains(got, tt.want) || !strings.Contains(got, "limit 200000") {
				t.Errorf("got %s", got)
			}
			callTool(t, c, "echo", "", nil)
			if s := c.State(); s.Restarts != 0 || s.Counts.TooLong == 0 {
				t.Errorf("state %+v", s)
			}
		})
	}
}

func TestRefusalsContainTheReason(t *testing.T) {
	refuse := func(status int, kind, body string) func(http.ResponseWriter, jsonrpc.Message) {
		return func(w http.ResponseWriter, m jsonrpc.Message) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(strings.ReplaceAll(body, "ID", m.ID.String())))
		}
	}
	tests := []struct {
		rule   string
		answer func(http.ResponseWriter, jsonrpc.Message)
		kind   error
		want   string
	}{
		{"401", refuse(401, "text/plain", "token please"), abi.ErrDenied, `401 Unauthorized: "token please" (set headers in the server's spec`},
		{"401 with its challenge", func(w http.ResponseWriter, _ jsonrpc.Message) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="x", resource_metadata="https://h/.well-known/oauth"`)
			w.WriteHeader(http.StatusUnauthorized)
		}, abi.ErrDenied, `it asks for Bearer realm="x", resource_metadata="https://h/.well-known/oauth" (set headers in the server's spec`},
		{"500", refuse(500, "text/html", "<h1>oops</h1>"), abi.ErrUnavailable, `500 Internal Server Error: "<h1>oops</h1>"`},
		{"405", refuse(405, "", ""), abi.ErrUnavailable, "is this the server's MCP endpoint?"},
		{"202", refuse(202, "", ""), abi.ErrUnavailable, "did not answer it"},
		{"HTML", refuse(200, "text/html", "<h1>"), abi.ErrUnavailable, `content type "text/html"`},
		{"half an answer", refuse(200, "application/json", `{"jsonrpc":"2.0","id":ID,"result":`), abi.ErrUnavailable, "invalid answer"},
		{"batch", refuse(200, "application/json", `[{"jsonrpc":"2.0","id":ID,"result":1}]`), abi.ErrUnavailable, "batches are not supported"},
		{"another's answer", refuse(200, "application/json", `{"jsonrpc":"2.0","id":4711,"result":1}`), abi.ErrUnavailable, "answer to another request"},
		{"invalid UTF-8", refuse(200, "application/json", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":\"\xff\"}"), abi.ErrUnavailable, "invalid UTF-8"},
		{"the same as event", refuse(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":\"\xff\"}\n\n"), abi.ErrUnavailable, "invalid UTF-8"},
		{"stream without answer", refuse(200, "text/event-stream", ": nothing\n\n"), abi.ErrUnavailable, "closed the stream before it answered"},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			f := newFakeHTTP()
			f.intercept = func(w http.ResponseWriter, _ *http.Request, m jsonrpc.Message) bool {
				if m.Method == "tools/call" {
					tt.answer(w, m)
				}
				return m.Method == "tools/call"
			}
			c := startFake(t, serveFake(t, f).config(), nil)
			_, err := c.Call(t.Context(), "tools/call", toolParams("x", ""), nil)
			if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
			if s := c.State(); s.Status != Ready {
				t.Errorf("status %s (%s)", s.Status, s.Error)
			}
		})
	}
}

// A JSON-RPC error is the server's answer, whatever HTTP status it came with.
func TestErrorAnswerWithAStatusIsCarried(t *testing.T) {
	f := newFakeHTTP()
	f.intercept = func(w http.ResponseWriter, _ *http.Request, m jsonrpc.Message) bool {
		if m.Method == "x" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"m","data":1e2}}`, m.ID)
		}
		return m.Method == "x"
	}
	c := startFake(t, serveFake(t, f).config(), nil)
	reply, err := c.Call(t.Context(), "x", nil, nil)
	if err != nil || string(reply.Error) != `{"code":1,"message":"m","data":1e2}` {
		t.Errorf("got %s, %v", reply.Error, err)
	}
}

// A server refuses initialize, and speaks no other version that the Client knows. The error
// contains its reason without the token in it.
func TestRefusedHandshake(t *testing.T) {
	f := newFakeHTTP()
	f.intercept = func(w http.ResponseWriter, r *http.Request, m jsonrpc.Message) bool {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"only 2030-01-01, not %s"}}`, m.ID, r.Header.Get("Authorization"))
		return true
	}
	cfg := serveFake(t, f).config()
	cfg.Headers = map[string]Secret{"Authorization": NewSecret("Bearer canary-0005")}
	c := startFake(t, cfg, nil)
	err := c.Ready(t.Context())
	want := "initialize: refused: JSON-RPC error -32022: only 2030-01-01, not *** (we speak 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05)"
	if !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// Messages on the GET stream go to the Client's Peer, except for progress, which goes to
// the Peer of its call.
func TestGetStream(t *testing.T) {
	loose := &recorder{called: make(chan string, 10)}
	f := serveFake(t, newFakeHTTP())
	c := startFake(t, f.config(), loose)
	f.loose <- jsonrpc.Message{Method: "notifications/tools/list_changed"}
	f.loose <- jsonrpc.Message{ID: jsonrpc.StringID("q"), Method: "roots/list"}
	for _, want := range []string{"notifications/tools/list_changed", "request roots/list"} {
		if got := <-loose.called; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	peer := &recorder{called: make(chan string, 10)}
	ctx, cancel := contextWithCause(t)
	id, done := c.lastID.Load()+1, make(chan error, 1)
	go func() {
		_, err := c.Call(ctx, "tools/call", []byte(`{"name":"hang","_meta":{"progressToken":"mine"}}`), peer)
		done <- err
	}()
	waitFor(t, "the call", func() bool { return f.timesCalled("hang") == 1 })
	f.loose <- progressNote([]byte(fmt.Sprint(id)), 1)
	<-peer.called
	if got := peer.got(); len(got) != 1 || !strings.Contains(got[0], `"progressToken": "mine"`) {
		t.Errorf("the call's Peer got %q", got)
	}
	cancel(errors.New("enough"))
	<-done
	waitFor(t, "the cancellation", func() bool {
		return strings.Contains(callTool(t, c, "count", "", nil), fmt.Sprintf(`"cancelled":[%d]`, id))
	})
}

// A stream that is opened again continues after the last event.
func TestStreamsAreResumed(t *testing.T) {
	f := newFakeHTTP()
	f.intercept = func(w http.ResponseWriter, _ *http.Request, m jsonrpc.Message) bool {
		if m.Method != "tools/call" {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "id: %s\nretry: 1\ndata:\n\n", m.ID)
		return true
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		last := r.Header.Get("Last-Event-ID")
		switch {
		case r.Method != http.MethodGet:
			f.ServeHTTP(w, r)
		case last == "":
			http.Error(w, "no stream here", http.StatusMethodNotAllowed)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":\"later\"}\n\n", last)
		}
	}))
	t.Cleanup(server.Close)
	c := startFake(t, Config{Name: "fake", URL: server.URL}, nil)
	if got := callTool(t, c, "x", "", nil); got != `"later"` {
		t.Errorf("got %s", got)
	}
}

// Sequential calls reuse connections, for JSON answers and for streams.
func TestConnectionsAreReused(t *testing.T) {
	for _, sse := range []bool{false, true} {
		f := newFakeHTTP()
		f.sse = sse
		var opened atomic.Int64
		server := httptest.NewUnstartedServer(f)
		server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				opened.Add(1)
			}
		}
		server.Start()
		t.Cleanup(server.Close)
		c := startFake(t, Config{Name: "fake", URL: server.URL}, nil)
		for range 100 {
			callTool(t, c, "echo", "", nil)
		}
		if got := opened.Load(); got > 8 {
			t.Errorf("sse %v: %d connections for 100 calls", sse, got)
		}
	}
}
