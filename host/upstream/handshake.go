package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// offered is the protocol version we ask for, accepted what we can carry: on
// stdio many servers still answer 2024-11-05, which differs in nothing we touch.
const offered = "2025-11-25"

var accepted = []string{offered, "2025-06-18", "2025-03-26", "2024-11-05"}

// errStartTimeout is in the error of a handshake that took too long.
var errStartTimeout = errors.New("no answer within")

// shakeHands makes a new connection fit for calls: initialize, initialized, and
// what an earlier connection had been told.
func (c *Client) shakeHands(l link) error {
	late := fmt.Errorf("%w %s", errStartTimeout, c.cfg.StartTimeout)
	ctx, cancel := context.WithTimeoutCause(c.life, c.cfg.StartTimeout, late)
	defer cancel()
	said, err := c.initialize(ctx, l)
	if err != nil {
		return fmt.Errorf("initialize: %w", c.startError(err))
	}
	l.opened(said.protocol)
	if err := l.send(ctx, jsonrpc.Message{Method: "notifications/initialized"}); err != nil {
		return fmt.Errorf("notifications/initialized: %w", c.startError(err))
	}
	c.mu.Lock()
	said.seen = c.server.seen
	c.server = said
	told := c.memory.recall()
	c.mu.Unlock()
	for _, m := range told {
		if _, err := c.request(ctx, l, m.method, m.params, c.peer); err != nil {
			return fmt.Errorf("%s: %w", m.method, c.startError(err))
		}
	}
	return nil
}

// startError keeps a deadline of the handshake apart from that of a call.
func (c *Client) startError(err error) error {
	if errors.Is(err, errTimeout) {
		return fmt.Errorf("%w %s", errStartTimeout, c.cfg.Timeout)
	}
	return err
}

func (c *Client) initialize(ctx context.Context, l link) (serverInfo, error) {
	var params jsonrpc.Object
	params.Set("protocolVersion", json.RawMessage(`"`+offered+`"`))
	params.Set("capabilities", c.cfg.Capabilities)
	params.Set("clientInfo", c.cfg.ClientInfo)
	m, err := c.request(ctx, l, "initialize", params.Raw(), c.peer)
	if err != nil {
		return serverInfo{}, err
	}
	if m.Error != nil {
		why := c.scrub.shortened(jsonrpc.ReadError(m.Error).Error())
		return serverInfo{}, &permanentError{fmt.Errorf("refused: %s (we speak %s)", why, strings.Join(accepted, ", "))}
	}
	said := serverInfo{
		protocol:     text(m.Result, "/protocolVersion"),
		info:         member(m.Result, "/serverInfo"),
		capabilities: member(m.Result, "/capabilities"),
		instructions: text(m.Result, "/instructions"),
	}
	if !slices.Contains(accepted, said.protocol) {
		return serverInfo{}, &permanentError{fmt.Errorf("server speaks protocol %.40q, we speak %s", said.protocol, strings.Join(accepted, ", "))}
	}
	return said, nil
}
