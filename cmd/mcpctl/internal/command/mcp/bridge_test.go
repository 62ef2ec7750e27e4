package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// endpoint is a small MCP endpoint that can forget its sessions and die in a
// call, as the daemon does when it is restarted.
type endpoint struct {
	*httptest.Server
	mu       sync.Mutex
	session  int          // number of the session that is valid now
	methods  []string     // the methods that ran, in order
	breakOn  string       // a method in which the connection breaks, once
	streamed bool         // answer by event stream, with a notification first
	opened   chan int     // session number of each listening stream
	ensured  atomic.Int32 // how often a daemon was asked for
	dying    atomic.Int32 // so many requests are taken by a daemon that dies before it reads them
	gone     atomic.Bool  // the project
}

func newEndpoint(t *testing.T) *endpoint {
	e := &endpoint{opened: make(chan int, 10)}
	e.Server = httptest.NewServer(http.HandlerFunc(e.serve))
	t.Cleanup(e.Close)
	t.Cleanup(e.CloseClientConnections)
	return e
}

func (e *endpoint) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.session++
}

// breakAt breaks the connection in the next call of a method.
func (e *endpoint) breakAt(method string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.breakOn = method
}

func (e *endpoint) ran() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.methods, " ")
}

func (e *endpoint) serve(w http.ResponseWriter, r *http.Request) {
	var msg struct {
		ID     json.RawMessage
		Method string
	}
	if r.Method == http.MethodPost && e.dying.Add(-1) >= 0 {
		panic(http.ErrAbortHandler)
	}
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &msg) // GET and DELETE have none
	if e.gone.Load() {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"project \"home\" not found"}}`)
		return
	}
	e.mu.Lock()
	if msg.Method == "initialize" {
		e.session++
		w.Header().Set("Mcp-Session-Id", fmt.Sprint(e.session))
	} else if r.Header.Get("Mcp-Session-Id") != fmt.Sprint(e.session) {
		e.mu.Unlock()
		http.NotFound(w, r)
		return
	}
	number, breaks := e.session, msg.Method == e.breakOn && msg.Method != ""
	if breaks {
		e.breakOn = ""
	}
	if msg.Method != "" {
		e.methods = append(e.methods, msg.Method)
	}
	e.mu.Unlock()

	switch {
	case r.Method == http.MethodGet:
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		e.opened <- number
		<-r.Context().Done()
	case breaks:
		panic(http.ErrAbortHandler)
	case msg.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case e.streamed:
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, ": hello\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progress\":1}}\n\n")
		fmt.Fprintf(w, "event: message\ndata: %s\n\n", answer(msg.ID, msg.Method))
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, answer(msg.ID, msg.Method))
	}
}

func answer(id json.RawMessage, method string) string {
	if method == "initialize" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}}`, id)
	}
	if method == "large" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%q}`, id, strings.Repeat("x", 33<<20))
	}
	if method == "tools/list" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"method":%q,"tools":[{"name":"read","annotations":{"readOnlyHint":true}},{"name":"write","annotations":{"readOnlyHint":false}},{"name":"bare"}]}}`, id, method)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"method":%q}}`, id, method)
}

// client drives a bridge over pipes.
type client struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

// connect starts a bridge to an endpoint.
func connect(t *testing.T, url string, ensure func(context.Context) error) *client {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, in: inW, out: bufio.NewReader(outR), done: make(chan error, 1)}
	b := newBridge(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, url, ensure, outW)
	go func() { c.done <- b.run(t.Context(), inR) }()
	return c
}

// start opens a session.
func start(t *testing.T, e *endpoint) *client {
	c := connect(t, e.URL, func(context.Context) error { e.ensured.Add(1); return nil })
	c.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25"}}`)
	c.want(`"protocolVersion":"2025-11-25"`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	<-e.opened
	return c
}

