package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/proxy/proxytest"
	"github.com/mcpctl/mcpctl/host/stateless"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// describedFrame returns a request of a client without a session.
func describedFrame(id, method, params string) string {
	c := stateless.Client{Info: []byte(`{"name":"test","version":"1"}`), Capabilities: []byte(`{}`)}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, c.Describe([]byte(params)))
}

// A client without a session goes the whole way: bridge, endpoint, server.
func TestStatelessOverTheBridge(t *testing.T) {
	planted := httptest.NewServer(proxytest.PlantedHandler())
	t.Cleanup(planted.Close)
	f := &front{proxy.Project{Name: "home", Servers: []proxy.Server{{Name: "s"}}, Bare: true, Models: everything{}}, upstream.Config{URL: planted.URL}}
	e := proxy.Open(proxy.Parts{Projects: f, Upstreams: f, Transformer: noStages{}, Reader: noStages{}}, proxy.Options{})
	web := httptest.NewServer(e)
	t.Cleanup(func() { e.Close(); web.CloseClientConnections(); web.Close() })
	c := connect(t, web.URL+"/projects/home/mcp", func(context.Context) error { return nil })
	c.send(describedFrame(`"d"`, "server/discover", `{}`))
	c.want(`"id":"d","result":{"resultType":"complete"`)
	c.send(describedFrame(`1`, "tools/call", `{"name":"first","arguments":{"kind":"text"}}`))
	c.want(`"id":1,"result":{"resultType":"complete"`)
	c.send(describedFrame(`2`, "ping", `{}`)) // the status of its refusal is that of a lost session
	c.want(`"id":2,"error":{"code":-32601`)
	c.send(describedFrame(`3`, "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`))
	c.want(`"method":"notifications/subscriptions/acknowledged"`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	c.close()
}

// deafEndpoint answers nothing until the client cancels, and tells what it got.
type deafEndpoint struct {
	mu     sync.Mutex
	listen int // subscriptions so far
	begun  chan struct{}
	ended  chan string
}

func (d *deafEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m, err := jsonrpc.Decode(body, jsonrpc.Limits{})
	if err != nil || stateless.CheckHeaders(r.Header, stateless.Version, m) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if m.Method != listenMethod {
		close(d.begun)
		<-r.Context().Done()
		d.ended <- m.Method
		return
	}
	d.mu.Lock()
	d.listen++
	n := d.listen
	d.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: %s\n\n", jsonrpc.Message{Method: "notifications/subscriptions/acknowledged", Params: stateless.Tag(nil, m.ID)}.Append(nil))
	w.(http.Flusher).Flush()
	if n == 1 {
		panic(http.ErrAbortHandler) // the daemon dies
	}
	<-r.Context().Done()
	d.ended <- m.Method
}

// The bridge cancels a request by closing it, opens a lost subscription again, and tells the
// client that the lists may have changed.
func TestBridgeWithoutSession(t *testing.T) {
	d := &deafEndpoint{begun: make(chan struct{}), ended: make(chan string, 2)}
	web := httptest.NewServer(d)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	c := connect(t, web.URL, func(context.Context) error { return nil })
	c.send(describedFrame(`"sub"`, listenMethod, `{"notifications":{"toolsListChanged":true,"promptsListChanged":false}}`))
	c.want(`notifications/subscriptions/acknowledged`)
	c.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"sub"}}}`)
	c.send(describedFrame(`7`, "tools/call", `{"name":"t"}`))
	<-d.begun
	for _, id := range []string{`7`, `"sub"`} {
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
		select {
		case <-d.ended:
		case <-time.After(10 * time.Second):
			t.Errorf("request %s was not cancelled", id)
		}
	}
	c.close()
	if d.listen != 2 {
		t.Errorf("%d subscriptions, want 2", d.listen)
	}
}
