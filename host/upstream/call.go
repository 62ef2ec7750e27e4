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

// Call sends a request and returns what the server answered, a result or an
// error, as the bytes that came. peer gets what the server asks and tells while
// the call runs, all of it before Call returns; nil stands for the Client's own.
// A progress token in params is replaced on the way and put back for peer.
//
// A server that is starting is waited for (Config.QueueWait). A call that may
// have reached a server which then was lost is sent again only if it is one of
// the protocol's requests that change nothing: a tools/call is not.
//
// Limits: an answer over Config.FrameBytes becomes, for tools/call, a result with
// isError that says so, else an error of the server's kind.
// Errors: of the transport only, with the server's name: ErrUnavailable,
// ErrDenied, ErrLimit, or what ended ctx. The server is told that it need not
// answer any more.
func (c *Client) Call(ctx context.Context, method string, params json.RawMessage, peer Peer) (flow.Reply, error) {
	return c.call(ctx, method, params, peer, changesNothing(method))
}

// changesNothing tells the requests that may run twice.
func changesNothing(method string) bool {
	switch method {
	case "ping", "tools/list", "prompts/list", "prompts/get", "resources/list", "resources/templates/list", "resources/read",
		"resources/subscribe", "resources/unsubscribe", "completion/complete", "logging/setLevel",
		"tasks/get", "tasks/list", "tasks/result":
		return true
	}
	return false
}

// CallRepeatable is Call for a tool that says readOnlyHint or idempotentHint: if
// the connection breaks while it runs, it is sent once more.
func (c *Client) CallRepeatable(ctx context.Context, method string, params json.RawMessage, peer Peer) (flow.Reply, error) {
	return c.call(ctx, method, params, peer, true)
}

func (c *Client) call(ctx context.Context, method string, params json.RawMessage, peer Peer, repeatable bool) (flow.Reply, error) {
	if peer == nil {
		peer = c.peer
	}
	m, err := c.callOnceMore(ctx, method, params, peer, repeatable)
	var long *jsonrpc.FrameTooLongError
	switch {
	case errors.As(err, &long):
		c.counts.calls.Add(1)
		return c.tooLong(method, params, long), nil
	case err != nil:
		c.counts.failed.Add(1)
		return flow.Reply{}, fmt.Errorf("server %q: %s: %w", c.cfg.Name, label(method, params), c.scrub.error(c.explain(err)))
	}
	c.counts.calls.Add(1)
	if m.Result != nil {
		c.mu.Lock()
		c.memory.note(method, params)
		c.mu.Unlock()
	}
	return flow.Reply{Result: m.Result, Error: m.Error, Marks: flow.Marks(m.Marks)}, nil
}

// callOnceMore makes a call. One that the connection did not take, or that was lost
// with it, is sent a second time if that does no harm. A server that cannot be
// reached is not tried again.
func (c *Client) callOnceMore(ctx context.Context, method string, params json.RawMessage, peer Peer, repeatable bool) (jsonrpc.Message, error) {
	for repeated := false; ; repeated = true {
		l, err := c.connection(ctx)
		if err != nil {
			return jsonrpc.Message{}, err
		}
		if usesRoots(method) {
			l.wired().roots.wait(ctx, l.wired().lost)
		}
		m, err := c.request(ctx, l, method, params, peer)
		if err == nil {
			l.wired().markAnswered()
			return m, nil
		}
		if repeated || ctx.Err() != nil || !canRepeat(err, repeatable) {
			return m, err
		}
		c.counts.repeated.Add(1)
	}
}

// connection returns the connection at once if there is one, else waits for it.
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

// canRepeat reports whether a call that failed can be sent again: it did not run,
// or may run twice.
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
	params, o.token = withOurToken(params, o.id)
	defer func() {
		if !o.lingers {
			cancel(nil)
		}
	}()
	if w.boxed {
		o.box = newMailbox(c.cfg.FrameBytes)
	}
	o.clock = newDeadline(c.cfg.Timeout, c.cfg.MaxTimeout, func() { cancel(errTimeout) })
	defer o.end()
	if err := w.calls.add(o); err != nil {
		return jsonrpc.Message{}, refused(err)
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
	if w.cause() == nil && method != "initialize" && !errors.As(err, &notSent) {
		c.sendCancelled(l, o.id, cause)
	}
	return jsonrpc.Message{}, cause
}

// refused makes the reason why a connection takes no call an error of it.
func refused(err error) error {
	if errors.Is(err, errTooMany) {
		return fmt.Errorf("%w: %w", abi.ErrLimit, err)
	}
	return &notSentError{err}
}

// sendCancelled tells the server that nobody waits for an answer any more.
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

// Clean removes the server's secrets from a text that is about to be shown.
func (c *Client) Clean(text string) string { return c.scrub.clean(text) }

// Shorten is Clean for words of the server: their beginning, in one line and without
// control characters.
func (c *Client) Shorten(text string) string { return c.scrub.shortened(text) }

// CleanError is Clean for an error. errors.Is and errors.As find what they find in err.
func (c *Client) CleanError(err error) error { return c.scrub.error(err) }

// Notify sends a notification to the server as it is.
//
// Errors: ErrUnavailable if there is no connection: what it would have told is
// not kept.
func (c *Client) Notify(ctx context.Context, method string, params json.RawMessage) error {
	c.mu.Lock()
	l := c.link
	c.mu.Unlock()
	if l == nil {
		return fmt.Errorf("server %q: %s: %w: not connected", c.cfg.Name, method, abi.ErrUnavailable)
	}
	if err := l.send(ctx, jsonrpc.Message{Method: method, Params: params}); err != nil {
		return fmt.Errorf("server %q: %s: %w", c.cfg.Name, method, c.scrub.error(c.explain(err)))
	}
	return nil
}

// explain makes an error fit for a caller: a kind, and for a deadline the figure
// and where it is set.
func (c *Client) explain(err error) error {
	switch {
	case errors.Is(err, errTimeout):
		c.counts.timeouts.Add(1)
		return fmt.Errorf("%w: %w (%s without progress, %s in all; set the server's timeout)",
			abi.ErrUnavailable, errTimeout, c.cfg.Timeout, c.cfg.MaxTimeout)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return unavailable(err)
}

// tooLong is the answer in place of one that was over the limit.
func (c *Client) tooLong(method string, params json.RawMessage, long *jsonrpc.FrameTooLongError) flow.Reply {
	size := strconv.FormatInt(long.Bytes, 10)
	if long.Bytes <= int64(long.Limit) {
		size = "too many" // the server did not say how many, and nobody read on
	}
	said := fmt.Sprintf("server %q: %s answered %s bytes, limit %d (set limits.frame): ask for less at once", c.cfg.Name, label(method, params), size, long.Limit)
	if method != "tools/call" {
		return flow.Reply{Error: jsonrpc.Errorf(jsonrpc.CodeInternal, "%s", said).Raw()}
	}
	b := jsonspan.AppendQuote([]byte(`{"content":[{"type":"text","text":`), []byte(said))
	return flow.Reply{Result: append(b, `}],"isError":true}`...)}
}

// label names a call for people: its method, and the tool, prompt or URI.
func label(method string, params json.RawMessage) string {
	what := text(params, "/name")
	if what == "" {
		what = text(params, "/uri")
	}
	if what == "" {
		return method
	}
	const most = 100
	if r := []rune(what); len(r) > most {
		what = string(r[:most]) + "..."
	}
	return method + " " + what
}