func (c *client) send(frame string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, frame+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// want reads the next frame and asks that it holds a text.
func (c *client) want(text string) {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil || !strings.Contains(line, text) {
		c.t.Fatalf("got %q, %v; want %s", line, err, text)
	}
}

func (c *client) close() {
	c.t.Helper()
	c.in.Close()
	go io.Copy(io.Discard, c.out) // discard later output
	if err := <-c.done; err != nil {
		c.t.Errorf("run = %v", err)
	}
}

func TestBridgeCarriesBothKindsOfAnswers(t *testing.T) {
	e := newEndpoint(t)
	c := start(t, e)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	c.want(`{"jsonrpc":"2.0","id":1,"result":{"method":"tools/list"`)
	e.streamed = true
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call"}`)
	c.want(`notifications/progress`)
	c.want(`"id":2,"result"`)
	c.close()
}

// If the daemon does not know the session any more, the bridge opens a new one and repeats
// the request, which was not run; the client is notified that the lists changed.
func TestBridgeKeepsTheClientsSession(t *testing.T) {
	e := newEndpoint(t)
	c := start(t, e)
	e.forget()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
	c.want(`notifications/tools/list_changed`)
	c.want(`"id":1,"result"`)
	if n := <-e.opened; n != 3 {
		t.Errorf("listening stream on session %d, want the new one", n)
	}
	want := "initialize notifications/initialized initialize notifications/initialized tools/call"
	if got := e.ran(); got != want {
		t.Errorf("ran %s\nwant %s", got, want)
	}
	c.close()
}

// An idle client gets a new session when the daemon is back, and starts no daemon: a user
// who stopped it wants it to stay stopped.
func TestBridgeStartsNoDaemonForAnIdleClient(t *testing.T) {
	e := newEndpoint(t)
	c := start(t, e)
	e.forget()
	e.CloseClientConnections()
	c.want(`notifications/tools/list_changed`)
	if n := <-e.opened; n != 3 {
		t.Errorf("listening stream on session %d, want the new one", n)
	}
	if n := e.ensured.Load(); n != 1 {
		t.Errorf("a daemon was asked for %d times, want once, at initialize", n)
	}
	c.close()
}

// A call whose connection broke may have run. The model reads this in one line, which
// contains an advice and no internals.
func TestBridgeNeverRepeatsCallThatMayHaveRun(t *testing.T) {
	for _, params := range []string{`{"name":"write"}`, `{"name":"bare"}`, `{"name":"unlisted"}`, `{}`} {
		e := newEndpoint(t)
		c := start(t, e)
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		c.want(`"id":1`)
		e.breakAt("tools/call")
		c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":` + params + `}`)
		c.want(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"the mcpctl daemon ended during this call, which may have run and was not repeated: look before calling again"}],"isError":true}}`)
		if n := strings.Count(e.ran(), "tools/call"); n != 1 {
			t.Errorf("%s: tools/call ran %d times", params, n)
		}
		c.close()
	}
}

// A tool that declares readOnlyHint may run twice
func TestBridgeRepeatsAHarmlessCall(t *testing.T) {
	e := newEndpoint(t)
	c := start(t, e)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	c.want(`"id":1`)
	e.breakAt("tools/call")
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read"}}`)
	c.want(`notifications/tools/list_changed`)
	c.want(`"id":2,"result":{"method":"tools/call"}`)
	c.close()
}

// The socket of a daemon that is being killed accepts connections until the end. A call
// that was lost there was not run, so it is repeated regardless of its effects.
func TestBridgeRepeatsUnreadCall(t *testing.T) {
	e := newEndpoint(t)
	c := start(t, e)
	e.dying.Store(1)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write"}}`)
	c.want(`notifications/tools/list_changed`)
	c.want(`"id":1,"result":{"method":"tools/call"}`)
	if n := strings.Count(e.ran(), "tools/call"); n != 1 {
		t.Errorf("tools/call ran %d times", n)
	}
	c.close()
}

// Without a daemon the model reads that nothing was done.
func TestBridgeWithoutADaemon(t *testing.T) {
	e := newEndpoint(t)
	c := start(t, e)
	e.CloseClientConnections()
	e.Listener.Close()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write"}}`)
	c.want(`"text":"the mcpctl daemon cannot be reached, nothing was done: see mcpctl status"}],"isError":true}`)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	c.want(`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"the mcpctl daemon cannot be reached, nothing was done: see mcpctl status"}}`)
	c.close()
}

// A project that is deleted under a client is named, at each of its requests.
func TestBridgeSaysThatTheProjectIsGone(t *testing.T) {
	e := newEndpoint(t)
	c := start(t, e)
	e.gone.Store(true)
	for _, method := range []string{"tools/call", "tools/list", "initialize"} {
		c.send(`{"jsonrpc":"2.0","id":1,"method":"` + method + `"}`)
		c.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"project \"home\" not found"}}`)
	}
	c.close()
}

func TestBridgeRepeatsWhatOnlyReads(t *testing.T) {
	e := newEndpoint(t)
	c := start(t, e)
	e.breakAt("tools/list")
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	c.want(`notifications/tools/list_changed`)
	c.want(`"id":1,"result"`)
	c.close()
}

// The size of a message is limited by the daemon alone, whose limit can be set.
func TestBridgeHasNoSizeLimit(t *testing.T) {
	e := newEndpoint(t)
	c := start(t, e)
	for _, streamed := range []bool{false, true} {
		e.streamed = streamed
		size := 33 << 20 // of the question and its answer
		if streamed {
			size = 0
		}
		said := make(chan error, 1)
		go func() {
			_, err := io.WriteString(c.in, `{"jsonrpc":"2.0","id":1,"method":"large","params":{"x":"`+strings.Repeat("x", size)+`"}}`+"\n")
			said <- err
		}()
		if streamed {
			c.want(`notifications/progress`)
		}
		c.want(`"id":1,"result":"xxx`)
		if err := <-said; err != nil {
			t.Error(err)
		}
	}
	c.close()
}

func TestBridgeAnswersWhatItCannotCarry(t *testing.T) {
	c := start(t, newEndpoint(t))
	for _, tc := range []struct{ frame, want string }{
		{`{"jsonrpc":"2.0","id":7,"method":"x","METHOD":"y"}`, `"id":7,"error":{"code":-32600`},
		{`not JSON`, `"id":null,"error":{"code":-32700`},
	} {
		c.send(tc.frame)
		c.want(tc.want)
	}
	c.close()
}
