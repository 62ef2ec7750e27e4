package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// session is a small MCP client over streamable HTTP: the same for every way.
type session struct {
	url    string
	id     string
	next   int
	client *http.Client
	buf    bytes.Buffer
}

func open(ctx context.Context, url string) (*session, error) {
	s := &session{url: url, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}}
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

// call times one tools/call; a result that is an error is an error.
func (s *session) call(ctx context.Context, tool, args string) (time.Duration, error) {
	start := time.Now()
	body, err := s.post(ctx, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
	took := time.Since(start)
	if err == nil && (!bytes.Contains(body, []byte(`"content"`)) || bytes.Contains(body, []byte(`"isError":true`))) {
		err = fmt.Errorf("%s: %s answered %.200s", s.url, tool, body)
	}
	return took, err
}

func (s *session) notify(ctx context.Context, method string) error {
	_, err := s.send(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","method":%q}`, method))
	return err
}

func (s *session) post(ctx context.Context, method, params string) ([]byte, error) {
	s.next++
	return s.send(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.next, method, params))
}

func (s *session) send(ctx context.Context, frame string) ([]byte, error) {
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
