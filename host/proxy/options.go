package proxy

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/pin"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/view"
)

// Parts are the components of an Endpoint. Events, Records, Reviewer, Controllers, Library,
// Known and Pins may be nil.
type Parts struct {
	Projects    Projects
	Upstreams   Upstreams
	Transformer view.Transformer
	Reader      Reader
	Events      Events
	Records     Records       // nil: no request is recorded
	Reviewer    Reviewer      // nil: answers are sent at once
	Controllers Controllers   // nil: no session has controllers
	Library     Library       // nil: a project has no prompts of its own
	Known       catalog.Store // nil: the servers' lists are forgotten when the Endpoint closes
	Pins        *pin.Store    // nil: definitions of tools are not compared with approved ones
}

// Options of an Endpoint; the zero value works.
type Options struct {
	Version string // in serverInfo; default "0"
	// Subject returns the user that sent an authorized request. Sessions and their
	// stored results belong to the subject. Default: "" for all.
	Subject func(*http.Request) string
	MaxBody int          // bytes of a POST; default 32 MiB
	Log     *slog.Logger // default: none
	Now     func() time.Time

	// ListWait is how long a list waits for a server that was never listed before, from
	// the start of its connection. Default 8 s: clients wait 10 s or longer.
	ListWait time.Duration

	// Rereads says whether clients read their tools again after list_changed. The list of one
	// that does not shows all tools from the start, and no answer waits for it. Default
	// RereadsAuto.
	Rereads Rereads

	// AbandonedAfter ends a session without a running request after its client has closed
	// its last stream, or if the client sent nothing after initialize. Few clients end
	// their sessions explicitly. Default 2 min.
	AbandonedAfter time.Duration
	// ReleaseAfter stops the servers of a session without a running request whose client
	// never opened a stream, unless another session uses them. The next request starts
	// them again. Default 5 min.
	ReleaseAfter time.Duration
	// IdleAfter ends a session without a running request whose client never opened a
	// stream, so that nothing shows whether it still exists. Default 30 min.
	IdleAfter time.Duration
}

func (o Options) withDefaults() Options {
	if o.Version == "" {
		o.Version = "0"
	}
	if o.Subject == nil {
		o.Subject = func(*http.Request) string { return "" }
	}
	if o.MaxBody <= 0 {
		o.MaxBody = jsonrpc.DefaultFrameBytes
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	setDefault(&o.ListWait, 8*time.Second)
	setDefault(&o.AbandonedAfter, 2*time.Minute)
	setDefault(&o.ReleaseAfter, 5*time.Minute)
	setDefault(&o.IdleAfter, 30*time.Minute)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func setDefault(d *time.Duration, value time.Duration) {
	if *d <= 0 {
		*d = value
	}
}
