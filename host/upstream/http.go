package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// httpLink is a link to one session of a streamable HTTP server. A request runs in the
// goroutine of its caller. One more goroutine reads the GET stream.
type httpLink struct {
	*wire
	to *endpoint

	mu     sync.Mutex
	posted http.Header // of every POST; replaced, never changed
	id     string      // of the session; "" if the server has none

	lingering chan struct{} // one element for each stream that is still read after its answer

	live context.Context // ends with close
	end  context.CancelFunc
	once sync.Once
	work sync.WaitGroup
}

func newHTTPLink(s *shared, to *endpoint) *httpLink {
	h := &httpLink{to: to, posted: maps.Clone(to.header), lingering: make(chan struct{}, maxLingering)}
	h.posted.Set("Content-Type", "application/json")
	h.posted.Set("Accept", "application/json, text/event-stream")
	h.live, h.end = context.WithCancel(s.life)
	h.wire = newWire(s, h.send)
	h.closes = true
	return h
}

func (h *httpLink) wired() *wire { return h.wire }

// opened adds the protocol version to the headers of later requests, and opens the
// stream for messages that belong to no call.
func (h *httpLink) opened(protocol string) {
	h.setHeader("MCP-Protocol-Version", protocol)
	h.work.Go(h.listen)
}

func (h *httpLink) setHeader(name, value string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	next := maps.Clone(h.posted)
	next.Set(name, value)
	h.posted = next
}

func (h *httpLink) header() http.Header {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.posted
}

// close ends the stream and the session, unless the server has lost the session.
func (h *httpLink) close() {
	h.once.Do(func() {
		h.end()
		if id := h.sessionID(); id != "" && !errors.Is(h.cause(), errSessionLost) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(h.shared.life), grace)
			defer cancel()
			if resp, err := h.do(ctx, http.MethodDelete, h.header(), nil); err == nil {
				_ = resp.Body.Close()
			}
		}
	})
	h.work.Wait()
	h.closeIdle()
}

// closeIdle closes the idle connections, unless they are of a transport of the caller.
func (h *httpLink) closeIdle() {
	if h.shared.cfg.Transport == nil {
		h.to.client.CloseIdleConnections()
	}
}

func (h *httpLink) sessionID() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.id
}

// do sends one HTTP request. Headers are shared between requests, because net/http only
// reads them.
func (h *httpLink) do(ctx context.Context, method string, header http.Header, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http:", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.URL, req.Host, req.Header = h.to.url, h.to.url.Host, header
	resp, err := h.to.client.Do(req)
	if err != nil {
		return nil, h.netError(ctx, err)
	}
	return resp, nil
}

// netError returns a *dialError for a server that was not reached, and a *brokenError for
// a connection that broke.
func (h *httpLink) netError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // outer contains the URL, which may hold a secret
	}
	var op *net.OpError
	var permanent *permanentError
	switch {
	case errors.As(err, &permanent):
		return err
	case errors.As(err, &op) && op.Op == "dial":
		return &dialError{fmt.Errorf("cannot connect: %w", dialCause(op))}
	}
	h.closeIdle() // a server that restarts breaks all of them, and a repeated call must not use one
	return &brokenError{fmt.Errorf("connection broke: %w", withoutAddresses(err))}
}

// dialCause returns the reason why a connection was not opened. For a timeout it includes
// the limit.
func dialCause(op *net.OpError) error {
	var dns *net.DNSError
	if op.Timeout() && !errors.As(op, &dns) {
		return fmt.Errorf("no answer within %s", dialTimeout)
	}
	return withoutAddresses(op)
}

// withoutAddresses returns the cause of a network error without the addresses of its
// sockets, which are of no use to a client.
func withoutAddresses(err error) error {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return fmt.Errorf("look-up of host %q: %s", dns.Name, dns.Err)
	}
	for op := (*net.OpError)(nil); errors.As(err, &op) && op.Err != nil; {
		err = op.Err
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		return call.Err
	}
	return err
}

// retireIfAway marks the link as lost if err is that the server could not be reached.
func (h *httpLink) retireIfAway(err error) {
	if e, ok := errors.AsType[*dialError](err); ok {
		h.retire(e)
	}
}

func (h *httpLink) send(ctx context.Context, m jsonrpc.Message) error {
	resp, err := h.post(ctx, m, "")
	if err != nil {
		h.retireIfAway(err)
		return err
	}
	return resp.Body.Close()
}

// post sends a message and returns the response if its status is 2xx. id is sent in the header
// Config.RequestIDHeader, unless it is "".
func (h *httpLink) post(ctx context.Context, m jsonrpc.Message, id string) (*http.Response, error) {
	header := h.header()
	if h.stateless.Load() {
		header = maps.Clone(header)
		stateless.SetHeaders(header, stateless.Version, m.Method, m.Params)
		if m.Method == "tools/call" {
			h.tools.Set(header, m.Params)
		}
	}
	if name, id := h.shared.cfg.TraceHeader, flow.Trace(ctx); name != "" && id != "" && m.Method == "tools/call" {
		header = maps.Clone(header)
		header.Set(name, id)
	}
	if id != "" {
		header = maps.Clone(header)
		header.Set(h.shared.cfg.RequestIDHeader, id)
	}
	resp, err := h.do(ctx, http.MethodPost, header, m.Append(make([]byte, 0, m.Size())))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, h.statusError(resp, m)
}

// answeredError is a JSON-RPC error in the body of a response with an error status.
type answeredError struct{ m jsonrpc.Message }

func (e *answeredError) Error() string { return jsonrpc.ReadError(e.m.Error).Error() }

