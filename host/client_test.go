package host

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
)

// client is one session of an MCP client over HTTP.
type client struct {
	url, session string
	hello        []byte // the result of initialize
	id           atomic.Int64
}

// answer is a tools/call result as received by a client, or an error.
type answer struct {
	raw     []byte
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
	Meta       flow.AnswerMeta `json:"_meta"`
	rpc        string          // message of a JSON-RPC error
}

// text returns the first text block, or the message of the error.
func (a answer) text() string {
	if a.rpc != "" {
		return a.rpc
	}
	if len(a.Content) == 0 {
		return ""
	}
	return a.Content[0].Text
}

// dial opens a session with the project "home".
func (r *rig) dial(t testing.TB) *client {
	t.Helper()
	return r.dialAs(t, "test")
}

// dialAs opens a session as a client with this name.
func (r *rig) dialAs(t testing.TB, name string) *client {
	t.Helper()
	c := &client{url: r.web.URL + "/projects/home/mcp"}
	res, body, err := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"` + name + `","version":"1"}}}`)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("initialize: %v %s", err, body)
	}
	c.session, c.hello = res.Header.Get("Mcp-Session-Id"), body
	if res, _, err := c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil || res.StatusCode != http.StatusAccepted {
		t.Fatalf("initialized: %v", err)
	}
	return c
}

func (c *client) request(method, body string) (*http.Request, error) {
	req, err := http.NewRequest(method, c.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	return req, nil
}

func (c *client) post(body string) (*http.Response, []byte, error) {
	req, err := c.request(http.MethodPost, body)
	if err != nil {
		return nil, nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		b = lastEvent(b)
	}
	return res, b, err
}

// lastEvent returns the data of the last event of a stream, which is the response.
func lastEvent(b []byte) []byte {
	var data []byte
	for line := range bytes.Lines(b) {
		if d, ok := bytes.CutPrefix(line, []byte("data:")); ok && len(bytes.TrimSpace(d)) > 0 {
			data = bytes.TrimSpace(d)
		}
	}
	return data
}

// try calls a method. err is an error of the transport.
func (c *client) try(method, params string) (result json.RawMessage, rpc string, err error) {
	_, body, err := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.id.Add(1), method, params))
	if err != nil {
		return nil, "", err
	}
	var m struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, "", fmt.Errorf("%w: %.200s", err, body)
	}
	if m.Error != nil {
		return nil, m.Error.Message, nil
	}
	return m.Result, "", nil
}

// tryTool calls a tool by its wire name.
func (c *client) tryTool(name, arguments string) (a answer, err error) {
	raw, rpc, err := c.try("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
	if err != nil || rpc != "" {
		return answer{rpc: rpc}, err
	}
	a.raw = raw
	return a, json.Unmarshal(raw, &a)
}

func (c *client) tool(t testing.TB, name, arguments string) answer {
	t.Helper()
	a, err := c.tryTool(name, arguments)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return a
}

// section calls read_section.
func (c *client) section(t testing.TB, ref, section string) answer {
	t.Helper()
	return c.tool(t, "read_section", marshal(t, map[string]string{"ref": ref, "section": section}))
}

// tools returns the listed wire names.
func (c *client) tools(t testing.TB) string {
	t.Helper()
	raw, rpc, err := c.try("tools/list", `{}`)
	if err != nil || rpc != "" {
		t.Fatal(err, rpc)
	}
	var l struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range l.Tools {
		names = append(names, tool.Name)
	}
	return strings.Join(names, " ")
}

// listen opens the stream of the session and returns the methods of its
// notifications. It ends with the test or the session.
func (c *client) listen(t testing.TB) <-chan string {
	t.Helper()
	req, err := c.request(http.MethodGet, "")
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(req.WithContext(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	methods := make(chan string, 100)
	go func() {
		defer res.Body.Close()
		defer close(methods)
		for s := bufio.NewScanner(res.Body); s.Scan(); {
			var m struct{ Method string }
			if data, ok := strings.CutPrefix(s.Text(), "data:"); ok && json.Unmarshal([]byte(data), &m) == nil && m.Method != "" {
				methods <- m.Method
			}
		}
	}()
	return methods
}
