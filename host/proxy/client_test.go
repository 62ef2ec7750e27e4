package proxy

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// pipeTransport calls a handler without a network, so that tests can run in a synctest
// bubble. The response streams through a pipe, and closing its body ends the request's
// context, like a lost connection.
type pipeTransport struct{ handler http.Handler }

func (p pipeTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	body, w := io.Pipe()
	rw := &pipeWriter{header: make(http.Header), body: w, started: make(chan struct{})}
	go func() {
		p.handler.ServeHTTP(rw, r.WithContext(ctx))
		rw.WriteHeader(http.StatusOK)
		cancel()
		w.Close()
	}()
	<-rw.started
	return &http.Response{StatusCode: rw.status, Header: rw.header.Clone(), Body: &pipeBody{body, cancel}, Request: r}, nil
}

type pipeBody struct {
	*io.PipeReader
	cancel func()
}

func (b *pipeBody) Close() error { b.cancel(); return b.PipeReader.Close() }

type pipeWriter struct {
	header  http.Header
	body    *io.PipeWriter
	once    sync.Once
	status  int
	started chan struct{}
}

func (w *pipeWriter) Header() http.Header { return w.header }
func (w *pipeWriter) Flush()              { w.WriteHeader(http.StatusOK) }
func (w *pipeWriter) WriteHeader(status int) {
	w.once.Do(func() { w.status = status; close(w.started) })
}

func (w *pipeWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// testClient is an HTTP client of one session.
type testClient struct {
	t       *testing.T
	http    http.Client
	url     string
	session string
	name    string // of the client; default test
	next    int
}

// dial returns a client of the handler without a session.
func (r *rig) dial(t *testing.T) *testClient {
	return &testClient{t: t, http: http.Client{Transport: pipeTransport{r.Endpoint}}, url: "http://localhost/projects/" + testProject + "/mcp"}
}

// open initializes a session with the given capabilities.
func (r *rig) open(t *testing.T, capabilities string) *testClient {
	t.Helper()
	c := r.dial(t)
	c.initialize(capabilities)
	return c
}

// initialize starts a session and returns the answer to initialize.
func (c *testClient) initialize(capabilities string) string {
	c.t.Helper()
	if capabilities == "" {
		capabilities = "{}"
	}
	res := c.post(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + capabilities + `,"clientInfo":{"name":"` + cmp.Or(c.name, "test") + `","version":"1"}}}`)
	c.session = res.Header.Get("Mcp-Session-Id")
	text := c.body(res)
	if c.session == "" {
		c.t.Fatalf("initialize: status %d: %s", res.StatusCode, text)
	}
	c.body(c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return text
}

func (c *testClient) request(ctx context.Context, method, body string) *http.Request {
	c.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	}
	return r
}

func (c *testClient) post(body string) *http.Response {
	c.t.Helper()
	res, err := c.http.Do(c.request(context.Background(), "POST", body))
	if err != nil {
		c.t.Fatal(err)
	}
	return res
}

func (c *testClient) body(res *http.Response) string {
	c.t.Helper()
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(b)
}

// ask sends a request and returns its answer.
func (c *testClient) ask(method, params string) string {
	c.t.Helper()
	all := c.askAll(method, params)
	return all[len(all)-1]
}

// askAll sends a request and returns all messages of the response; the answer is the last.
func (c *testClient) askAll(method, params string) []string {
	c.t.Helper()
	c.next++
	return c.messages(c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.next, method, params)))
}

// messages reads a whole response: JSON, or the data of each event.
func (c *testClient) messages(res *http.Response) []string {
	c.t.Helper()
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return []string{c.body(res)}
	}
	defer res.Body.Close()
	s := &events{r: bufio.NewReader(res.Body)}
	var all []string
	for {
		text, err := s.next()
		if err != nil {
			return all
		}
		all = append(all, text)
	}
}

// stream opens a GET stream.
func (c *testClient) stream() *events {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c.t.Cleanup(cancel)
	res, err := c.http.Do(c.request(ctx, "GET", ""))
	if err != nil || res.StatusCode != http.StatusOK {
		c.t.Fatalf("GET: %v, %v", res, err)
	}
	return &events{r: bufio.NewReader(res.Body), c: res.Body}
}

// events reads server-sent events.
type events struct {
	r *bufio.Reader
	c io.Closer
}

func (e *events) next() (string, error) {
	for {
		line, err := e.r.ReadString('\n')
		if err != nil {
			return "", err
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			return strings.TrimSuffix(data, "\n"), nil
		}
	}
}

func (e *events) must(t *testing.T) string {
	t.Helper()
	text, err := e.next()
	if err != nil {
		t.Fatalf("stream: %v", err)
	}
	return text
}

// at returns the JSON at a pointer, "" if there is none.
func at(text, pointer string) string {
	m, ok := jsonspan.Lookup([]byte(text), pointer)
	if !ok {
		return ""
	}
	return text[m.Start:m.End]
}

// oneTool answers tools/list with tools of the given names, and calls with f.
func oneTool(f func(ctx context.Context, c fakeCall) string, names ...string) *fakeServer {
	var list []string
	for _, n := range names {
		list = append(list, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, n))
	}
	s := scriptedServer(map[string]string{"tools/list": `{"tools":[` + strings.Join(list, ",") + `]}`})
	listed := s.answer
	s.answer = func(ctx context.Context, c fakeCall) (r flow.Reply) {
		if c.method != "tools/call" {
			return listed(ctx, c)
		}
		r.Result = []byte(f(ctx, c))
		return r
	}
	return s
}