// statusError returns the error of a response whose status is not 2xx.
func (h *httpLink) statusError(resp *http.Response, m jsonrpc.Message) error {
	const maxBytes = 64 << 10
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxBytes))
	if h.sessionID() != "" && isSessionLost(resp.StatusCode, body) {
		h.retire(errSessionLost)
		return errSessionLost
	}
	if answer, err := jsonrpc.DecodeUpstream(body, jsonrpc.Limits{}); err == nil && answer.Error != nil && !m.ID.IsZero() && answer.ID == m.ID {
		return &answeredError{answer}
	}
	err := fmt.Errorf("HTTP status %d %s%s", resp.StatusCode, http.StatusText(resp.StatusCode), h.shared.scrub.quoted(body))
	if explain := h.shared.cfg.Refusal; explain != nil {
		if explained := explain(resp.StatusCode, body); explained != nil {
			err = explained
		}
		if failed := h.relayError(resp, err); failed != nil {
			return failed
		}
		switch resp.StatusCode {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
			return &permanentError{err}
		}
	}
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return &permanentError{fmt.Errorf("%w: %w%s (set headers in the server's spec, such as Authorization: \"Bearer ${NAME}\", and mcpctl config set-secret NAME)",
			abi.ErrDenied, err, h.challenge(resp))}
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusUnsupportedMediaType:
		return &permanentError{fmt.Errorf("%w (is this the server's MCP endpoint?)", err)}
	}
	return err
}

// challenge describes the WWW-Authenticate header of a refusal.
func (h *httpLink) challenge(resp *http.Response) string {
	challenge := strings.Join(resp.Header.Values("WWW-Authenticate"), ", ")
	if challenge == "" {
		return ""
	}
	return ", it asks for " + h.shared.scrub.shortened(challenge)
}

// isSessionLost reports whether a refusal means that the session is lost: the status is 404.
// Servers based on the example of the TypeScript SDK answer 400 with a JSON-RPC error
// that has a null id and mentions the session.
func isSessionLost(status int, body []byte) bool {
	if status != http.StatusBadRequest {
		return status == http.StatusNotFound
	}
	m, err := jsonrpc.DecodeUpstream(body, jsonrpc.Limits{})
	return err == nil && m.ID.IsNull() && strings.Contains(strings.ToLower(jsonrpc.ReadError(m.Error).Message), "session")
}

// exchange implements link.
func (h *httpLink) exchange(ctx context.Context, c *call, m jsonrpc.Message) (jsonrpc.Message, error) {
	try := func(id string) (jsonrpc.Message, error) { return h.exchangeOnce(ctx, c, m, id) }
	var answer jsonrpc.Message
	var err error
	if h.shared.cfg.RequestIDHeader != "" && m.Method == "tools/call" {
		answer, err = h.repeat(ctx, try)
	} else {
		answer, err = try("")
	}
	h.retireIfAway(err)
	return answer, err
}

// exchangeOnce posts a request and reads its answer, which is one JSON text or the last event
// of a stream. id is as for post.
func (h *httpLink) exchangeOnce(ctx context.Context, c *call, m jsonrpc.Message, id string) (jsonrpc.Message, error) {
	resp, err := h.post(ctx, m, id)
	var answered *answeredError
	if errors.As(err, &answered) {
		return answered.m, nil
	}
	if err != nil {
		return jsonrpc.Message{}, err
	}
	if c.method == "initialize" {
		h.setSession(resp.Header.Get("Mcp-Session-Id"))
	}
	kind := strings.ToLower(resp.Header.Get("Content-Type"))
	if strings.HasPrefix(kind, "text/event-stream") {
		return h.stream(ctx, c, resp)
	}
	defer resp.Body.Close()
	switch {
	case strings.HasPrefix(kind, "application/json"):
		return h.single(ctx, c, resp)
	case resp.StatusCode == http.StatusAccepted:
		return jsonrpc.Message{}, errors.New("server accepted the request, but did not answer it")
	default:
		return jsonrpc.Message{}, fmt.Errorf("answer of content type %.60q, want application/json or text/event-stream", kind)
	}
}

// setSession stores the id of the session if it is valid: visible ASCII, at most maxHeader
// bytes.
func (h *httpLink) setSession(id string) {
	if id == "" || len(id) > maxHeader || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return
	}
	h.setHeader("Mcp-Session-Id", id)
	h.mu.Lock()
	h.id = id
	h.mu.Unlock()
}

// single reads an answer that is a single JSON text.
func (h *httpLink) single(ctx context.Context, c *call, resp *http.Response) (jsonrpc.Message, error) {
	limit := h.shared.cfg.FrameBytes
	body, err := jsonrpc.ReadBody(resp.Body, resp.ContentLength, limit)
	var long *jsonrpc.FrameTooLongError
	switch {
	case errors.As(err, &long):
		h.shared.counts.tooLong.Add(1)
		return jsonrpc.Message{}, err
	case err != nil:
		return jsonrpc.Message{}, h.netError(ctx, err)
	}
	m, err := jsonrpc.DecodeUpstream(body, jsonrpc.Limits{FrameBytes: limit})
	if err != nil {
		h.shared.noteGarbage(body, err)
		return jsonrpc.Message{}, fmt.Errorf("invalid answer: %w", err)
	}
	if !m.IsResponse() || !isAnswerTo(m, c) {
		h.receive(m, c)
		return jsonrpc.Message{}, errors.New("answer to another request")
	}
	return m, nil
}

// isAnswerTo reports whether m is the answer to c. A server that could not decode the
// request answers with a null id.
func isAnswerTo(m jsonrpc.Message, c *call) bool {
	return m.ID == jsonrpc.NumberID(c.id) || m.ID.IsNull() && m.Error != nil
}
