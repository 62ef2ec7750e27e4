package upstream

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// statelessSDKServer is a server of the Go SDK that speaks only the version without
// sessions. Its tool asks the user twice, "in" takes an argument that a header repeats, and
// "touch" changes the list of tools and a resource.
func statelessSDKServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "go-sdk", Version: "1"}, &mcp.ServerOptions{
		SupportedProtocolVersions: []string{stateless.Version}, Instructions: "be brief",
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	mcp.AddTool(s, &mcp.Tool{Name: "work"}, func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		for i := range 3 {
			note := &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: float64(i + 1)}
			if err := req.Session.NotifyProgress(ctx, note); err != nil {
				return nil, nil, err
			}
		}
		answer, ok := req.Params.InputResponses["go_on"].(*mcp.ElicitResult)
		if !ok {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"go_on": &mcp.ElicitParams{Message: "go on?"}}, RequestState: "state 1"}, nil, nil
		}
		text := "user: " + answer.Action + ", state: " + req.Params.RequestState
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
	s.AddTool(&mcp.Tool{Name: "in", InputSchema: map[string]any{"type": "object", "properties": map[string]any{"region": map[string]any{"type": "string", "x-mcp-header": "Region"}}}},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(req.Params.Arguments)}}}, nil
		})
	s.AddResource(&mcp.Resource{Name: "r", URI: "x:1"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "x:1", Text: "one"}}}, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "touch"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		_ = s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "x:1"})
		mcp.AddTool(s, &mcp.Tool{Name: "added"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{}, nil, nil
		})
		return &mcp.CallToolResult{}, nil, nil
	})
	return s
}

// The Client calls a server that speaks only the version without sessions, whether it tries
// that version first or last: questions, progress, headers and notifications arrive.
func TestStatelessServerOfTheSDK(t *testing.T) {
	over := func(t *testing.T) Config {
		s := statelessSDKServer()
		web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true}))
		t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
		return Config{Name: "fake", URL: web.URL}
	}
	for name, config := range map[string]func(*testing.T) Config{
		"http":  over,
		"stdio": func(t *testing.T) Config { return fakeConfig(t, "sdk=go-sdk-stateless") },
	} {
		for _, first := range []bool{true, false} {
			if name == "stdio" && !first {
				continue // this server accepts initialize on stdio, although it is told not to
			}
			t.Run(fmt.Sprintf("%s, first %v", name, first), func(t *testing.T) {
				cfg := config(t)
				cfg.Stateless, cfg.Capabilities = first, []byte(`{"elicitation":{}}`)
				testStatelessServer(t, cfg)
			})
		}
	}
}

