package host_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
)

// speedObjects are projects with one server, without stages and with an index.
const speedObjects = `kind: Server
metadata: {name: up}
spec: {url: %q}
---
kind: ProxyModel
metadata: {name: through}
spec: {controller: none, stages: []}
---
kind: Project
metadata: {name: through}
spec: {servers: [up], gated: false, proxyModel: through, toolNames: bare}
---
kind: Project
metadata: {name: subindex}
spec: {servers: [up], gated: false, proxyModel: subindex, toolNames: bare}
`

// BenchmarkCall measures one tools/call through the endpoint over loopback, for
// profiling.
func BenchmarkCall(b *testing.B) {
	flows, err := os.ReadFile("../testdata/content/ja-flows-atltvhead.json")
	if err != nil {
		b.Fatal(err)
	}
	for _, bc := range []struct{ name, project, text string }{
		{"1KB/through", "through", strings.Repeat("some text ", 100)},
		{"128KB/through", "through", strings.Repeat("The quick brown fox says \"jump\" to the lazy dog;\nnobody moves, and 7 of 9 lines later it ends.\n", 1350)},
		{"115KB/through", "through", string(flows)},
		{"115KB/subindex", "subindex", string(flows)},
	} {
		b.Run(bc.name, func(b *testing.B) {
			url := speedEndpoint(b, bc.text) + "/projects/" + bc.project + "/mcp"
			id := rpc(b, url, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}`)
			rpc(b, url, id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			rpc(b, url, id, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"text","arguments":{}}}`)
			for b.Loop() {
				rpc(b, url, id, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"text","arguments":{}}}`)
			}
		})
	}
}

func speedEndpoint(b *testing.B, text string) string {
	result, err := json.Marshal(map[string]any{"content": []any{map[string]string{"type": "text", "text": text}}})
	if err != nil {
		b.Fatal(err)
	}
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var msg struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&msg) // a GET request has no body
		answers := map[string]string{
			"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"b","version":"1"}}`,
			"tools/list": `{"tools":[{"name":"text","inputSchema":{"type":"object"}}]}`,
			"tools/call": string(result),
		}
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case msg.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, msg.ID, answers[msg.Method])
		}
	}))
	b.Cleanup(up.Close)
	h, err := host.Open(b.Context(), host.Options{Home: homedir.Dir(b.TempDir()), Version: "test"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { h.Close() })
	objects, _, err := object.Decode("speed.yaml", []byte(fmt.Sprintf(speedObjects, up.URL)))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := h.Apply(objects, store.ApplyOptions{}); err != nil {
		b.Fatal(err)
	}
	front := httptest.NewServer(h.Endpoint())
	b.Cleanup(front.Close)
	return front.URL
}

// rpc posts one message and returns the session id of the response.
func rpc(b *testing.B, url, session, body string) string {
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	var text bytes.Buffer
	if _, err := io.Copy(&text, resp.Body); err != nil || resp.StatusCode/100 != 2 || bytes.Contains(text.Bytes(), []byte(`"error"`)) {
		b.Fatalf("%s: %v: %.300s", resp.Status, err, text.Bytes())
	}
	return resp.Header.Get("Mcp-Session-Id")
}
