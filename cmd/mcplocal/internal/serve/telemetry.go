package serve

import (
	"fmt"
	"net/http"

	"github.com/mcpctl/mcpctl/cmd/internal/config"
	"github.com/mcpctl/mcpctl/cmd/internal/release"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/telemetry"
)

func (opts *Options) setTelemetry(s config.Settings) {
	opts.Telemetry = telemetry.Options{
		Endpoint: s.Get("otel.endpoint"), Timeout: s.Duration("otel.timeout"), Service: s.Get("otel.service"), Version: release.Version, Log: opts.Log,
	}
	if s.Get("otel.headers") != "" {
		opts.Headers = s.Headers("otel.headers")
	}
}

// startTelemetry exports the traffic of a host until the returned function is called.
func (opts *Options) startTelemetry(h *host.Host, events *event.Ring) (stop func()) {
	if opts.Telemetry.Endpoint == "" {
		return func() {}
	}
	opts.Telemetry.Headers = func() (http.Header, error) { return expand(opts.Headers, h.Config().Secret) }
	return telemetry.Start(opts.Telemetry, events).Close
}

// expand returns the headers with the present values of secrets.
//
// It returns an error that names the header and the variable that is not set.
func expand(list []config.Header, lookup secret.Lookup) (http.Header, error) {
	headers := http.Header{}
	for _, h := range list {
		v, err := h.Value.Expand(lookup)
		if err != nil {
			return nil, fmt.Errorf("setting otel.headers, header %s: %w", h.Name, err)
		}
		headers.Set(h.Name, v.Reveal())
	}
	return headers, nil
}
