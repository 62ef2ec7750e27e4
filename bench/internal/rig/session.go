package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Session is a small MCP client over streamable HTTP. It is not safe for concurrent use.
type Session struct {
	url       string
	id        string
	stateless bool // its requests describe themselves, and there is no session at the server
	next      int
	client    *http.Client
	buf       bytes.Buffer
}

// Open starts a session and lists the tools, like real clients.
func Open(ctx context.Context, url string) (*Session, error) {
	s := &Session{url: url, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}}
	_, err := s.post(ctx, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
	if err != nil {
		return nil, err
	}
	if err := s.notify(ctx, "notifications/initialized"); err != nil {
		return nil, err
	}
	_, err = s.post(ctx, "tools/list", `{}`)
	return s, err
}

// statelessMeta is how a client of MCP 2026-07-28 describes itself in each request.
const statelessMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// OpenStateless is Open for MCP 2026-07-28, which has no handshake.
func OpenStateless(ctx context.Context, url string) (*Session, error) {
	s := &Session{url: url, stateless: true, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}}
	_, err := s.post(ctx, "tools/list", "{"+statelessMeta+"}")
	return s, err
}

// Call makes one tools/call with arguments in JSON and returns the response message
// undecoded. The bytes are valid until the next call.
func (s *Session) Call(ctx context.Context, tool, args string) ([]byte, error) {
	if s.stateless {
		return s.post(ctx, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s,%s}`, tool, args, statelessMeta), tool)
	}
	return s.post(ctx, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
}

func (s *Session) notify(ctx context.Context, method string) error {
	_, err := s.send(ctx, method, fmt.Sprintf(`{"jsonrpc":"2.0","method":%q}`, method))
	return err
}

func (s *Session) post(ctx context.Context, method, params string, name ...string) ([]byte, error) {
	s.next++
	return s.send(ctx, method, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.next, method, params), name...)
}

// send posts a frame. name is that of the tool it calls, if any.
func (s *Session) send(ctx context.Context, method, frame string, name ...string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(frame))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if s.id != "" {
		req.Header.Set("Mcp-Session-Id", s.id)
		req.Header.Set("MCP-Protocol-Version", "2025-11-25")
	}
	if s.stateless {
		req.Header.Set("MCP-Protocol-Version", "2026-07-28")
		req.Header.Set("Mcp-Method", method)
		req.Header["Mcp-Name"] = name
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		s.id = id
	}
	s.buf.Reset()
	if _, err := io.Copy(&s.buf, resp.Body); err != nil {
		return nil, fmt.Errorf("%s: after %d bytes: %w", s.url, s.buf.Len(), err)
	}
	if resp.StatusCode/100 != 2 {
		return nil, fmt.Errorf("%s: %s: %.200s", s.url, resp.Status, s.buf.Bytes())
	}
	return s.buf.Bytes(), nil
}

// Answer is the result of a tool: its text and the metadata of mcpctl.
type Answer struct {
	Text    string
	IsError bool
	Meta    Meta
}

// Meta is the part of a result's _meta that distinguishes an index from a leaf.
type Meta struct {
	Kind    string   `json:"mcpctl/kind"`
	Ref     string   `json:"mcpctl/ref"`
	Bytes   *[2]int  `json:"mcpctl/bytes"`
	Literal *[2]int  `json:"mcpctl/literal"`
	Offers  []string `json:"mcpctl/offers"`
}

// Ask makes one tools/call and decodes its result.
func (s *Session) Ask(ctx context.Context, tool string, args any) (Answer, error) {
	params, err := json.Marshal(args)
	if err != nil {
		return Answer{}, err
	}
	body, err := s.Call(ctx, tool, string(params))
	if err != nil {
		return Answer{}, err
	}
	var msg struct {
		Error  json.RawMessage
		Result struct {
			Content []struct{ Text string }
			IsError bool
			Meta    Meta `json:"_meta"`
		}
	}
	if err := json.Unmarshal(messageOf(body), &msg); err != nil {
		return Answer{}, fmt.Errorf("%s: %s answered %.200q: %w", s.url, tool, body, err)
	}
	if msg.Error != nil {
		return Answer{}, fmt.Errorf("%s: %s answered %s", s.url, tool, msg.Error)
	}
	a := Answer{IsError: msg.Result.IsError, Meta: msg.Result.Meta}
	for _, block := range msg.Result.Content {
		a.Text += block.Text
	}
	return a, nil
}

// messageOf returns the message in a body: the body itself, or the last event of a stream.
func messageOf(body []byte) []byte {
	if bytes.HasPrefix(body, []byte("{")) {
		return body
	}
	var last []byte
	for line := range bytes.Lines(body) {
		if d, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			last = d
		}
	}
	return last
}
