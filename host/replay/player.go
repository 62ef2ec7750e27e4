package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/recording"
)

// Player answers for the servers of a recording. Safe for concurrent use.
type Player struct {
	lists map[string]lists // by server
	all   []recording.Line

	mu      sync.Mutex
	current int // index of the exchange that is played
	missing int // requests that the recording cannot answer
}

// lists are the lists of one server, each as the result of its request.
type lists map[string]json.RawMessage

// New returns a Player for a recording whose project has these servers.
func New(r *recording.Recording, servers []string) *Player {
	p := &Player{lists: make(map[string]lists), all: r.Exchanges}
	for _, name := range servers {
		p.lists[name] = newLists(r, name, name == servers[0])
	}
	return p
}

// Play sets the exchange whose answers servers give next.
func (p *Player) Play(index int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current = index
}

// Missing returns the number of requests that the recording could not answer.
func (p *Player) Missing() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.missing
}

// For implements proxy.Upstreams.
func (p *Player) For(_ context.Context, _ flow.Scope, server proxy.Server, _ proxy.Client, _ proxy.Peer) (proxy.Upstream, error) {
	l, ok := p.lists[server.Name]
	if !ok {
		return nil, &proxy.ConfigError{Why: fmt.Sprintf("server %q is not in the recording", server.Name)}
	}
	return upstream{p, server.Name, l}, nil
}

// errUnrecorded is the answer to a request that is not in the recording.
var errUnrecorded = errors.New("the recording has no answer to this request")

// answer returns the recorded answer to a request: that of the exchange that is played,
// otherwise the first one to an equal request.
func (p *Player) answer(server, method string, params json.RawMessage) (flow.Reply, error) {
	var asked struct {
		Name      string          `json:"name"`
		URI       string          `json:"uri"`
		Arguments json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(params, &asked) // the proxy made it
	label := asked.URI
	if method != "resources/read" {
		label = server + "/" + asked.Name
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current < len(p.all) {
		if l := &p.all[p.current]; l.Method == method && l.Label == label {
			if reply, err := replyOf(l); !errors.Is(err, errUnrecorded) {
				return reply, err
			}
		}
	}
	for i := range p.all {
		l := &p.all[i]
		if l.Method != method || l.Label != label || method == "tools/call" && !isEqual(sentArguments(l), asked.Arguments) {
			continue
		}
		if reply, err := replyOf(l); !errors.Is(err, errUnrecorded) {
			return reply, err
		}
	}
	p.missing++
	return flow.Reply{}, errUnrecorded
}

// replyOf returns what a server answered in an exchange. The error is that of a server
// which could not answer.
func replyOf(l *recording.Line) (flow.Reply, error) {
	switch {
	case l.Upstream.Result != nil || l.Upstream.Error != nil:
		return l.Upstream, nil
	case l.Section == nil && !l.Withheld && l.IsError && l.UpstreamMicros > 0:
		return flow.Reply{}, errors.New(l.Error)
	}
	return flow.Reply{}, errUnrecorded
}

// sentArguments returns the arguments that the server got.
func sentArguments(l *recording.Line) json.RawMessage {
	if l.Called != "" {
		return l.RoutedArgs
	}
	return l.Arguments
}

// isEqual reports whether two arguments are equal JSON values.
func isEqual(a, b json.RawMessage) bool { return bytes.Equal(canonical(a), canonical(b)) }

func canonical(raw json.RawMessage) []byte {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v := map[string]any{}
	_ = d.Decode(&v)          // absent arguments are equal to empty ones
	delete(v, "_section")     // not sent to servers
	out, _ := json.Marshal(v) // keys are sorted
	return out
}

// upstream implements proxy.Upstream for one server.
type upstream struct {
	p      *Player
	server string
	lists  lists
}

// Call implements proxy.Upstream.
func (u upstream) Call(_ context.Context, method string, params json.RawMessage, _ proxy.Peer) (flow.Reply, error) {
	if list, ok := u.lists[method]; ok {
		return flow.Reply{Result: list}, nil
	}
	switch method {
	case "tools/call", "prompts/get", "resources/read":
		return u.p.answer(u.server, method, params)
	case "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		return flow.Reply{Result: []byte(`{}`)}, nil
	}
	return flow.Reply{Error: jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "%s is not replayed", method).Raw()}, nil
}

// CallRepeatable implements proxy.Upstream.
func (u upstream) CallRepeatable(ctx context.Context, method string, params json.RawMessage, peer proxy.Peer) (flow.Reply, error) {
	return u.Call(ctx, method, params, peer)
}

// Notify implements proxy.Upstream.
func (u upstream) Notify(context.Context, string, json.RawMessage) error { return nil }

// Ready implements proxy.Upstream.
func (u upstream) Ready(context.Context) error { return nil }

// Capabilities implements proxy.Upstream.
func (u upstream) Capabilities() json.RawMessage {
	return json.RawMessage(`{"tools":{},"prompts":{},"resources":{}}`)
}

// Instructions implements proxy.Upstream.
func (u upstream) Instructions() string { return "" }

// Close implements proxy.Upstream.
func (u upstream) Close() error { return nil }

// newLists returns the lists of a server: its recorded tools, and everything else that
// was requested from it. A resource does not name its server; it belongs to the first one.
func newLists(r *recording.Recording, server string, isFirst bool) lists {
	tools, prompts, resources := newList(), newList(), newList()
	for _, t := range r.Tools {
		if t.Server == server {
			tools.add(nameOf(t.Definition), t.Definition)
		}
	}
	for i := range r.Exchanges {
		l := &r.Exchanges[i]
		name, own := strings.CutPrefix(l.Label, server+"/")
		switch {
		case l.Method == "tools/call" && own:
			tools.add(name, object("name", name, `"inputSchema":{"type":"object"}`))
		case l.Method == "prompts/get" && own:
			prompts.add(name, object("name", name, ""))
		case l.Method == "resources/read" && isFirst && !strings.HasPrefix(l.Label, proxy.LibraryPrefix):
			resources.add(l.Label, object("uri", l.Label, `"name":"resource"`))
		}
	}
	return lists{
		"tools/list": tools.result("tools"), "prompts/list": prompts.result("prompts"), "resources/list": resources.result("resources"),
		"resources/templates/list": json.RawMessage(`{"resourceTemplates":[]}`),
	}
}

// list is a list without duplicates.
type list struct {
	seen  map[string]bool
	items [][]byte
}

func newList() *list { return &list{seen: make(map[string]bool)} }

func (l *list) add(name string, item json.RawMessage) {
	if !l.seen[name] {
		l.seen[name] = true
		l.items = append(l.items, item)
	}
}

func (l *list) result(array string) json.RawMessage {
	out := append([]byte(`{"`+array+`":[`), bytes.Join(l.items, []byte(","))...)
	return append(out, `]}`...)
}

func nameOf(definition json.RawMessage) string {
	var d struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(definition, &d) // checked when it was listed
	return d.Name
}

// object returns {"key":"value",rest}.
func object(key, value, rest string) json.RawMessage {
	text, _ := json.Marshal(value) // never fails for a string
	out := append([]byte(`{"`+key+`":`), text...)
	if rest != "" {
		out = append(append(out, ','), rest...)
	}
	return append(out, '}')
}
