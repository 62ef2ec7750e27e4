package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// What can become of a message on its way to the daemon.
var (
	errSessionGone = errors.New("session ended")
	errNotSent     = errors.New("daemon not reachable")
	errBroken      = errors.New("daemon went away in mid-call; the call may have run and was not repeated")
	errNoStream    = errors.New("endpoint has no listening stream")
)

// send posts one message and hands over what comes back: nothing, one message,
// or a stream of them. A session without id takes the one the answer carries.
func (b *bridge) send(ctx context.Context, s *session, msg jsonrpc.Message, got func(jsonrpc.Message)) error {
	if s == nil {
		s = &session{}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url, bytes.NewReader(msg.Append(nil)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := b.do(req, s)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" && s.id == "" {
		s.id = id
	}
	return receive(resp, msg, got)
}

// stream opens the listening stream and hands over its messages until it ends.
func (b *bridge) stream(ctx context.Context, s *session, got func(jsonrpc.Message)) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := b.do(req, s)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		return events(resp.Body, got)
	case http.StatusNotFound:
		return errSessionGone
	case http.StatusMethodNotAllowed:
		return errNoStream
	}
	return fmt.Errorf("daemon answered %s", resp.Status)
}

func (b *bridge) delete(ctx context.Context, s *session) {
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, b.url, nil)
	if err != nil {
		return
	}
	if resp, err := b.do(req, s); err == nil { // else it ends by its idle time
		resp.Body.Close()
	}
}

func (b *bridge) do(req *http.Request, s *session) (*http.Response, error) {
	if s.id != "" {
		req.Header.Set("Mcp-Session-Id", s.id)
	}
	if s.version != "" {
		req.Header.Set("MCP-Protocol-Version", s.version)
	}
	resp, err := b.http.Do(req)
	if err == nil {
		return resp, nil
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return nil, fmt.Errorf("%w: %v", errNotSent, err)
	}
	return nil, fmt.Errorf("%w: %v", errBroken, err)
}

// receive reads the answer to a posted message.
func receive(resp *http.Response, msg jsonrpc.Message, got func(jsonrpc.Message)) error {
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return errSessionGone
	case resp.StatusCode == http.StatusAccepted:
		return nil
	case strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream"):
		answered := false
		err := events(resp.Body, func(m jsonrpc.Message) {
			answered = answered || m.IsResponse() && m.ID == msg.ID
			got(m)
		})
		if msg.IsRequest() && !answered {
			return fmt.Errorf("%w: %v", errBroken, err)
		}
		return nil
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%w: %v", errBroken, err)
	}
	m, err := jsonrpc.DecodeUpstream(body, jsonrpc.Limits{})
	if err != nil {
		return fmt.Errorf("daemon answered %s: %.200s", resp.Status, body)
	}
	if m.ID.IsNull() || m.ID.IsZero() {
		m.ID = msg.ID
	}
	if msg.IsRequest() {
		got(m)
	}
	return nil
}

// maxEvent bounds one event: a frame, with room for the field name.
const maxEvent = jsonrpc.DefaultFrameBytes + 1024

// events reads a stream of server-sent events, each with one message.
func events(body io.Reader, got func(jsonrpc.Message)) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 64<<10), maxEvent)
	var data []byte
	for lines.Scan() {
		line := lines.Bytes()
		if rest, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(data, bytes.TrimPrefix(rest, []byte(" "))...)
			continue
		}
		if len(line) > 0 || len(data) == 0 {
			continue
		}
		// The message keeps parts of the text: the next one gets its own.
		if m, err := jsonrpc.DecodeUpstream(data, jsonrpc.Limits{}); err == nil {
			got(m)
		}
		data = nil
	}
	return lines.Err()
}
