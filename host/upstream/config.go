package upstream

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// Config is the address of a server, its environment and its time limits. Name and one
// of Command and URL are required; other fields have defaults.
type Config struct {
	Name string // in errors and states

	Command []string          // program and arguments of a stdio server
	Env     map[string]Secret // its variables besides those of the allow-list (PATH, HOME, ...)
	PassEnv []string          // names of variables that it inherits besides those of the allow-list
	Dir     string            // its working directory; default: that of this process
	Secrets []Secret          // further values to remove from texts of the server
	Mark    string            // of EndOrphans; default: none, so orphans of the server are not found
	Environ []string          // variables that the allow-list applies to; default os.Environ()

	URL       string            // endpoint of a streamable HTTP server
	Headers   map[string]Secret // sent with every request to it
	Transport http.RoundTripper // default: a transport for this Client alone

	// Refusal explains a response whose status is not 2xx, of which it gets at most 64 KiB. If
	// it returns nil, the error has the status and the beginning of the response. After status
	// 401, 403 or 404, the Client connects again only rarely. Default: the headers of the server
	// are mentioned.
	Refusal func(status int, body []byte) error

	// TraceHeader is the name of a header that each tools/call has, with its flow.Trace; ""
	// sends none.
	TraceHeader string

	// RequestIDHeader is the name of a header that each tools/call has, with an id that the team
	// server passes on to the server at most once. If the connection to the team server breaks
	// or it is away, the call is repeated with the same id, for RepeatFor; a call without a
	// connection waits as long for one. "" sends none, and no call is repeated. It requires
	// Refusal.
	RequestIDHeader string
	// OutcomeHeader is the name of a header that responses have if the call may have been
	// executed, so that it is not repeated.
	OutcomeHeader string
	// RepeatFor is the time after the first failure in which tries of a call begin. Default 10 s.
	RepeatFor time.Duration

	Timeout      time.Duration // of a call without progress; default 60 s
	MaxTimeout   time.Duration // of a call with progress; default 10 min
	StartTimeout time.Duration // from start to the end of the handshake; default Timeout
	QueueWait    time.Duration // how long a call waits for a server that is starting; default Timeout
	FrameBytes   int           // of one message of the server (limits.frame); default 32 MiB

	Stateless    bool                                 // the version without sessions is tried first, because the client speaks it
	Capabilities json.RawMessage                      // of the client, declared to the server; default {}
	ClientInfo   json.RawMessage                      // default {"name":"mcpctl","version":"0"}
	Log          *slog.Logger                         // default: none
	StateChanged func(from, to Status, reason string) // called with each change of the status, except attempts that fail for the same reason again; must not block or call the Client; may be nil
	Journal      *Journal                             // receives the lines of its standard error; default: none
}

// Peer answers the requests of a server and receives its notifications.
//
// Both methods may be called from several goroutines. Notify must not block, because it
// delays the messages after it. Request must return when its ctx ends. Of the methods of
// the calling Client, only Notify may be called from them.
type Peer interface {
	Request(ctx context.Context, method string, params json.RawMessage) flow.Reply
	Notify(method string, params json.RawMessage)
}

func (c Config) withDefaults() Config {
	if c.Environ == nil {
		c.Environ = os.Environ()
	}
	setDefault(&c.Timeout, time.Minute)
	setDefault(&c.MaxTimeout, 10*time.Minute)
	setDefault(&c.StartTimeout, c.Timeout)
	setDefault(&c.QueueWait, c.Timeout)
	setDefault(&c.RepeatFor, 10*time.Second)
	c.MaxTimeout = max(c.MaxTimeout, c.Timeout)
	if c.FrameBytes <= 0 {
		c.FrameBytes = jsonrpc.DefaultFrameBytes
	}
	if len(c.Capabilities) == 0 {
		c.Capabilities = json.RawMessage(`{}`)
	}
	if len(c.ClientInfo) == 0 {
		c.ClientInfo = json.RawMessage(`{"name":"mcpctl","version":"0"}`)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

func setDefault(d *time.Duration, value time.Duration) {
	if *d <= 0 {
		*d = value
	}
}
