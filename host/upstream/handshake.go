package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// preferredVersion is the protocol version that the Client requests.
const preferredVersion = "2025-11-25"

// supportedVersions lists the protocol versions that a server may answer. Many servers on stdio
// still answer 2024-11-05, which does not differ in the parts that the Client uses.
var supportedVersions = []string{preferredVersion, "2025-06-18", "2025-03-26", "2024-11-05"}

// errStartTimeout is in the error of a handshake that took too long.
var errStartTimeout = errors.New("no answer within")

// performHandshake prepares a new connection for calls: it sends initialize and initialized,
// and repeats the requests that set the state of an earlier connection.
func (c *Client) performHandshake(l link) error {
	late := fmt.Errorf("%w %s", errStartTimeout, c.cfg.StartTimeout)
	ctx, cancel := context.WithTimeoutCause(c.life, c.cfg.StartTimeout, late)
	defer cancel()
	info, err := c.greet(ctx, l)
	if err != nil {
		return err
	}
	c.mu.Lock()
	info.seen = c.server.seen
	c.server = info
	requests := c.memory.recall()
	c.mu.Unlock()
	if l.wired().stateless.Load() {
		c.spawn(func() { listenStateless(c, l) })
		return nil
	}
	for _, m := range requests {
		if _, err := c.request(ctx, l, m.method, m.params, c.peer); err != nil {
			return fmt.Errorf("%s: %w", m.method, c.startError(err))
		}
	}
	return nil
}

// greet agrees on a protocol version with the server. A server that refuses the handshake may
// speak only the version without sessions. If Config.Stateless is set, that version is tried
// first, and a process that ends because of it is not asked again; one that did not answer
// because it was starting is asked again when it has refused the handshake.
func (c *Client) greet(ctx context.Context, l link) (serverInfo, error) {
	triesFirst := c.cfg.Stateless && !c.refusesDiscover.Load()
	if triesFirst {
		limited, cancel := context.WithTimeoutCause(ctx, discoverLimit, errNotStateless)
		info, err := discover(limited, c, l)
		cancel()
		if !errors.Is(err, errNotStateless) {
			c.refusesDiscover.Store(err != nil)
			return info, err
		}
	}
	info, err := c.openSession(ctx, l)
	if err != nil && l.wired().cause() == nil && ctx.Err() == nil {
		if modern, failed := discover(ctx, c, l); failed == nil {
			return modern, nil
		}
	}
	return info, err
}

// openSession makes the handshake of the versions with sessions.
func (c *Client) openSession(ctx context.Context, l link) (serverInfo, error) {
	info, err := c.initialize(ctx, l)
	if err != nil {
		return info, fmt.Errorf("initialize: %w", c.startError(err))
	}
	l.opened(info.protocol)
	if err := l.send(ctx, jsonrpc.Message{Method: "notifications/initialized"}); err != nil {
		return info, fmt.Errorf("notifications/initialized: %w", c.startError(err))
	}
	return info, nil
}

// startError replaces the error of a call's deadline by that of the handshake's.
func (c *Client) startError(err error) error {
	if errors.Is(err, errTimeout) {
		return fmt.Errorf("%w %s", errStartTimeout, c.cfg.Timeout)
	}
	return err
}

func (c *Client) initialize(ctx context.Context, l link) (serverInfo, error) {
	var params jsonrpc.Object
	params.Set("protocolVersion", json.RawMessage(`"`+preferredVersion+`"`))
	params.Set("capabilities", c.cfg.Capabilities)
	params.Set("clientInfo", c.cfg.ClientInfo)
	m, err := c.request(ctx, l, "initialize", params.Raw(), c.peer)
	if err != nil {
		return serverInfo{}, err
	}
	if m.Error != nil {
		why := c.scrub.shortened(jsonrpc.ReadError(m.Error).Error())
		return serverInfo{}, &permanentError{fmt.Errorf("refused: %s (we speak %s)", why, strings.Join(allVersions(), ", "))}
	}
	info := serverInfo{
		protocol:     text(m.Result, "/protocolVersion"),
		info:         member(m.Result, "/serverInfo"),
		capabilities: member(m.Result, "/capabilities"),
		instructions: text(m.Result, "/instructions"),
	}
	if !slices.Contains(supportedVersions, info.protocol) {
		return serverInfo{}, &permanentError{fmt.Errorf("server speaks protocol %.40q, we speak %s", info.protocol, strings.Join(allVersions(), ", "))}
	}
	return info, nil
}

// allVersions lists the protocol versions that the Client speaks, the newest first.
func allVersions() []string { return append([]string{stateless.Version}, supportedVersions...) }
