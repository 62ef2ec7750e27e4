package upstream

import (
	"errors"
	"fmt"
	"time"
)

var errRestarted = errors.New("restarted on request")

// Restart closes the connection, ends the server's process, and connects again without
// delay. Calls in flight end with an error.
func (c *Client) Restart() {
	c.mu.Lock()
	wire := c.wire
	c.moveTo(Starting, nil)
	c.mu.Unlock()
	if wire != nil {
		wire.fail(errRestarted)
		return
	}
	select {
	case c.again <- struct{}{}:
	default: // one is pending
	}
}

// awaitRetry waits for d, for Restart, or for Close. A call that needs the server ends the
// wait too, but not before firstBackoff.
func (c *Client) awaitRetry(d time.Duration) {
	t, early := time.NewTimer(d), time.NewTimer(firstBackoff)
	defer t.Stop()
	defer early.Stop()
	var hurry <-chan struct{}
	for {
		select {
		case <-early.C:
			hurry = c.hurry
			continue
		case <-t.C:
		case <-hurry:
		case <-c.again:
		case <-c.life.Done():
		}
		return
	}
}

// setWire sets the connection that Restart closes, nil for none.
func (c *Client) setWire(w *wire) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wire = w
}

// note adds a line about the connection to the server's journal.
func (c *Client) note(format string, args ...any) {
	c.cfg.Journal.add("mcpctl: " + printable(c.scrub.clean(fmt.Sprintf(format, args...))))
}
