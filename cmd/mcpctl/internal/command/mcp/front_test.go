package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/proxy/proxytest"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// TestMain lets the test binary be the stdio server too.
func TestMain(m *testing.M) {
	if !proxytest.PlantedMain() {
		os.Exit(m.Run())
	}
}

// front is the whole way that a client on stdio goes: the bridge, the endpoint of
// the daemon, our connection to the server.
type front struct {
	project proxy.Project
	server  upstream.Config
}

// Project implements proxy.Projects.
func (f *front) Project(string) (*proxy.Project, error) { return &f.project, nil }

// For implements proxy.Upstreams.
func (f *front) For(_ context.Context, _ flow.Scope, s proxy.Server, c proxy.Client, p proxy.Peer) (proxy.Upstream, error) {
	cfg := f.server
	cfg.Name, cfg.Capabilities = s.Name, c.Capabilities
	client, err := upstream.Start(context.Background(), cfg, p)
	return connection{client}, err
}

type connection struct{ *upstream.Client }

func (c connection) Call(ctx context.Context, method string, params json.RawMessage, p proxy.Peer) (flow.Reply, error) {
	return c.Client.Call(ctx, method, params, p)
}

func (c connection) CallRepeatable(ctx context.Context, method string, params json.RawMessage, p proxy.Peer) (flow.Reply, error) {
	return c.Client.CallRepeatable(ctx, method, params, p)
}

// noStages changes nothing and stores nothing.
type noStages struct{}

func (noStages) Transform(context.Context, flow.Scope, flow.Content) (flow.Shown, error) {
	return flow.Shown{}, nil
}
func (noStages) Filter(context.Context, flow.Scope, flow.Content) (flow.Shown, error) {
	return flow.Shown{}, nil
}
func (noStages) Bound(_ context.Context, _ flow.Scope, _ flow.Content, sh flow.Shown, _ flow.Overrun) flow.Shown {
	return sh
}
func (noStages) BoundTogether(context.Context, flow.Scope, []flow.Content, []flow.Shown, flow.Overrun) (flow.Shown, bool) {
	return flow.Shown{}, false
}
func (noStages) Store(context.Context, flow.Scope, flow.Content) (string, error) { return "", nil }
func (noStages) Touch(flow.Scope, string) bool                                   { return false }
func (noStages) Read(context.Context, flow.Scope, string, string) flow.Answer {
	return flow.Answer{Text: []byte("nothing stored"), IsError: true}
}

// open puts a bridge in front of it, with a session.
func (f *front) open(t *testing.T) *client {
	e := proxy.Open(proxy.Parts{Projects: f, Upstreams: f, Transformer: noStages{}, Reader: noStages{}}, proxy.Options{})
	web := httptest.NewServer(e)
	t.Cleanup(func() { e.Close(); web.CloseClientConnections(); web.Close() })
	c := connect(t, web.URL+"/projects/home/mcp", func(context.Context) error { return nil })
	c.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	c.want(`"protocolVersion":"2025-11-25"`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// answer returns the next frame that answers the request with this id.
func (c *client) answer(id int) string {
	c.t.Helper()
	for {
		line, err := c.out.ReadString('\n')
		if err != nil {
			c.t.Fatal(err)
		}
		if strings.HasPrefix(line, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,`, id)) {
			return strings.TrimSuffix(line, "\n")
		}
	}
}

// Nothing is lost, nothing changed, nothing
// added on the way through mcpctl mcp; host/proxy asks the same over HTTP
func TestFidelityOverTheBridge(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(proxytest.PlantedHandler())
	t.Cleanup(web.Close)
	for name, server := range map[string]upstream.Config{
		"http":  {URL: web.URL},
		"stdio": {Command: []string{"/usr/bin/env", proxytest.PlantedEnv + "=1", self}},
	} {
		for models, m := range map[string]proxy.Model{"no stage": {}, "stages that only look": {Runs: true}} {
			t.Run("to "+name+", "+models, func(t *testing.T) {
				f := &front{proxy.Project{Name: "home", Servers: []proxy.Server{{Name: "s"}}, Bare: true, Models: everything(m)}, server}
				c := f.open(t)
				for i, q := range proxytest.Questions {
					c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, i, q.Method, q.Params))
					direct := proxytest.PlantedAnswer(jsonrpc.Message{ID: jsonrpc.NumberID(int64(i)), Method: q.Method, Params: []byte(q.Params)})
					for _, d := range proxytest.Differences(string(direct.Append(nil)), c.answer(i)) {
						t.Errorf("%s %s: %s", q.Method, q.Params, d)
					}
				}
				c.close()
			})
		}
	}
}

// everything is the model of every source.
type everything proxy.Model

func (m everything) Model(abi.ContentType, string) proxy.Model { return proxy.Model(m) }

// Smuggled content of a frame reaches no server through mcpctl mcp. Tests of host/proxy
// send the same frames over HTTP.
func TestBridgeBlocksSmuggledContent(t *testing.T) {
	var mu sync.Mutex
	var reached []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := jsonrpc.ReadBody(r.Body, r.ContentLength, 1<<20)
		m, err := jsonrpc.DecodeUpstream(body, jsonrpc.Limits{})
		if err != nil || !m.IsRequest() {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		result := `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
		switch m.Method {
		case "tools/list":
			result = `{"tools":[{"name":"safe","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			result = `{"content":[]}`
			mu.Lock()
			reached = append(reached, string(m.Params))
			mu.Unlock()
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(jsonrpc.Message{ID: m.ID, Result: []byte(result)}.Append(nil))
	}))
	t.Cleanup(web.Close)
	f := &front{proxy.Project{Name: "home", Servers: []proxy.Server{{Name: "s"}}}, upstream.Config{URL: web.URL}}
	c := f.open(t)
	const last = 1 << 20
	go func() { // while the answers are read
		var all strings.Builder
		for i, m := range proxytest.Smuggled() {
			all.WriteString(strings.ReplaceAll(m, `"id":1,`, fmt.Sprintf(`"id":%d,`, i)) + "\n")
		}
		fmt.Fprintf(&all, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", last)
		_, _ = io.WriteString(c.in, all.String()) // an error shows up in the answers
	}()
	c.answer(last)
	c.close()
	mu.Lock()
	defer mu.Unlock()
	for _, params := range reached {
		if proxytest.Slipped(params) {
			t.Errorf("reached the server: %s", params)
		}
	}
	if len(reached) == 0 {
		t.Error("nothing at all reached the server")
	}
	t.Logf("%d messages, %d calls reached the server", len(proxytest.Smuggled()), len(reached))
}