func testStatelessServer(t *testing.T, cfg Config) {
	loose := &recorder{called: make(chan string, 20)}
	c := startFake(t, cfg, loose)
	ctx := t.Context()
	if err := c.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	if s := c.State(); s.Protocol != stateless.Version || c.Instructions() != "be brief" {
		t.Errorf("protocol %s, instructions %q", s.Protocol, c.Instructions())
	}
	peer := &recorder{reply: flow.Reply{Result: []byte(`{"action":"accept","content":{}}`)}, called: make(chan string, 20)}
	reply, err := c.Call(ctx, "tools/call", []byte(`{"name":"work","arguments":{},"_meta":{"progressToken":"mine"}}`), peer)
	if err != nil || !strings.Contains(string(reply.Result), `"text":"user: accept, state: state 1"`) {
		t.Fatalf("tools/call: %s %s, %v", reply.Result, reply.Error, err)
	}
	if n := len(peer.got()); n != 6 { // three for each of the two requests
		t.Errorf("%d reports of progress: %q", n, peer.got())
	}
	if reply, err = c.Call(ctx, "tools/call", []byte(`{"name":"in","arguments":{"region":"eu west"}}`), nil); err != nil || !strings.Contains(string(reply.Result), `eu west`) {
		t.Errorf("tool with a header: %s %s, %v", reply.Result, reply.Error, err)
	}
	for _, m := range []struct{ method, params string }{{"ping", `{}`}, {"logging/setLevel", `{"level":"info"}`}, {"resources/subscribe", `{"uri":"x:1"}`}} {
		if reply, err := c.Call(ctx, m.method, []byte(m.params), nil); err != nil || string(reply.Result) != `{}` {
			t.Errorf("%s: %s %s, %v", m.method, reply.Result, reply.Error, err)
		}
	}
	want := map[string]bool{"notify notifications/tools/list_changed": true, "notify notifications/resources/updated": true}
	deadline := time.After(time.Minute)
	for touch := time.NewTicker(50 * time.Millisecond); len(want) > 0; { // until the subscription is open
		select {
		case what := <-loose.called:
			delete(want, "notify "+strings.TrimPrefix(what, "notify "))
		case <-touch.C:
			if _, err := c.Call(ctx, "tools/call", []byte(`{"name":"touch","arguments":{}}`), nil); err != nil {
				t.Fatal(err)
			}
		case <-deadline:
			t.Fatalf("missing: %v", want)
		}
	}
	if s := c.State(); s.InFlight != 0 || s.Counts.Garbage+s.Counts.UnknownIDs > 0 {
		t.Errorf("state %+v", s)
	}
}

// A process of an earlier version that ends when it is asked for the version without sessions
// is started again without the question.
func TestServerThatEndsOnDiscover(t *testing.T) {
	cfg := fakeConfig(t, "dies=server/discover")
	cfg.Stateless = true
	c := startFake(t, cfg, nil)
	if err := c.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := c.State(); s.Protocol != preferredVersion {
		t.Errorf("state %+v", s)
	}
}

// A server of an earlier version that refuses or ignores the question is asked with
// initialize over the same connection.
func TestServerWithoutDiscover(t *testing.T) {
	transports(t, func(t *testing.T, cfg Config) {
		cfg.Stateless = true
		c := startFake(t, cfg, nil)
		if err := c.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := c.State(); s.Protocol != preferredVersion || s.Restarts != 0 {
			t.Errorf("state %+v", s)
		}
	})
}

// A server that asks without end gets an end.
func TestServerThatAsksForever(t *testing.T) {
	var asked atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := jsonrpc.ReadBody(r.Body, r.ContentLength, 1<<20)
		m, err := jsonrpc.Decode(body, jsonrpc.Limits{})
		if err != nil || r.Header.Get("Mcp-Method") != m.Method {
			http.Error(w, "", http.StatusBadRequest)
			return
		}
		answer := jsonrpc.Message{ID: m.ID, Result: []byte(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}`)}
		if m.Method == "tools/call" {
			asked.Add(1)
			answer.Result = []byte(`{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{}}}}`)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer.Append(nil))
	}))
	t.Cleanup(web.Close)
	c := startFake(t, Config{Name: "fake", URL: web.URL, Stateless: true}, nil)
	reply, err := c.Call(t.Context(), "tools/call", []byte(`{"name":"t"}`), &recorder{})
	if err == nil || !strings.Contains(err.Error(), "has asked for input 16 times in one call") || asked.Load() != maxRounds {
		t.Errorf("%s, %v, asked %d times", reply.Result, err, asked.Load())
	}
	refusing := &recorder{reply: flow.Reply{Error: []byte(`{"code":-1,"message":"no"}`)}}
	if reply, err = c.Call(t.Context(), "tools/call", []byte(`{"name":"t"}`), refusing); err != nil || string(reply.Error) != `{"code":-1,"message":"no"}` {
		t.Errorf("a client that refuses: %s %s, %v", reply.Result, reply.Error, err)
	}
}

// serveStatelessOnly serves a server on stdin and stdout that refuses initialize.
func serveStatelessOnly() {
	frames, out := jsonrpc.NewFrameReader(os.Stdin, 0), jsonrpc.NewFrameWriter(os.Stdout)
	for {
		frame, err := frames.Next()
		if err != nil {
			return
		}
		m, err := jsonrpc.DecodeUpstream(frame, jsonrpc.Limits{})
		if err != nil || !m.IsRequest() {
			continue
		}
		answer := jsonrpc.Message{ID: m.ID, Result: []byte(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}`)}
		if m.Method == "initialize" {
			answer.Result, answer.Error = nil, []byte(`{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}`)
		}
		_ = out.Write(answer) // the next read ends it
	}
}

