package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// Client is the Service of a running daemon, over its unix socket.
// Safe for concurrent use.
type Client struct {
	// Holder returns the pid of the daemon that has locked the home, or 0. Errors contain
	// this pid if the daemon does not answer. Optional.
	Holder func() int

	socket  string
	http    *http.Client
	answers atomic.Bool // the daemon has answered at least once
}

var _ Service = (*Client)(nil)

// NewClient returns a client of the daemon that listens on socket. It connects at the
// first call.
func NewClient(socket string) *Client {
	c := &Client{socket: socket}
	// Keep-alives are off: on a connection that outlived its daemon, the client cannot
	// know whether a request was sent. A new connection to a unix socket is cheap.
	c.http = &http.Client{Transport: &http.Transport{DialContext: c.dial, DisableKeepAlives: true, ExpectContinueTimeout: time.Minute}}
	return c
}

// answerLimit is the time limit of a health check. Other requests have no limit, because
// they may wait for servers.
const answerLimit = 5 * time.Second

// errSilent is the error of a daemon that accepts connections but does not answer, because
// its process is stopped or stuck.
var errSilent = fmt.Errorf("it accepts connections, but has not answered within %v", answerLimit)

// dial connects to the daemon. The first time it checks that the daemon answers, because
// the system accepts connections for a stopped process.
func (c *Client) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	for !c.answers.Load() {
		err := c.checkAnswers(ctx)
		switch {
		case err == nil:
			c.answers.Store(true)
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return nil, err
		case c.Holder == nil || c.Holder() > 0: // a daemon that is starting or stopping has no pid
			return nil, errSilent
		}
	}
	return c.connect(ctx)
}

func (c *Client) connect(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "unix", c.socket)
}

// checkAnswers returns nil if the daemon answers within answerLimit.
func (c *Client) checkAnswers(ctx context.Context) error {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if err := conn.SetDeadline(time.Now().Add(answerLimit)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); err != nil {
		return err
	}
	_, err = conn.Read(make([]byte, 1))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// HTTP returns an HTTP client for the MCP endpoint and the event stream, which are served
// on the same socket. The host is "localhost".
func (c *Client) HTTP() *http.Client { return c.http }

// URL returns the address of a path of the daemon, for the client of HTTP.
func (c *Client) URL(path string) string { return "http://localhost" + path }

// Running reports whether a daemon answers on the socket.
func (c *Client) Running(ctx context.Context) bool {
	_, err := c.Status(ctx)
	return err == nil
}

// Status implements Service.
func (c *Client) Status(ctx context.Context) (s Status, err error) {
	return s, c.call(ctx, http.MethodGet, "/status", nil, nil, &s)
}

// Objects implements Service.
func (c *Client) Objects(ctx context.Context, kind, project string) (o []Object, err error) {
	return o, c.call(ctx, http.MethodGet, "/"+kind+"s", projectQuery(project), nil, &o)
}

// Object implements Service.
func (c *Client) Object(ctx context.Context, kind, project, name string) (o Object, err error) {
	return o, c.call(ctx, http.MethodGet, objectPath(kind, name), projectQuery(project), nil, &o)
}

// Apply implements Service.
func (c *Client) Apply(ctx context.Context, req ApplyRequest) (a []Applied, err error) {
	return a, c.call(ctx, http.MethodPost, "/apply", nil, req, &a)
}

// Delete implements Service.
func (c *Client) Delete(ctx context.Context, kind, project, name string, force bool) error {
	q := url.Values{"force": {strconv.FormatBool(force)}}
	if project != "" {
		q.Set("project", project)
	}
	return c.call(ctx, http.MethodDelete, objectPath(kind, name), q, nil, nil)
}

// Stages implements Service.
func (c *Client) Stages(ctx context.Context) (s []Stage, err error) {
	return s, c.call(ctx, http.MethodGet, "/stages", nil, nil, &s)
}

// CacheStats implements Service.
func (c *Client) CacheStats(ctx context.Context) (s CacheStats, err error) {
	return s, c.call(ctx, http.MethodGet, "/cache/stats", nil, nil, &s)
}

// CacheEntries implements Service.
func (c *Client) CacheEntries(ctx context.Context, project string) (e []CacheEntry, err error) {
	return e, c.call(ctx, http.MethodGet, "/cache", projectQuery(project), nil, &e)
}

// CacheClear implements Service.
func (c *Client) CacheClear(ctx context.Context, project string) (int, error) {
	var n cleared
	err := c.call(ctx, http.MethodDelete, "/cache", projectQuery(project), nil, &n)
	return n.Cleared, err
}

// Events implements Service.
func (c *Client) Events(ctx context.Context, q EventQuery) (e []Event, err error) {
	return e, c.call(ctx, http.MethodGet, "/events", q.values(), nil, &e)
}

// Follow calls got with the stored events and then with each new event, until ctx ends.
// An empty project selects all projects.
//
// It returns abi.ErrUnavailable if the daemon ends, or the error of got or ctx.
func (c *Client) Follow(ctx context.Context, q EventQuery, got func(Event) error) error {
	target := c.URL("/inspect")
	if v := q.values(); len(v) > 0 {
		target += "?" + v.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return err
	}
	resp, err := c.do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return c.follow(ctx, resp.Body, got)
}

// follow reads server-sent events; the daemon writes the JSON of each on one line.
func (c *Client) follow(ctx context.Context, body io.Reader, got func(Event) error) error {
	lines := bufio.NewReader(body)
	for {
		line, err := lines.ReadBytes('\n')
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			p := problem.New(abi.ErrUnavailable, "daemon on %s ended the stream of events", c.socket)
			return p.WithHint("mcpctl status")
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok {
			continue // id, type or keep-alive; the JSON contains id and type
		}
		var e Event
		if err := json.Unmarshal(data, &e); err != nil {
			return fmt.Errorf("daemon on %s: event: %w", c.socket, err)
		}
		if err := got(e); err != nil {
			return err
		}
	}
}

// Reload implements Service.
func (c *Client) Reload(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "/reload", nil, nil, nil)
}

