package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// run opens the connection, and opens it again whenever it is lost, until Close.
func (c *Client) run() {
	defer c.setStatus(Closed, nil)
	for failures := 0; c.life.Err() == nil; {
		c.setStatus(Starting, nil)
		good, err := c.connectOnce()
		if c.life.Err() != nil {
			return
		}
		if good {
			failures = 0
		}
		if errors.Is(err, errRestarted) || errors.Is(err, errProbed) {
			c.note("%v", err)
			failures = 0
			continue
		}
		failures++
		c.note("not connected: %v", c.scrub.cleanError(err))
		c.cfg.Log.Warn("upstream lost", "server", c.cfg.Name, "err", c.scrub.cleanError(err), "failures", failures)
		if errors.Is(err, errSessionLost) && failures == 1 {
			continue // the server is reachable, only its session is lost
		}
		c.setStatus(Failed, err)
		if c.cfg.Refusal != nil && errors.Is(err, abi.ErrDenied) {
			failures = maxFailures // the same credentials are hardly accepted in the next seconds
		}
		c.awaitRetry(backoff(failures))
	}
}

// connectOnce opens a connection and waits until it is lost. good reports whether the
// connection answered a call or lasted for steady.
func (c *Client) connectOnce() (good bool, err error) {
	l, err := c.dial()
	if err != nil {
		c.startFailed(err)
		return false, err
	}
	defer c.offline()
	defer l.close()
	w := l.wired()
	c.setWire(w)
	defer c.setWire(nil)
	if err := c.performHandshake(l); err != nil {
		if !errors.Is(err, errRestarted) && !errors.Is(err, errProbed) { // otherwise calls wait for the next attempt
			c.startFailed(err) // before l.close, which may take seconds
		}
		return false, err
	}
	c.note("connected")
	if w.roots != nil {
		c.spawn(func() { c.awaitRoots(l) })
	}
	c.online(l)
	began := time.Now()
	select {
	case <-w.lost:
	case <-c.life.Done():
		w.fail(errClosed)
	}
	return w.hasAnswered() || time.Since(began) >= steady, w.cause()
}

// startFailed records a failed attempt to connect. Calls that wait for it end with err.
func (c *Client) startFailed(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures++
	c.moveTo(Failed, err)
}

// online makes the connection available to calls. After a restart the lists of the server
// may differ, so online sends the list_changed notifications to the Peer.
func (c *Client) online(l link) {
	c.mu.Lock()
	again := c.server.seen
	c.server.seen = true
	if again {
		c.restarts++
	}
	c.link = l
	c.moveTo(Ready, nil)
	declared := c.server.capabilities
	c.mu.Unlock()
	if !again || c.peer == nil {
		return
	}
	for _, list := range []string{"tools", "prompts", "resources"} {
		if has(declared, "/"+list) {
			c.peer.Notify("notifications/"+list+"/list_changed", nil)
		}
	}
}

// offline removes a connection that is closed. Until then State reports why it was lost.
func (c *Client) offline() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.link = nil
}

// await waits for the connection and returns it. It ends with the first failed attempt,
// because the next one rarely succeeds. ctx and limit bound the wait.
func (c *Client) await(ctx context.Context, limit <-chan time.Time) (link, error) {
	c.mu.Lock()
	before := c.failures
	c.mu.Unlock()
	for {
		c.mu.Lock()
		l, status, err, changed, failures := c.link, c.status, c.err, c.changed, c.failures
		c.mu.Unlock()
		var permanent *permanentError
		switch {
		case status == Closed:
			return nil, fmt.Errorf("%w: %w", abi.ErrUnavailable, errClosed)
		case l != nil && l.wired().cause() == nil:
			return l, nil
		case status == Failed && (failures > before || errors.As(err, &permanent)):
			return nil, unavailable(err)
		case status == Failed:
			c.hasten()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-limit:
			return nil, notReady(status, err, c.cfg.QueueWait)
		}
	}
}

// hasten ends the wait for the next attempt to connect early.
func (c *Client) hasten() {
	select {
	case c.hurry <- struct{}{}:
	default:
	}
}

func notReady(s Status, err error, waited time.Duration) error {
	if err == nil {
		return fmt.Errorf("%w: still starting after %s", abi.ErrUnavailable, waited)
	}
	return fmt.Errorf("%w: %s after %s %w: %w", abi.ErrUnavailable, s, waited, errWaited, err)
}

// errWaited is in the error of a call that has waited for Config.QueueWait.
var errWaited = errors.New("of waiting")

// unavailable adds the kind ErrUnavailable to an error without a kind.
func unavailable(err error) error {
	for _, kind := range []error{abi.ErrUnavailable, abi.ErrDenied, abi.ErrLimit, abi.ErrConfig} {
		if errors.Is(err, kind) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", abi.ErrUnavailable, err)
}

// serverInfo is the description that a server sends in the handshake.
type serverInfo struct {
	seen         bool // the server was ready at least once
	protocol     string
	info         json.RawMessage
	capabilities json.RawMessage
	instructions string
}
