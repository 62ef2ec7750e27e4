package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// Bounds of what one server can list.
const (
	MaxPages = 200
	maxItems = 20_000
)

// listKind is one of the lists of MCP.
type listKind int

const (
	tools listKind = iota
	prompts
	resources
	templates
	listKinds // the number of kinds above, which the catalog keeps

	tasks = listKinds // read again at each request
)

var listKindTable = [...]struct {
	method, array, key, capability, changed string
}{
	tools:     {"tools/list", "tools", "name", "tools", "notifications/tools/list_changed"},
	prompts:   {"prompts/list", "prompts", "name", "prompts", "notifications/prompts/list_changed"},
	resources: {"resources/list", "resources", "uri", "resources", "notifications/resources/list_changed"},
	templates: {"resources/templates/list", "resourceTemplates", "uriTemplate", "resources", "notifications/resources/list_changed"},
	tasks:     {"tasks/list", "tasks", "taskId", "tasks", ""},
}

func (k listKind) method() string     { return listKindTable[k].method }
func (k listKind) array() string      { return listKindTable[k].array }
func (k listKind) key() string        { return listKindTable[k].key }
func (k listKind) capability() string { return listKindTable[k].capability }
func (k listKind) changed() string    { return listKindTable[k].changed }

// listing is what one server listed, its objects as they came. It is read-only.
type listing struct {
	items   []item
	first   []byte          // the first page's whole result, for its other members
	size    int             // bytes of all pages
	notes   []string        // what clients will trip over, for people
	seen    map[string]bool // names of tools, while the list is read
	read    time.Time
	changes int  // of catalog.changes before it was read
	kept    bool // it was read by an earlier process
}

// equal reports whether two listings hold the same bytes.
func (l *listing) equal(o *listing) bool {
	same := func(x, y item) bool { return bytes.Equal(x.raw, y.raw) }
	return l.size == o.size && slices.EqualFunc(l.items, o.items, same)
}

// item is one listed object and the name or URI that it goes by.
type item struct {
	raw  []byte
	name string
}

// replyError is a JSON-RPC error that a server answered a list with.
type replyError struct {
	server string
	raw    []byte
	said   string // without the server's secrets

	cleaner cleaner // of the server, nil if it has none
}

func (e *replyError) Error() string {
	return fmt.Sprintf("server %q: %s", e.server, e.said)
}

// cleaner is an Upstream that knows the secrets of its server.
type cleaner interface{ Clean(text string) string }

func newReplyError(server string, up Upstream, raw []byte) *replyError {
	said := jsonrpc.ReadError(raw).Error()
	c, ok := up.(cleaner)
	if ok {
		said = c.Clean(said)
	}
	return &replyError{server, raw, said, c}
}

// readList asks a server for a whole list, page by page. A server without the
// capability or the method has an empty list.
//
// Limits: 200 pages and 20,000 objects; the rest is left out, which is the first of the
// notes.
// Errors: of Upstream.Call; *replyError; *oversizeError for more than most bytes.
func readList(ctx context.Context, server string, up Upstream, k listKind, most int) (*listing, error) {
	l := new(listing)
	if caps := up.Capabilities(); caps != nil && jsonedit.Member(caps, k.capability()).End == 0 {
		return l, nil
	}
	var params json.RawMessage
	for range MaxPages {
		reply, err := up.Call(ctx, k.method(), params, deafPeer{})
		if err != nil {
			return nil, err
		}
		if reply.Error != nil {
			if len(l.items) == 0 && jsonrpc.ReadError(reply.Error).Code == jsonrpc.CodeMethodNotFound {
				return l, nil
			}
			return nil, newReplyError(server, up, reply.Error)
		}
		if l.size+len(reply.Result) > most {
			return nil, fmt.Errorf("server %q: %w", server, &oversizeError{k, most})
		}
		next, err := l.addPage(reply.Result, k)
		if err != nil {
			return nil, fmt.Errorf("%w: server %q: %s: %w", abi.ErrUnavailable, server, k.method(), err)
		}
		if next == nil || bytes.Equal(next, params) {
			return l, nil
		}
		if len(l.items) >= maxItems {
			break
		}
		params = next
	}
	l.notes = append([]string{cutNote(k, len(l.items))}, l.notes...)
	return l, nil
}

