package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// Results of sending a message to the daemon.
var (
	errSessionGone = errors.New("session ended")
	errNotSent     = errors.New("the mcpctl daemon cannot be reached, nothing was done: see mcpctl status")
	errBroken      = errors.New("the mcpctl daemon ended during this call, which may have run and was not repeated: look before calling again")
	errNoStream    = errors.New("endpoint has no listening stream")
)

// clientDirHeader contains the working directory of the client, to which servers may refer.
const clientDirHeader = "Mcpctl-Client-Cwd"

// continueWait is how long the daemon may take to ask for the body of a request.
const continueWait = 10 * time.Second

// message is the body of a request. It records whether any byte of it was sent: the request
// waits for the daemon's confirmation (Expect: 100-continue), because the socket of a
// daemon that is being killed still accepts connections, and a call that was lost there
// was not run.
type message struct {
	bytes *bytes.Reader
	left  atomic.Bool
}

func (m *message) Read(p []byte) (int, error) {
	m.left.Store(true)
	return m.bytes.Read(p)
}

// send posts one message and passes the messages of the response to got: none, one, or a
// stream. A session without an id receives the one in the response.
func (b *bridge) send(ctx context.Context, s *session, msg jsonrpc.Message, got func(jsonrpc.Message)) error {
	if s == nil {
		s = &session{}
	}
	body := &message{bytes: bytes.NewReader(msg.Append(nil))}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url, body)
	if err != nil {
		return err
	}
	req.ContentLength = body.bytes.Size()
	req.Header.Set("Expect", "100-continue")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	isModern := stateless.IsModern(msg, "")
	if isModern {
		stateless.SetHeaders(req.Header, stateless.VersionIn(msg.Params), msg.Method, msg.Params)
	}
	if b.dir != "" && (isModern || msg.Method == "initialize") {
		req.Header.Set(clientDirHeader, url.PathEscape(b.dir))
	}
	resp, err := b.do(req, s)
	if err != nil && !body.left.Load() {
		return errNotSent
	}
	if err != nil {
		return errBroken
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
	return b.http.Do(req)
}

// receive reads the answer to a posted message.
func receive(resp *http.Response, msg jsonrpc.Message, got func(jsonrpc.Message)) error {
	switch {
	case resp.StatusCode == http.StatusNotFound && msg.Method != "initialize" && !stateless.IsModern(msg, ""):
		return errSessionGone
	case resp.StatusCode == http.StatusAccepted:
		return nil
	case strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream"):
		answered := false
		_ = events(resp.Body, func(m jsonrpc.Message) {
			answered = answered || m.IsResponse() && m.ID == msg.ID
			got(m)
		})
		if msg.IsRequest() && !answered {
			return errBroken
		}
		return nil
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return errBroken
	}
	m, err := jsonrpc.DecodeUpstream(body, jsonrpc.Limits{FrameBytes: maxFrame})
	if err != nil {
		m, err = refusal(body)
	}
	if err != nil {
		return fmt.Errorf("the mcpctl daemon answered %s: %.200q", resp.Status, body)
	}
	if m.ID.IsNull() || m.ID.IsZero() {
		m.ID = msg.ID
	}
	if msg.IsRequest() {
		got(m)
	}
	return nil
}

// refusal decodes an error without the id of a request.
func refusal(body []byte) (jsonrpc.Message, error) {
	o, err := jsonrpc.DecodeObject(body)
	if err != nil {
		return jsonrpc.Message{}, err
	}
	why, ok := o.Get("error")
	if !ok {
		return jsonrpc.Message{}, errors.New("no error")
	}
	return jsonrpc.Message{Error: why}, nil
}

// maxFrame bounds the bridge's memory and nothing else: it is the daemon that
// holds clients and servers to limits.frame, which is at most half of this.
const maxFrame = 512 << 20

// maxEvent bounds one event: a frame, with room for the field name.
const maxEvent = maxFrame + 1024

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
		if m, err := jsonrpc.DecodeUpstream(data, jsonrpc.Limits{FrameBytes: maxFrame}); err == nil {
			got(m)
		}
		data = nil
	}
	return lines.Err()
}
