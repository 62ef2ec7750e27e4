package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/stateless"
)

const (
	// discoverLimit bounds the wait for the answer to the first server/discover, which a
	// server of an earlier version may ignore, or one that is starting not read yet.
	discoverLimit = 2 * time.Second
	// maxRounds is how often one call may ask for input.
	maxRounds = 16
	// maxQuestions is the number of questions in one answer.
	maxQuestions = 64
)

// errNotStateless means that a server does not speak the stateless version.
var errNotStateless = errors.New("server speaks no version without sessions")

// errProbed means that a process has ended when it was asked for the stateless version,
// which servers of earlier versions do not expect before initialize.
var errProbed = errors.New("server has ended on server/discover, it is started again without")

// discover asks the server to describe itself in the stateless version. If it does, all
// later requests over the link use that version.
//
// Errors: errNotStateless; errProbed.
func discover(ctx context.Context, c *Client, l link) (serverInfo, error) {
	w := l.wired()
	w.stateless.Store(true)
	m, err := c.request(ctx, l, "server/discover", describeClient(c).Describe(nil), c.peer)
	if err == nil && m.Result != nil && speaksStateless(m.Result) {
		return serverInfo{
			protocol:     stateless.Version,
			info:         member(m.Result, "/_meta/io.modelcontextprotocol~1serverInfo"),
			capabilities: slices.Clone(orEmpty(member(m.Result, "/capabilities"))),
			instructions: text(m.Result, "/instructions"),
		}, nil
	}
	w.stateless.Store(false)
	if w.boxed && w.cause() != nil {
		return serverInfo{}, errProbed
	}
	return serverInfo{}, errNotStateless
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage(`{}`)
	}
	return raw
}

// speaksStateless reports whether the result of server/discover lists the version.
func speaksStateless(result json.RawMessage) (yes bool) {
	jsonedit.Elements(result, jsonedit.Member(result, "supportedVersions"), func(m jsonspan.Member) {
		yes = yes || jsonedit.Text(result, m) == stateless.Version
	})
	return yes
}

// describeClient returns the description of the client for each request.
func describeClient(c *Client) stateless.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	return stateless.Client{Info: c.cfg.ClientInfo, Capabilities: c.cfg.Capabilities, LogLevel: text(c.memory.level, "/level")}
}

// ask makes a call in the version of the server.
func ask(ctx context.Context, c *Client, l link, method string, params json.RawMessage, peer Peer) (jsonrpc.Message, error) {
	if !l.wired().stateless.Load() {
		return c.request(ctx, l, method, params, peer)
	}
	switch method {
	case "ping":
		m, err := c.request(ctx, l, "server/discover", describeClient(c).Describe(nil), peer)
		if err == nil && m.Error == nil {
			m.Result = json.RawMessage(`{}`)
		}
		return m, err
	case "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		// The caller records it: the level is part of each request, the resources are part
		// of the subscription, which is opened again.
		return jsonrpc.Message{Result: json.RawMessage(`{}`)}, nil
	}
	return askWithInput(ctx, c, l, method, params, peer)
}

// askWithInput makes a call. As long as the server asks for input, peer gives it and the
// call is made again with it.
func askWithInput(ctx context.Context, c *Client, l link, method string, params json.RawMessage, peer Peer) (jsonrpc.Message, error) {
	described := describeClient(c).Describe(params)
	next := described
	for range maxRounds {
		m, err := askOnce(ctx, c, l, method, next, peer)
		if err != nil || m.Result == nil {
			return m, err
		}
		in, asks := stateless.ReadInput(m.Result)
		if !asks {
			return m, checkResultType(m.Result)
		}
		if bad := checkQuestions(in.Requests); bad != nil {
			return jsonrpc.Message{}, bad
		}
		if len(in.Requests) > maxQuestions {
			return jsonrpc.Message{}, fmt.Errorf("server asks %d questions at once, limit %d", len(in.Requests), maxQuestions)
		}
		responses, refused := collectInput(ctx, peer, in.Requests)
		if refused != nil {
			return jsonrpc.Message{Error: refused}, nil
		}
		if ctx.Err() != nil {
			return jsonrpc.Message{}, context.Cause(ctx)
		}
		next = stateless.Repeat(described, responses, in.State)
	}
	return jsonrpc.Message{}, fmt.Errorf("server has asked for input %d times in one call", maxRounds)
}

// checkResultType refuses the results of extensions, which this client does not declare.
func checkResultType(result json.RawMessage) error {
	m := jsonedit.Member(result, "resultType")
	if m.End == 0 || jsonedit.Text(result, m) == "complete" {
		return nil
	}
	return fmt.Errorf("server answered a result of unknown type %.40s", result[m.Start:m.End])
}

