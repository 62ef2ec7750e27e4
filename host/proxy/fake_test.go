package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// fakeServer is a server in the test, which answers by method.
type fakeServer struct {
	caps         string // "": tools only
	instructions string
	answer       func(ctx context.Context, c fakeCall) flow.Reply
	up           chan struct{} // closed when it can be reached; nil: always

	mu     sync.Mutex
	calls  []fakeCall
	peers  []Peer // of the connections, in the order they were made
	closed atomic.Int32
}

// fakeCall is one request that reached a fakeServer.
type fakeCall struct {
	method string
	params string
	client Client
	peer   Peer
}

// fakeUpstreams are servers by name.
type fakeUpstreams map[string]*fakeServer

func (u fakeUpstreams) For(_ context.Context, _ flow.Scope, s Server, c Client, p Peer) (Upstream, error) {
	f := u[s.Name]
	if f == nil {
		return nil, fmt.Errorf("server %q: %w", s.Name, abi.ErrNotFound)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.peers = append(f.peers, p)
	return &fakeUpstream{fakeServer: f, client: c}, nil
}

type fakeUpstream struct {
	*fakeServer
	client Client
}

func (u *fakeUpstream) Call(ctx context.Context, method string, params json.RawMessage, p Peer) (flow.Reply, error) {
	if err := u.Ready(ctx); err != nil {
		return flow.Reply{}, err
	}
	c := fakeCall{method, string(params), u.client, p}
	u.mu.Lock()
	u.calls = append(u.calls, c)
	answer := u.answer
	u.mu.Unlock()
	reply := answer(ctx, c)
	if m, err := jsonrpc.DecodeUpstream(slices.Concat([]byte(`{"jsonrpc":"2.0","id":1,"result":`), reply.Result, []byte(`}`)), jsonrpc.Limits{}); err == nil {
		reply.Marks = flow.Marks(m.Marks) // as host/upstream does
	}
	if reply.Result == nil && reply.Error == nil {
		return reply, fmt.Errorf("upstream: %s: %w: connection closed", method, abi.ErrUnavailable)
	}
	return reply, ctx.Err()
}

func (u *fakeUpstream) CallRepeatable(ctx context.Context, method string, params json.RawMessage, p Peer) (flow.Reply, error) {
	return u.Call(ctx, method+" (repeatable)", params, p)
}

func (u *fakeUpstream) Notify(_ context.Context, method string, params json.RawMessage) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.calls = append(u.calls, fakeCall{method, string(params), u.client, nil})
	return nil
}

func (u *fakeUpstream) Ready(ctx context.Context) error {
	if u.up == nil {
		return nil
	}
	select {
	case <-u.up:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (u *fakeUpstream) Capabilities() json.RawMessage {
	select {
	case <-u.reachable():
	default:
		return nil
	}
	if u.caps == "" {
		return json.RawMessage(`{"tools":{}}`)
	}
	return json.RawMessage(u.caps)
}

func (u *fakeUpstream) reachable() chan struct{} {
	if u.up != nil {
		return u.up
	}
	now := make(chan struct{})
	close(now)
	return now
}

func (u *fakeUpstream) Instructions() string { return u.instructions }

func (u *fakeUpstream) Close() error { u.closed.Add(1); return nil }

// setAnswer replaces the answers of the server.
func (f *fakeServer) setAnswer(answer func(ctx context.Context, c fakeCall) flow.Reply) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer = answer
}

// got returns the params of all calls of one method.
func (f *fakeServer) got(method string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, c := range f.calls {
		if c.method == method {
			all = append(all, c.params)
		}
	}
	return all
}

// scriptedServer returns a server that answers each method with one JSON text. A text that
// begins with "error:" is a JSON-RPC error object; a missing text loses the connection.
// The server declares the capabilities for its methods.
func scriptedServer(answers map[string]string) *fakeServer {
	var caps []jsonedit.Field
	for _, name := range []string{"tools", "prompts", "resources", "completion", "logging", "tasks"} {
		for method := range answers {
			if strings.HasPrefix(method, name+"/") {
				caps = append(caps, jsonedit.Raw(strings.Replace(name, "completion", "completions", 1), capabilityOf(name, answers)))
				break
			}
		}
	}
	return &fakeServer{caps: string(jsonedit.Object(caps...)), answer: func(_ context.Context, c fakeCall) flow.Reply {
		text, ok := answers[strings.TrimSuffix(c.method, " (repeatable)")]
		if !ok {
			return flow.Reply{}
		}
		if len(text) > 6 && text[:6] == "error:" {
			return flow.Reply{Error: []byte(text[6:])}
		}
		return flow.Reply{Result: []byte(text)}
	}}
}

// capabilityOf returns the value of a capability.
func capabilityOf(name string, answers map[string]string) []byte {
	if _, lists := answers["tasks/list"]; name == "tasks" && lists {
		return []byte(`{"list":{}}`)
	}
	return []byte(`{}`)
}
