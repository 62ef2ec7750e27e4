package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// Call sends a request and returns the server's result or error with its bytes
// unchanged. peer receives the requests and notifications that the server sends during
// the call, all of them before Call returns; a nil peer is the Client's own. Call
// replaces a progress token in params and restores it for peer.
//
// Call waits for a server that is starting, up to Config.QueueWait. If the connection
// is lost after the request was sent, Call repeats it only if it is a request of the
// protocol that changes nothing. A tools/call is repeated only if Config.RequestIDHeader
// ensures that the server gets it once at most.
//
// Limits: an answer over Config.FrameBytes becomes a result with isError for
// tools/call, and a JSON-RPC error for other methods.
// Errors: only those of the transport, with the server's name: ErrUnavailable,
// ErrDenied, ErrLimit, or the cause of ctx. A call that ends early is cancelled at the
// server.
func (c *Client) Call(ctx context.Context, method string, params json.RawMessage, peer Peer) (flow.Reply, error) {
	return c.call(ctx, method, params, peer, changesNothing(method))
}

// changesNothing reports whether a request has no side effects, so that it may run twice.
func changesNothing(method string) bool {
	switch method {
	case "ping", "tools/list", "prompts/list", "prompts/get", "resources/list", "resources/templates/list", "resources/read",
		"resources/subscribe", "resources/unsubscribe", "completion/complete", "logging/setLevel",
		"tasks/get", "tasks/list", "tasks/result":
		return true
	}
	return false
}

// CallRepeatable is Call for a tool with readOnlyHint or idempotentHint: if the
// connection breaks during the call, the request is sent a second time.
func (c *Client) CallRepeatable(ctx context.Context, method string, params json.RawMessage, peer Peer) (flow.Reply, error) {
	return c.call(ctx, method, params, peer, true)
}

func (c *Client) call(ctx context.Context, method string, params json.RawMessage, peer Peer, repeatable bool) (flow.Reply, error) {
	if peer == nil {
		peer = c.peer
	}
	m, err := c.callWithRetry(ctx, method, params, peer, repeatable)
	var long *jsonrpc.FrameTooLongError
	switch {
	case errors.As(err, &long):
		c.counts.calls.Add(1)
		return c.tooLong(method, params, long), nil
	case err != nil:
		c.counts.failed.Add(1)
		return flow.Reply{}, fmt.Errorf("server %q: %s: %w", c.cfg.Name, label(method, params), c.scrub.cleanError(c.explain(err)))
	}
	c.counts.calls.Add(1)
	if m.Result != nil {
		c.mu.Lock()
		if c.memory.note(method, params) {
			close(c.relisten)
			c.relisten = make(chan struct{})
		}
		c.mu.Unlock()
	}
	return flow.Reply{Result: m.Result, Error: m.Error, Marks: flow.Marks(m.Marks)}, nil
}

// callWithRetry makes a call, and repeats it once if canRepeat allows it. It does not
// repeat a call to a server that cannot be reached, except for connectionFor.
func (c *Client) callWithRetry(ctx context.Context, method string, params json.RawMessage, peer Peer, repeatable bool) (jsonrpc.Message, error) {
	certain := true // that the call was not executed
	for repeated := false; ; repeated = true {
		l, err := connectionFor(ctx, c, method, certain)
		if err != nil {
			return jsonrpc.Message{}, err
		}
		if usesRoots(method) {
			l.wired().roots.wait(ctx, l.wired().lost)
		}
		m, err := ask(ctx, c, l, method, params, peer)
		if err == nil {
			l.wired().markAnswered()
			return m, nil
		}
		if repeated || ctx.Err() != nil || !canRepeat(err, repeatable) {
			return m, err
		}
		_, isBroken := errors.AsType[*brokenError](err)
		certain = !isBroken
		c.counts.repeated.Add(1)
	}
}

// connectionFor returns the connection for a call. While the team server is away, a tools/call
// through it waits until the connection can be opened again. certain is as for awaitRelay.
func connectionFor(ctx context.Context, c *Client, method string, certain bool) (link, error) {
	if c.cfg.RequestIDHeader != "" && method == "tools/call" {
		return awaitRelay(ctx, c, certain)
	}
	return c.connection(ctx)
}

// connection returns the connection, and waits for it if there is none.
func (c *Client) connection(ctx context.Context) (link, error) {
	c.mu.Lock()
	l := c.link
	c.mu.Unlock()
	if l != nil && l.wired().cause() == nil {
		return l, nil
	}
	limit := time.NewTimer(c.cfg.QueueWait)
	defer limit.Stop()
	return c.await(ctx, limit.C)
}

// canRepeat reports whether a failed call can be sent again, because it did not run or
// may run twice.
func canRepeat(err error, repeatable bool) bool {
	var notSent *notSentError
	var broken *brokenError
	return errors.As(err, &notSent) || errors.Is(err, errSessionLost) || repeatable && errors.As(err, &broken)
}