func objectPath(kind, name string) string { return "/" + kind + "s/" + url.PathEscape(name) }

func projectQuery(project string) url.Values {
	if project == "" {
		return nil
	}
	return url.Values{"project": {project}}
}

func (c *Client) call(ctx context.Context, method, path string, q url.Values, in, out any) error {
	req, err := c.request(ctx, method, path, q, in)
	if err != nil {
		return err
	}
	resp, err := c.do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("daemon on %s: answer to %s %s: %w", c.socket, method, path, err)
	}
	return nil
}

func (c *Client) request(ctx context.Context, method, path string, q url.Values, in any) (*http.Request, error) {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(b)
	}
	target := c.URL("/api/v1" + path)
	if len(q) > 0 {
		target += "?" + q.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, target, body)
	if err == nil && (in != nil || method == http.MethodPost) {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, err
}

// do sends a request and returns a successful response, which the caller closes.
func (c *Client) do(req *http.Request) (*http.Response, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, failureOf(resp)
	}
	return resp, nil
}

// unreachable returns an error that distinguishes a daemon that does not run from one that
// does not answer.
func (c *Client) unreachable(err error) error {
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		if c.Holder != nil {
			if pid := c.Holder(); pid > 0 {
				p := problem.New(abi.ErrUnavailable, "the daemon (pid %d) does not answer on %s", pid, c.socket)
				p.Cause = "it has locked the home, but its socket was removed or replaced"
				return p.WithHint("mcpctl daemon stop && mcpctl daemon start")
			}
		}
		return problem.New(abi.ErrUnavailable, "no daemon runs on %s", c.socket).WithHint("mcpctl daemon start")
	}
	if errors.Is(err, errSilent) && c.Holder != nil {
		p := problem.New(abi.ErrUnavailable, "the daemon (pid %d) does not answer on %s", c.Holder(), c.socket)
		p.Cause = errSilent.Error()
		return p.WithHint("mcpctl daemon stop && mcpctl daemon start")
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &problem.Problem{Code: "E_UNREACHABLE", Message: "daemon on " + c.socket + " does not answer", Cause: err.Error()}
}

func failureOf(resp *http.Response) error {
	var f failure
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxBody)).Decode(&f); err != nil || f.Error == nil {
		return fmt.Errorf("daemon answered %s", resp.Status)
	}
	return f.Error
}
