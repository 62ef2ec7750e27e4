package api

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// ServerControl is the part of Service about the processes of servers. All its
// methods return abi.ErrUnavailable without a daemon.
type ServerControl interface {
	// ServerLog returns the stored lines of a server's standard error after the line with
	// the ID after, oldest first. If after is 0, it returns all.
	ServerLog(ctx context.Context, name string, after int64) ([]LogLine, error)
	// RestartServer restarts all connections to a server and returns once they can be
	// used again.
	RestartServer(ctx context.Context, name string) (Restarted, error)
}

// LogLine is one line of a server's log, without secrets.
type LogLine struct {
	ID   int64     `json:"id"`
	Time time.Time `json:"time"`
	Text string    `json:"text"`
}

// Restarted is the outcome of RestartServer.
type Restarted struct {
	Connections int `json:"connections"`
}

func (h handler) serverRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v1/servers/{name}/log", h.serverLog)
	mux.HandleFunc("POST /api/v1/servers/{name}/restart", h.restartServer)
}

func (h handler) serverLog(w http.ResponseWriter, r *http.Request) {
	after := int64(0)
	if text := r.URL.Query().Get("after"); text != "" {
		var err error
		if after, err = strconv.ParseInt(text, 10, 64); err != nil {
			writeAnswer(w, nil, problem.Usagef("after=%.40q is no number", text))
			return
		}
	}
	v, err := h.s.ServerLog(r.Context(), r.PathValue("name"), after)
	writeAnswer(w, v, err)
}

func (h handler) restartServer(w http.ResponseWriter, r *http.Request) {
	if err := requireJSON(r); err != nil {
		writeAnswer(w, nil, err)
		return
	}
	v, err := h.s.RestartServer(r.Context(), r.PathValue("name"))
	writeAnswer(w, v, err)
}

// ServerLog implements Service.
func (c *Client) ServerLog(ctx context.Context, name string, after int64) (lines []LogLine, err error) {
	q := url.Values{"after": {strconv.FormatInt(after, 10)}}
	return lines, c.call(ctx, http.MethodGet, objectPath("server", name)+"/log", q, nil, &lines)
}

// RestartServer implements Service.
func (c *Client) RestartServer(ctx context.Context, name string) (r Restarted, err error) {
	return r, c.call(ctx, http.MethodPost, objectPath("server", name)+"/restart", nil, nil, &r)
}
