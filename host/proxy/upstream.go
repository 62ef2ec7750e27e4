package proxy

import (
	"context"
	"encoding/json"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Upstreams gives sessions their connections to servers.
//
// Implementations are safe for concurrent use.
type Upstreams interface {
	// For returns the connection of the session that scope names to one server:
	// its own, or the common one if the server is shared. It returns without
	// waiting for the server. What the server sends outside of any call goes to
	// peer until the Upstream is closed.
	//
	// A server that is not shared is told the client's own capabilities and
	// nothing more; a shared one none.
	//
	// Errors: abi.ErrNotFound, abi.ErrConfig if there can be no connection.
	For(ctx context.Context, scope flow.Scope, server Server, client Client, peer Peer) (Upstream, error)
}

// ConfigError is why a server cannot be reached for one client. The client may read
// it: it quotes no file and no credential. errors.Is finds abi.ErrConfig.
type ConfigError struct{ Why string }

func (e *ConfigError) Error() string { return e.Why }

// Unwrap gives the kind.
func (e *ConfigError) Unwrap() error { return abi.ErrConfig }

// Upstream is one MCP server as one session sees it. It connects anew by itself,
// restores level and subscriptions, and then tells peer the list_changed of each
// list it has, since they may be others.
//
// Implementations are safe for concurrent use.
type Upstream interface {
	// Call sends a request and waits for the answer, at most until ctx or the
	// server's own deadline ends; the server is then told by
	// notifications/cancelled. It waits a bounded time for a server that starts.
	//
	// peer gets what the server sends because of this call, progress with the
	// token of params, all of it before Call returns.
	//
	// Errors: only of the connection, with a text that names the server and is
	// fit for a client. A JSON-RPC error of the server is a Reply.
	Call(ctx context.Context, method string, params json.RawMessage, peer Peer) (flow.Reply, error)
	// CallRepeatable is Call for what may run twice: it is sent once more if the
	// connection breaks while it runs.
	CallRepeatable(ctx context.Context, method string, params json.RawMessage, peer Peer) (flow.Reply, error)
	// Notify sends a notification.
	Notify(ctx context.Context, method string, params json.RawMessage) error
	// Ready waits until the server can be called.
	Ready(ctx context.Context) error
	// Capabilities returns what the server last declared, nil before its first
	// handshake.
	Capabilities() json.RawMessage
	// Instructions returns what the server last said, "" before its first
	// handshake.
	Instructions() string
	// Close ends the session's use of the connection, and waits for it. Calls
	// that run end with an error. It can be called twice.
	Close() error
}

// Peer is the session as an Upstream sees it.
//
// It is safe for concurrent use. Neither method keeps params after it returned.
type Peer interface {
	// Request asks the client (sampling, elicitation, roots) and waits for the
	// answer. It ends with ctx; the client is then told.
	Request(ctx context.Context, method string, params json.RawMessage) flow.Reply
	// Notify passes a notification on. It never waits for the client.
	Notify(method string, params json.RawMessage)
}

// Client is what a client said of itself at initialize.
type Client struct {
	Name            string
	Version         string
	ProtocolVersion string          // what was agreed on
	Info            json.RawMessage // clientInfo as it came, nil if absent
	Capabilities    json.RawMessage // as they came, nil if absent
	Dir             string          // its working directory on this machine, not checked; "" if unknown
}
