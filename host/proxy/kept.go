package proxy

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// KnownLists keeps what servers declared and listed while no daemon runs, so that
// the first session after a restart is not answered with empty lists. Everything in
// it can be read from the servers again: a value may be lost at any time.
//
// Implementations are safe for concurrent use.
type KnownLists interface {
	Get(key string) (value []byte, ok bool)
	// Set keeps a value, which is not modified afterwards. One that cannot be kept is
	// dropped.
	Set(key string, value []byte)
}

// keptKey is the key of one server's lists: a change of its spec makes it another.
func keptKey(subject string, s Server) string {
	return strconv.Quote(subject) + " " + strconv.Quote(s.Name) + " " + s.Revision
}

// keptServer is known as it is kept. JSON of servers is kept as text, so that not a
// byte of it changes.
type keptServer struct {
	Capabilities string              `json:"capabilities"`
	Instructions string              `json:"instructions,omitempty"`
	Lists        map[string]keptList `json:"lists"` // by method
}

type keptList struct {
	Read  time.Time `json:"read"`
	Frame string    `json:"frame,omitempty"` // the first page without its objects
	Items []string  `json:"items"`
	Notes []string  `json:"notes,omitempty"`
}

// MaxKept bounds the bytes that are kept of one server: longer lists are read again.
const MaxKept = 4 << 20

// keep stores the record of a server. The caller holds mu.
func (c *catalog) keep(k *known, key string) {
	if c.kept == nil {
		return
	}
	out, size := keptServer{Capabilities: string(k.capabilities), Instructions: k.instructions, Lists: make(map[string]keptList)}, 0
	for kind, l := range k.lists {
		if l == nil {
			continue
		}
		if size += l.size; size > MaxKept {
			return
		}
		out.Lists[listKind(kind).method()] = l.toKeep(listKind(kind))
	}
	if value, err := json.Marshal(out); err == nil && len(value) <= MaxKept {
		c.kept.Set(key, value)
	}
}

func (l *listing) toKeep(k listKind) keptList {
	out := keptList{Read: l.read, Items: make([]string, len(l.items)), Notes: l.notes}
	for i, it := range l.items {
		out.Items[i] = string(it.raw)
	}
	if array := jsonedit.Member(l.first, k.array()); array.End > 0 {
		p := jsonedit.Patch{Source: l.first}
		p.Replace(array, []byte("[]"))
		out.Frame = string(p.Apply())
	}
	return out
}

// restore fills a new record from the kept lists and skips those that are unreadable.
// The caller holds mu.
func (c *catalog) restore(k *known, key string) {
	if c.kept == nil {
		return
	}
	value, ok := c.kept.Get(key)
	var in keptServer
	if !ok || len(value) > MaxKept || json.Unmarshal(value, &in) != nil || !isObject([]byte(in.Capabilities)) {
		return
	}
	k.capabilities, k.instructions = json.RawMessage(in.Capabilities), in.Instructions
	for kind := range listKinds {
		if one, ok := in.Lists[kind.method()]; ok {
			k.lists[kind] = one.listing(kind)
		}
	}
}

// listing returns the list as it was read, nil if it is damaged.
func (in keptList) listing(k listKind) *listing {
	l := &listing{read: in.Read, kept: true, size: len(in.Frame), notes: in.Notes}
	if in.Frame != "" {
		l.first = []byte(in.Frame)
		if !isObject(l.first) {
			return nil
		}
	}
	for _, text := range in.Items {
		raw := []byte(text)
		if !isObject(raw) {
			return nil
		}
		name := jsonedit.Member(raw, k.key())
		if name.End == 0 || jsonspan.KindAt(raw, name.Start) != jsonspan.String {
			return nil
		}
		l.items = append(l.items, item{raw, jsonedit.Text(raw, name)})
		l.size += len(raw)
	}
	return l
}

func isObject(raw []byte) bool {
	return json.Valid(raw) && bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{"))
}