// request makes one call over one connection.
func (c *Client) request(ctx context.Context, l link, method string, params json.RawMessage, peer Peer) (jsonrpc.Message, error) {
	w := l.wired()
	ctx, cancel := context.WithCancelCause(ctx)
	defer context.AfterFunc(c.life, func() { cancel(errClosed) })()
	o := &call{id: c.lastID.Add(1), method: method, peer: peer, ctx: ctx, cancel: cancel}
	params, o.token = replaceToken(params, o.id)
	defer func() {
		if !o.lingers {
			cancel(nil)
		}
	}()
	if w.boxed {
		o.box = newMailbox(c.cfg.FrameBytes)
	}
	if method == listenMethod { // runs as long as the link
		o.clock = &deadline{}
	} else {
		o.clock = newDeadline(c.cfg.Timeout, c.cfg.MaxTimeout, func() { cancel(errTimeout) })
	}
	defer o.end()
	if err := w.calls.add(o); err != nil {
		return jsonrpc.Message{}, refusalError(err)
	}
	m, err := l.exchange(ctx, o, jsonrpc.Message{ID: jsonrpc.NumberID(o.id), Method: method, Params: params})
	w.calls.take(o.id)
	if err == nil {
		return m, nil
	}
	if ctx.Err() == nil {
		return jsonrpc.Message{}, err
	}
	var notSent *notSentError
	cause := context.Cause(ctx)
	if w.cause() == nil && method != "initialize" && method != "server/discover" && method != listenMethod && !errors.As(err, &notSent) && !w.endsByClosing() {
		c.sendCancelled(l, o.id, cause)
	}
	return jsonrpc.Message{}, cause
}

// refusalError returns the error of a call that its connection does not accept because of err.
func refusalError(err error) error {
	if errors.Is(err, errTooMany) {
		return fmt.Errorf("%w: %w", abi.ErrLimit, err)
	}
	return &notSentError{err}
}

// sendCancelled sends notifications/cancelled for a request, with why as its reason.
func (c *Client) sendCancelled(l link, id int64, why error) {
	params := append([]byte(`{"requestId":`), strconv.FormatInt(id, 10)...)
	params = append(params, `,"reason":`...)
	params = append(jsonspan.AppendQuote(params, []byte(why.Error())), '}')
	c.spawn(func() {
		ctx, cancel := context.WithTimeout(c.life, sendTimeout)
		defer cancel()
		if err := l.send(ctx, jsonrpc.Message{Method: "notifications/cancelled", Params: params}); err != nil {
			c.cfg.Log.Debug("cancellation not sent", "server", c.cfg.Name, "err", err)
		}
	})
}

// Clean removes the server's secrets from a text.
func (c *Client) Clean(text string) string { return c.scrub.clean(text) }

// Shorten is Clean for a text of the server. It returns the beginning of the text on one
// line, without control characters.
func (c *Client) Shorten(text string) string { return c.scrub.shortened(text) }

// CleanError is Clean for an error. The returned error wraps err.
func (c *Client) CleanError(err error) error { return c.scrub.cleanError(err) }

// Notify sends a notification to the server with its params unchanged.
//
// Errors: ErrUnavailable if there is no connection. The notification is then dropped.
func (c *Client) Notify(ctx context.Context, method string, params json.RawMessage) error {
	c.mu.Lock()
	l := c.link
	c.mu.Unlock()
	if l != nil && l.wired().stateless.Load() && method != "notifications/cancelled" {
		return nil // the version has no other notifications of clients
	}
	if l == nil || l.wired().cause() != nil {
		return fmt.Errorf("server %q: %s: %w: not connected", c.cfg.Name, method, abi.ErrUnavailable)
	}
	if err := l.send(ctx, jsonrpc.Message{Method: method, Params: params}); err != nil {
		return fmt.Errorf("server %q: %s: %w", c.cfg.Name, method, c.scrub.cleanError(c.explain(err)))
	}
	return nil
}

// explain adds a kind to an error for the caller. For a deadline it adds the limits, the
// setting that changes them, and the command that restarts the server.
func (c *Client) explain(err error) error {
	switch {
	case errors.Is(err, errTimeout):
		c.counts.timeouts.Add(1)
		return fmt.Errorf("%w: %w (%s without progress, %s in all; set the server's timeout, or if the server hangs: mcpctl restart %s)",
			abi.ErrUnavailable, errTimeout, c.cfg.Timeout, c.cfg.MaxTimeout, c.cfg.Name)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return unavailable(err)
}

// tooLong returns the reply that replaces an answer over the limit.
func (c *Client) tooLong(method string, params json.RawMessage, long *jsonrpc.FrameTooLongError) flow.Reply {
	size := strconv.FormatInt(long.Bytes, 10)
	if long.Bytes <= int64(long.Limit) {
		size = "too many" // the length is unknown, because the rest was not read
	}
	message := fmt.Sprintf("server %q: %s answered %s bytes, limit %d (set limits.frame): ask for less at once", c.cfg.Name, label(method, params), size, long.Limit)
	if method != "tools/call" {
		return flow.Reply{Error: jsonrpc.Errorf(jsonrpc.CodeInternal, "%s", message).Raw()}
	}
	b := jsonspan.AppendQuote([]byte(`{"content":[{"type":"text","text":`), []byte(message))
	return flow.Reply{Result: append(b, `}],"isError":true}`...)}
}

// label describes a call in messages: its method, and the tool, prompt or URI.
func label(method string, params json.RawMessage) string {
	target := text(params, "/name")
	if target == "" {
		target = text(params, "/uri")
	}
	if target == "" {
		return method
	}
	const maxRunes = 100
	if r := []rune(target); len(r) > maxRunes {
		target = string(r[:maxRunes]) + "..."
	}
	return method + " " + target
}