// A server that needs longer to start than the first question waits is asked again.
func TestStatelessServerThatStartsSlowly(t *testing.T) {
	cfg := fakeConfig(t, "sdk=slow-stateless")
	cfg.Stateless = true
	c := startFake(t, cfg, nil)
	if err := c.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := c.State(); s.Protocol != stateless.Version || s.Restarts != 0 {
		t.Errorf("protocol %s, %d restarts", s.Protocol, s.Restarts)
	}
}

// A client without a session is asked in an answer only: a process that asks while several
// calls run asks with the latest that does not wait for input. Roots are asked for alike.
func TestQuestionsOfParallelCalls(t *testing.T) {
	cfg := fakeConfig(t, "")
	cfg.Stateless, cfg.Capabilities = true, []byte(`{"elicitation":{},"roots":{}}`)
	c := startFake(t, cfg, nil)
	first := &recorder{hold: make(chan struct{}), called: make(chan string, 10)}
	done := make(chan error, 1)
	go func() {
		_, err := c.Call(t.Context(), "tools/call", []byte(`{"name":"ask","arguments":{"method":"elicitation/create"}}`), first)
		done <- err
	}()
	for what := range first.called {
		if what == "request elicitation/create" {
			break
		}
	}
	second := &recorder{reply: flow.Reply{Result: []byte(`{"roots":[]}`)}}
	reply, err := c.Call(t.Context(), "tools/call", []byte(`{"name":"ask","arguments":{"method":"roots/list"}}`), second)
	if err != nil || !strings.Contains(string(reply.Result), `{"roots":[]}`) {
		t.Errorf("%s %s, %v", reply.Result, reply.Error, err)
	}
	close(first.hold)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Results and questions that the version does not know are errors.
func TestUnknownResults(t *testing.T) {
	for result, want := range map[string]string{
		`{"resultType":"task","task":{}}`: `result of unknown type "task"`,
		`{"resultType":1}`:                `result of unknown type 1`,
		`{"resultType":"input_required","inputRequests":{"a":{"method":"tools/call"}}}`: `asks the client for "tools/call", which no server may`,
	} {
		err := checkResultType([]byte(result))
		if in, asks := stateless.ReadInput([]byte(result)); asks {
			err = checkQuestions(in.Requests)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", result, err, want)
		}
	}
}

// A server that ends each subscription immediately is not asked again without a pause.
func TestSubscriptionThatEnds(t *testing.T) {
	var listens atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := jsonrpc.ReadBody(r.Body, r.ContentLength, 1<<20)
		m, err := jsonrpc.Decode(body, jsonrpc.Limits{})
		if err != nil {
			http.Error(w, "", http.StatusBadRequest)
			return
		}
		result := `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}`
		if m.Method == listenMethod {
			listens.Add(1)
			result = `{"resultType":"complete"}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(jsonrpc.Message{ID: m.ID, Result: []byte(result)}.Append(nil))
	}))
	t.Cleanup(web.Close)
	c := startFake(t, Config{Name: "fake", URL: web.URL, Stateless: true}, nil)
	if err := c.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	time.Sleep(2 * firstBackoff)                                                   // a loop without pauses would ask hundreds of times
	if n := listens.Load(); n < 1 || n > 3+int32(time.Since(began)/firstBackoff) { // the pauses are longer than firstBackoff
		t.Errorf("%d subscriptions", n)
	}
}
