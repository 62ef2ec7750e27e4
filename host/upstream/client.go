package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Client is a connection to one MCP server that is created again when it is lost.
// It is safe for concurrent use.
type Client struct {
	*shared

	dial func() (link, error) // starts a connection
	stop context.CancelFunc   // ends shared.life

	mu              sync.Mutex
	changed         chan struct{} // closed and replaced when status changes
	status          Status
	since           time.Time
	reported        report        // the last one
	err             error         // of the last connection
	failures        int           // attempts to connect that failed, in all
	hurry           chan struct{} // has an element if a call waits for the next attempt
	link            link          // nil unless ready
	server          serverInfo
	restarts        int
	memory          memory
	relisten        chan struct{} // closed and replaced when the subscriptions change
	refusesDiscover atomic.Bool   // the server has ended when it was asked for the stateless version
	wire            *wire         // of the connection from its start; nil between connections
	again           chan struct{} // has an element if a restart was requested between connections
}

// Start returns a Client that connects to a server in the background. Calls wait for
// the connection (Config.QueueWait). peer receives the messages that belong to no call; a
// nil peer knows no method. The Client runs until Close, or until ctx ends.
//
// Errors: ErrConfig if cfg does not name exactly one server. State reports later errors.
func Start(ctx context.Context, cfg Config, peer Peer) (*Client, error) {
	cfg = cfg.withDefaults()
	c := newClient(cfg, peer)
	switch {
	case len(cfg.Command) > 0 && cfg.URL != "", len(cfg.Command) == 0 && cfg.URL == "":
		return nil, fmt.Errorf("%w: server %q: want one of command and url", abi.ErrConfig, cfg.Name)
	case cfg.URL != "":
		endpoint, err := newEndpoint(cfg)
		if err != nil {
			return nil, fmt.Errorf("%w: server %q: %v", abi.ErrConfig, cfg.Name, err)
		}
		c.dial = func() (link, error) { return newHTTPLink(c.shared, endpoint), nil }
	default:
		c.dial = func() (link, error) { return startProcess(c.shared) }
	}
	c.begin(ctx)
	return c, nil
}

// report is the last change that was reported with Config.StateChanged.
type report struct {
	status Status
	reason string
}

// change calls stateChanged, unless the change only repeats a failure: an attempt to connect after
// a failure is not reported, and its outcome only if its status or reason differs from the last
// report.
func (r *report) change(to Status, reason string, stateChanged func(from, to Status, reason string)) {
	from := r.status
	if from == Failed && (to == Starting || to == Failed && reason == r.reason) {
		return
	}
	r.status, r.reason = to, reason
	stateChanged(from, to, reason)
}

func newClient(cfg Config, peer Peer) *Client {
	return &Client{
		shared: newShared(cfg, peer), changed: make(chan struct{}), status: Starting, since: time.Now(), reported: report{status: Starting},
		again: make(chan struct{}, 1), hurry: make(chan struct{}, 1), relisten: make(chan struct{}),
	}
}

// begin starts the two goroutines of a Client.
func (c *Client) begin(ctx context.Context) {
	c.life, c.stop = context.WithCancel(ctx)
	c.work.Go(c.run)
	c.work.Go(c.deliverLoose)
}

// Close ends the connection and the server's process, and waits for both and for all
// goroutines: about 2.5 s for a process that has to be killed. Pending calls end with an
// error. Close can be called twice.
func (c *Client) Close() error {
	c.setStatus(Closed, nil)
	c.stop()
	c.work.Wait()
	return nil
}

// deliverLoose delivers the messages that belong to no call to the Client's Peer.
func (c *Client) deliverLoose() {
	for {
		select {
		case <-c.loose.wake:
		case <-c.life.Done():
			return
		}
		for _, it := range c.loose.take() {
			switch {
			case it.m.IsRequest():
				it.from.serve(it.m, nil)
			case c.peer != nil:
				c.peer.Notify(it.m.Method, it.m.Params)
			default:
				c.counts.dropped.Add(1)
			}
		}
	}
}

// setStatus changes the status and wakes the goroutines that wait for a change. Closed is
// final.
func (c *Client) setStatus(s Status, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moveTo(s, err)
}

func (c *Client) moveTo(s Status, err error) {
	if c.status == Closed {
		return
	}
	before := c.status
	c.status, c.since = s, time.Now()
	if s == Closed {
		c.refuseWork()
	}
	if err != nil {
		c.err = c.scrub.cleanError(err)
	}
	if c.cfg.StateChanged != nil && s != before {
		reason := ""
		if err != nil {
			reason = c.err.Error()
		}
		c.reported.change(s, reason, c.cfg.StateChanged)
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// Ready waits until the server can be called, or until an attempt to connect has failed.
// It does not start an attempt: after a failure it returns immediately.
//
// Errors: the cause of ctx; ErrUnavailable if the Client is closed or the last attempt
// to connect has failed.
func (c *Client) Ready(ctx context.Context) error {
	for {
		c.mu.Lock()
		l, status, err, changed := c.link, c.status, c.err, c.changed
		c.mu.Unlock()
		switch {
		case status == Closed:
			return fmt.Errorf("server %q: %w: %w", c.cfg.Name, abi.ErrUnavailable, errClosed)
		case l != nil && l.wired().cause() == nil:
			return nil
		case status == Failed:
			return fmt.Errorf("server %q: %w", c.cfg.Name, unavailable(err))
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("server %q: %w: still starting: %w", c.cfg.Name, abi.ErrUnavailable, context.Cause(ctx))
		}
	}
}

// Capabilities returns the capabilities of the server's last handshake with their bytes
// unchanged, or nil before the first handshake. They are kept when the connection is lost.
func (c *Client) Capabilities() json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server.capabilities
}

// Instructions returns the instructions of the server's last handshake.
func (c *Client) Instructions() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server.instructions
}

// State returns the present state of the Client.
func (c *Client) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	status, since, err := c.currentStatus()
	s := State{
		Status: status, Since: since, Restarts: c.restarts, PID: int(c.pid.Load()),
		Protocol: c.server.protocol, ServerInfo: c.server.info, Capabilities: c.server.capabilities,
		Counts: c.counts.read(), Stderr: c.stderr.lines(c.scrub), Garbage: c.garbage.last(),
	}
	if err != nil && status == Ready {
		s.LastError = err.Error()
	} else if err != nil {
		s.Error, s.StartTimedOut = err.Error(), errors.Is(err, errStartTimeout)
	}
	if c.link != nil {
		s.InFlight = c.link.wired().calls.len()
	}
	return s
}

// currentStatus returns the status, since when it has it, and the last error. A connection
// that is lost is not ready, although closing it may take seconds. The caller holds mu.
func (c *Client) currentStatus() (s Status, since time.Time, err error) {
	if c.status != Ready || c.link == nil {
		return c.status, c.since, c.err
	}
	switch since, why := c.link.wired().loss(); {
	case why == nil, errors.Is(why, errClosed): // closed by this program: nothing has failed
		return Ready, c.since, c.err
	case errors.Is(why, errRestarted), errors.Is(why, errSessionLost):
		return Starting, since, c.err
	default:
		return Failed, since, c.scrub.cleanError(why)
	}
}