// cutNote says that a list was not read to its end.
func cutNote(k listKind, listed int) string {
	limit := fmt.Sprintf("%d pages", MaxPages)
	if listed >= maxItems {
		limit = fmt.Sprintf("%d entries", maxItems)
	}
	return fmt.Sprintf("its list of %s is longer than the limit of %s: only the first %d are listed", k.array(), limit, listed)
}

// addPage takes the objects of one page and returns the params that ask for the
// next one, nil after the last.
func (l *listing) addPage(page []byte, k listKind) (next json.RawMessage, err error) {
	if l.first == nil {
		l.first = page
	}
	l.size += len(page)
	var array, cursor jsonspan.Member
	jsonedit.Members(page, func(key []byte, m jsonspan.Member) bool {
		switch {
		case jsonspan.KeyIs(key, k.array()):
			array = m
		case jsonspan.KeyIs(key, "nextCursor"):
			cursor = m
		}
		return true
	})
	if array.End > 0 && jsonspan.KindAt(page, array.Start) != jsonspan.Array {
		return nil, fmt.Errorf("%q is of kind %s, want array", k.array(), jsonspan.KindAt(page, array.Start))
	}
	jsonedit.Elements(page, array, func(m jsonspan.Member) {
		raw := page[m.Start:m.End]
		if k == tools {
			raw = callable(raw)
		}
		name := jsonedit.Member(raw, k.key())
		if len(l.items) >= maxItems || name.End == 0 || jsonspan.KindAt(raw, name.Start) != jsonspan.String {
			return
		}
		it := item{raw, jsonedit.Text(raw, name)}
		if k == tools && !l.admit(it) {
			return
		}
		l.items = append(l.items, it)
	})
	if cursor.End == 0 || jsonspan.KindAt(page, cursor.Start) != jsonspan.String {
		return nil, nil
	}
	return append(append(json.RawMessage(`{"cursor":`), page[cursor.Start:cursor.End]...), '}'), nil
}

// maxNotes bounds the notes of one list.
const maxNotes = 10

// admit records the faults of a tool. It reports false for a tool with the name of an
// earlier one: a call could not distinguish them.
func (l *listing) admit(it item) bool {
	if l.seen == nil {
		l.seen = make(map[string]bool)
	}
	twice := l.seen[it.name]
	l.seen[it.name] = true
	note := ""
	switch {
	case twice:
		note = "tool " + names.Quote(it.name) + " is listed twice: the first one is served, the other cannot be called"
	case !jsonedit.Has(it.raw, "inputSchema"):
		note = "tool " + names.Quote(it.name) + " has no inputSchema: strict clients refuse the whole list"
	}
	if note != "" && len(l.notes) < maxNotes {
		l.notes = append(l.notes, note)
	}
	return !twice
}

// anyObject is the schema of arguments of which nothing is known.
var anyObject = []byte(`{"type":"object"}`)

// callable gives a tool whose schema of arguments is none, such as null, the one that
// allows all: many clients refuse a whole list for one such tool, and with it the tools
// of every other server.
func callable(tool []byte) []byte {
	schema := jsonedit.Member(tool, "inputSchema")
	if schema.End == 0 || jsonspan.KindAt(tool, schema.Start) == jsonspan.Object {
		return tool
	}
	p := jsonedit.Patch{Source: tool}
	p.Replace(schema, anyObject)
	return p.Apply()
}

// deafPeer is the peer of calls that nobody at the client made.
type deafPeer struct{}

func (deafPeer) Request(context.Context, string, json.RawMessage) flow.Reply {
	return flow.Reply{Error: jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "no client is waiting for this").Raw()}
}

func (deafPeer) Notify(string, json.RawMessage) {}
