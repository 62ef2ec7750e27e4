package mcp

import (
	"context"
	"errors"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// maxAttempts bounds how often a request looks for a daemon that takes it.
const maxAttempts = 3

// request carries one request of the client's session until it is answered, over a new
// session if that one is gone.
func (b *bridge) request(ctx context.Context, msg jsonrpc.Message) {
	b.carryOver(ctx, b.current(), msg, func(gone *session) (*session, error) { return b.renew(ctx, gone, b.ensure) })
}

// requestStateless carries one request of a client without a session until it is answered.
func (b *bridge) requestStateless(ctx context.Context, msg jsonrpc.Message) {
	b.carryOver(ctx, nil, msg, func(*session) (*session, error) { return nil, b.ensure(ctx) })
}

// carryOver sends a request over a session, nil for none. If the daemon certainly has not
// processed it, or may process it twice, it is sent again after renew.
func (b *bridge) carryOver(ctx context.Context, s *session, msg jsonrpc.Message, renew func(gone *session) (*session, error)) {
	got := b.write
	if msg.Method == "tools/list" {
		got = func(m jsonrpc.Message) {
			b.harmless.note(m.Result)
			b.write(m)
		}
	}
	err := b.send(ctx, s, msg, got)
	for range maxAttempts - 1 {
		if !b.repeatable(err, msg) || ctx.Err() != nil {
			break
		}
		if s, err = renew(s); err == nil {
			err = b.send(ctx, s, msg, got)
		}
	}
	switch {
	case err == nil, ctx.Err() != nil:
	case msg.Method == "tools/call":
		b.fail(msg, err)
	default:
		b.refuse(msg.ID, err)
	}
}

// repeatable reports whether a message certainly was not processed, or may be processed twice.
func (b *bridge) repeatable(err error, msg jsonrpc.Message) bool {
	if errors.Is(err, errSessionGone) || errors.Is(err, errNotSent) {
		return true
	}
	return errors.Is(err, errBroken) && (msg.Method != "tools/call" || b.harmless.calls(msg))
}

// fail answers a tools/call that no daemon answers as the failure of a tool, which the
// model reads. Versions without sessions require the type of the result.
func (b *bridge) fail(msg jsonrpc.Message, err error) {
	var rpc *jsonrpc.Error
	if errors.As(err, &rpc) {
		b.refuse(msg.ID, err)
		return
	}
	result := jsonspan.AppendQuote([]byte(`{"content":[{"type":"text","text":`), []byte(err.Error()))
	end := `}],"isError":true}`
	if stateless.IsModern(msg, "") {
		end = `}],"isError":true,"resultType":"complete"}`
	}
	b.write(jsonrpc.Message{ID: msg.ID, Result: append(result, end...)})
}

// codeServer is the endpoint's error code for a request that it cannot serve now.
const codeServer = -32000

// refuse answers a request with an error, in the client's terms.
func (b *bridge) refuse(id jsonrpc.ID, err error) {
	var rpc *jsonrpc.Error
	if !errors.As(err, &rpc) {
		rpc = jsonrpc.Errorf(codeServer, "%v", err)
	}
	if id.IsZero() {
		id = jsonrpc.NullID()
	}
	b.write(jsonrpc.Message{ID: id, Error: rpc.Raw()})
}
