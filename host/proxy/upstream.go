package proxy

import (
	"context"
	"encoding/json"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// Upstreams connects sessions to servers.
//
// Implementations are safe for concurrent use.
type Upstreams interface {
	// For returns the connection of a session to one server: its own, or the common one
	// if the server is shared. It does not wait for the server. Messages of the server
	// outside of any call go to peer until the Upstream is closed.
	//
	// A server that is not shared gets exactly the client's capabilities, a shared one
	// none.
	//
	// Errors: abi.ErrNotFound, abi.ErrConfig if there can be no connection.
	For(ctx context.Context, scope flow.Scope, server Server, client Client, peer Peer) (Upstream, error)
}

// ConfigError explains why a server cannot be reached for one client. The client may
// read it: it quotes no file and no credential. errors.Is finds abi.ErrConfig.
type ConfigError struct{ Why string }

func (e *ConfigError) Error() string { return e.Why }

// Unwrap returns abi.ErrConfig.
func (e *ConfigError) Unwrap() error { return abi.ErrConfig }

// Upstream is one MCP server as one session sees it. It reconnects by itself, restores
// the log level and the subscriptions, and then sends peer the list_changed of each
// list that it has, because the lists may have changed.
//
// An Upstream that implements Clean(text string) string removes the server's secrets
// from a text with it.
//
// Implementations are safe for concurrent use.
type Upstream interface {
	// Call sends a request and waits for the answer, at most until ctx or the server's own
	// deadline ends; the server then gets notifications/cancelled. It waits a bounded time
	// for a server that is starting.
	//
	// peer receives the server's messages that belong to this call, and progress with the
	// token of params, all of it before Call returns.
	//
	// Errors: only of the connection, with a text that names the server and is fit for a
	// client. A JSON-RPC error of the server is a Reply.
	Call(ctx context.Context, method string, params json.RawMessage, peer Peer) (flow.Reply, error)
	// CallRepeatable is Call for a request that may run twice: it is sent again if the
	// connection breaks while it runs.
	CallRepeatable(ctx context.Context, method string, params json.RawMessage, peer Peer) (flow.Reply, error)
	// Notify sends a notification.
	Notify(ctx context.Context, method string, params json.RawMessage) error
	// Ready waits until the server can be called.
	Ready(ctx context.Context) error
	// Capabilities returns the server's declaration, nil before its first handshake.
	Capabilities() json.RawMessage
	// Instructions returns the server's instructions, "" before its first handshake.
	Instructions() string
	// Close ends the session's use of the connection and waits for that. Running calls end
	// with an error. It can be called twice.
	Close() error
}

// Peer is the session as an Upstream sees it.
//
// It is safe for concurrent use. Neither method keeps params after it has returned.
type Peer interface {
	// Request asks the client (sampling, elicitation, roots) and waits for the answer. It
	// ends with ctx; the client is then notified.
	Request(ctx context.Context, method string, params json.RawMessage) flow.Reply
	// Notify passes a notification on. It never waits for the client.
	Notify(method string, params json.RawMessage)
}

// cleaner removes the secrets of a server from a text.
type cleaner interface{ Clean(text string) string }

// background is an Upstream for requests that belong to no client's request. It
// implements catalog.Upstream.
type background struct{ Upstream }

// Ask sends a request.
func (b background) Ask(ctx context.Context, method string, params json.RawMessage) (flow.Reply, error) {
	return b.Call(ctx, method, params, noPeer{})
}

// Clean removes the server's secrets from a text.
func (b background) Clean(text string) string {
	if c, ok := b.Upstream.(cleaner); ok {
		return c.Clean(text)
	}
	return text
}

// noPeer refuses the requests of a server and ignores its notifications.
type noPeer struct{}

func (noPeer) Request(context.Context, string, json.RawMessage) flow.Reply {
	return flow.Reply{Error: jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "no client is waiting for this").Raw()}
}

func (noPeer) Notify(string, json.RawMessage) {}