// checkQuestions refuses questions that servers may not ask.
func checkQuestions(questions []stateless.InputRequest) error {
	for _, q := range questions {
		switch q.Method {
		case "elicitation/create", "sampling/createMessage", rootsRequest:
		default:
			return fmt.Errorf("server asks the client for %.40q, which no server may", q.Method)
		}
	}
	return nil
}

// collectInput asks all questions at the same time. refused is the first error.
func collectInput(ctx context.Context, peer Peer, questions []stateless.InputRequest) (responses []jsonedit.Field, refused json.RawMessage) {
	replies := make([]flow.Reply, len(questions))
	var wg sync.WaitGroup
	for i, q := range questions {
		if peer == nil {
			replies[i].Error = jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "method %q not found", q.Method).Raw()
			continue
		}
		wg.Go(func() { replies[i] = peer.Request(flow.WithQuestionKey(ctx, q.Key), q.Method, q.Params) })
	}
	wg.Wait()
	for i, reply := range replies {
		if reply.Error != nil {
			return nil, reply.Error
		}
		responses = append(responses, jsonedit.Raw(questions[i].Key, orEmpty(reply.Result)))
	}
	return responses, nil
}

// askOnce makes one request. Over HTTP a tools/call whose headers are outdated is made
// again after the tools have been read.
func askOnce(ctx context.Context, c *Client, l link, method string, params json.RawMessage, peer Peer) (jsonrpc.Message, error) {
	m, err := c.request(ctx, l, method, params, peer)
	switch {
	case err != nil || !l.wired().closes:
		return m, err
	case method == "tools/list" && m.Result != nil:
		l.wired().tools.Record(m.Result)
	case method == "tools/call" && m.Error != nil && jsonrpc.ReadError(m.Error).Code == stateless.CodeHeaderMismatch:
		if err := readToolHeaders(ctx, c, l, peer); err == nil {
			return c.request(ctx, l, method, params, peer)
		}
	}
	return m, err
}

// readToolHeaders reads the tools of the server to learn which arguments headers repeat.
func readToolHeaders(ctx context.Context, c *Client, l link, peer Peer) error {
	const maxPages = 100
	params := describeClient(c).Describe(nil)
	for range maxPages {
		m, err := askOnce(ctx, c, l, "tools/list", params, peer)
		if err != nil {
			return err
		}
		cursor := text(m.Result, "/nextCursor")
		if m.Result == nil || cursor == "" {
			return nil
		}
		params = describeClient(c).Describe(jsonedit.Object(jsonedit.String("cursor", cursor)))
	}
	return nil
}

// listenStateless keeps a subscription open for changes of the server's lists and of the
// resources that the session has subscribed to, as long as the link exists.
func listenStateless(c *Client, l link) {
	w := l.wired()
	for failures := 0; w.cause() == nil && c.life.Err() == nil; {
		c.mu.Lock()
		params, changed := stateless.Listen(c.server.capabilities, c.memory.uris()), c.relisten
		c.mu.Unlock()
		if params == nil {
			select {
			case <-changed:
			case <-w.lost:
			case <-c.life.Done():
			}
			continue
		}
		began := time.Now()
		ctx, cancel := context.WithCancelCause(c.life)
		ended := make(chan struct{})
		go func() {
			select {
			case <-changed:
				endSubscription(c, l, ended)
			case <-w.lost:
			case <-ended:
			}
			cancel(errSubscriptionChanged)
		}()
		m, err := c.request(ctx, l, listenMethod, describeClient(c).Describe(params), nil)
		if err == nil && m.Error != nil { // the server has no subscriptions, or not these
			<-ctx.Done()
		}
		close(ended)
		if failures++; time.Since(began) >= steady || isClosed(changed) {
			failures = 0
		}
		if failures == 0 {
			continue
		}
		select {
		case <-time.After(backoff(failures)):
		case <-changed:
		case <-w.lost:
		case <-c.life.Done():
		}
	}
}

// subscriptionEnd is how long a subscription over stdio may take to end before the next one is
// opened. The Go SDK forgets all subscriptions of a process when one ends.
const subscriptionEnd = 250 * time.Millisecond

// endSubscription ends the subscription of a link, and waits for a limited time until it has
// ended. Over HTTP a closed response ends it, which is left to the caller.
func endSubscription(c *Client, l link, ended <-chan struct{}) {
	w := l.wired()
	if w.endsByClosing() {
		return
	}
	if id, ok := w.calls.subscription(); ok {
		c.sendCancelled(l, id, errSubscriptionChanged)
	}
	select {
	case <-ended:
	case <-w.lost:
	case <-time.After(subscriptionEnd):
	}
}

// isClosed reports whether a channel without values is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// errSubscriptionChanged ends a subscription that is opened again with other resources.
var errSubscriptionChanged = errors.New("subscription changed")
