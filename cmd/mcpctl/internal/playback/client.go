package playback

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/mcpctl/mcpctl/host/flow"
)

// client is a session with the endpoint of a project. It keeps the bytes of results,
// which a replay compares.
type client struct {
	http    *http.Client
	url     string
	session string
	last    int // id of the last request
}

// sessionHeader names the session in requests and in the answer to initialize.
const sessionHeader = "Mcp-Session-Id"

// open initializes the session for a client named "name/version".
func (c *client) open(ctx context.Context, label string) error {
	name, version := label, ""
	if i := strings.LastIndexByte(label, '/'); i >= 0 {
		name, version = label[:i], label[i+1:]
	}
	reply, err := c.request(ctx, "initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": name, "version": version},
	})
	if err != nil {
		return err
	}
	if reply.Error != nil {
		return fmt.Errorf("initialize: %s", reply.Error)
	}
	_, err = c.post(ctx, map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return err
}

// request sends a request and returns its result or error, byte for byte.
func (c *client) request(ctx context.Context, method string, params any) (flow.Reply, error) {
	c.last++
	body, err := c.post(ctx, map[string]any{"jsonrpc": "2.0", "id": c.last, "method": method, "params": params})
	if err != nil {
		return flow.Reply{}, err
	}
	for _, msg := range messagesIn(body) {
		var m struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(msg, &m); err == nil && m.ID == c.last && (m.Result != nil || m.Error != nil) {
			return flow.Reply{Result: m.Result, Error: m.Error}, nil
		}
	}
	return flow.Reply{}, fmt.Errorf("%s: no answer", method)
}

// post sends a message and returns the body of the response.
func (c *client) post(ctx context.Context, message any) ([]byte, error) {
	body, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		req.Header.Set(sessionHeader, c.session)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if id := resp.Header.Get(sessionHeader); id != "" {
		c.session = id
	}
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= http.StatusMultipleChoices && len(answer) == 0 {
		err = fmt.Errorf("the endpoint answered %s", resp.Status)
	}
	return answer, err
}

// messagesIn returns the messages of a body: one, or those of server-sent events.
func messagesIn(body []byte) (list [][]byte) {
	if bytes.HasPrefix(body, []byte("{")) {
		return [][]byte{body}
	}
	lines := bufio.NewReader(bytes.NewReader(body))
	for {
		line, err := lines.ReadBytes('\n')
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			list = append(list, bytes.TrimRight(data, "\r\n"))
		}
		if err != nil {
			return list
		}
	}
}
