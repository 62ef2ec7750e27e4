package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// listenMethod is the request whose answer is a stream of notifications.
const listenMethod = "subscriptions/listen"

// cancels ends requests of the stateless version: over HTTP a client cancels a request by
// closing its response, on stdio by a notification. The zero value has none. It is safe for
// concurrent use.
type cancels struct {
	mu  sync.Mutex
	all map[jsonrpc.ID]context.CancelFunc
}

func (c *cancels) add(id jsonrpc.ID, cancel context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = make(map[jsonrpc.ID]context.CancelFunc)
	}
	c.all[id] = cancel
}

func (c *cancels) remove(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.all, id)
}

// cancel ends the request that a notifications/cancelled names. It reports false if there is
// no such request.
func (c *cancels) cancel(msg jsonrpc.Message) bool {
	id, _, err := jsonrpc.DecodeCancelled(msg.Params)
	if err != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	end, ok := c.all[id]
	if ok {
		end()
	}
	return ok
}

// carryStateless carries a request of the version without sessions until it is answered.
func (b *bridge) carryStateless(ctx context.Context, msg jsonrpc.Message) {
	ctx, cancel := context.WithCancel(ctx)
	b.cancels.add(msg.ID, cancel)
	work := func() {
		defer cancel()
		defer b.cancels.remove(msg.ID)
		b.requestStateless(ctx, msg)
	}
	if msg.Method != listenMethod {
		b.calls.Go(work)
		return
	}
	b.streams.Go(func() { // does not keep the bridge from ending
		defer cancel()
		defer b.cancels.remove(msg.ID)
		b.listenStateless(ctx, msg)
	})
}

// listenStateless keeps a subscription open until the client cancels it. The client does not
// see that the daemon is restarted: it gets a notification that the lists may have changed.
func (b *bridge) listenStateless(ctx context.Context, msg jsonrpc.Message) {
	wait := 100 * time.Millisecond
	for again := false; ctx.Err() == nil; again = true {
		isAnswered := false
		err := b.send(ctx, nil, msg, func(m jsonrpc.Message) {
			if m.IsResponse() {
				isAnswered = m.Error != nil || isAnswered
				if m.Error == nil { // the daemon ends: the subscription is opened again
					return
				}
			}
			if again && m.Method == "notifications/subscriptions/acknowledged" {
				b.announceLists(msg)
				wait = 100 * time.Millisecond
				return
			}
			b.write(m)
		})
		if isAnswered || ctx.Err() != nil {
			return
		}
		if errors.Is(err, errNotSent) && !again { // the first request starts a daemon
			if err := b.ensure(ctx); err != nil {
				b.refuse(msg.ID, err)
				return
			}
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
			wait = min(2*wait, 5*time.Second)
		}
	}
}

// announceLists notifies the client of a subscription that its lists may have changed.
func (b *bridge) announceLists(listen jsonrpc.Message) {
	for field, method := range map[string]string{
		"toolsListChanged":     "notifications/tools/list_changed",
		"promptsListChanged":   "notifications/prompts/list_changed",
		"resourcesListChanged": "notifications/resources/list_changed",
	} {
		if m, ok := jsonspan.Lookup(listen.Params, "/notifications/"+field); ok && string(listen.Params[m.Start:m.End]) == "true" {
			b.write(jsonrpc.Message{Method: method, Params: stateless.Tag(nil, listen.ID)})
		}
	}
}
