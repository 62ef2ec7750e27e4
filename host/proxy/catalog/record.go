package catalog

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// Store keeps the declarations and the lists of servers while no daemon runs, so that the
// first session after a restart does not get empty lists. Values may be lost at any time,
// because they can be read from the servers again.
//
// Implementations are safe for concurrent use.
type Store interface {
	Get(key string) (value []byte, ok bool)
	// Set keeps a value, which is not modified afterwards. A value that cannot be kept is
	// dropped.
	Set(key string, value []byte)
}

// ID identifies one server for one subject.
type ID struct {
	Subject  string
	Server   string
	Revision string // changes with the server's spec, which invalidates the record
}

// key returns the key under which the lists are kept between processes.
func (id ID) key() string {
	return strconv.Quote(id.Subject) + " " + strconv.Quote(id.Server) + " " + id.Revision
}

// record holds the last declarations and lists of one server for one subject.
type record struct {
	revision     string
	capabilities json.RawMessage
	instructions string
	lists        [Kinds]*Listing
	first        [Kinds]chan struct{} // closed once there is a list
	changes      [Kinds]int           // number of list_changed notifications
	absent       bool                 // it did not answer the last list request
	toolsFault   error                // why its tools could not be listed
	oversize     [Kinds]*oversize
	reading      [Kinds]chan struct{} // closed after the first read of a list
}

func newRecord(revision string) *record {
	k := &record{revision: revision}
	for kind := range k.first {
		k.first[kind] = make(chan struct{})
	}
	return k
}

// keptRecord is a record as it is stored. JSON of servers is stored as text, so that
// its bytes do not change.
type keptRecord struct {
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

// MaxKept is the number of bytes that are kept of one server. Longer lists are read
// again after a restart.
const MaxKept = 4 << 20

// encode returns the record as it is stored; ok is false if it is too large.
func (k *record) encode() (value []byte, ok bool) {
	out, size := keptRecord{Capabilities: string(k.capabilities), Instructions: k.instructions, Lists: make(map[string]keptList)}, 0
	for kind, l := range k.lists {
		if l == nil {
			continue
		}
		if size += l.Size; size > MaxKept {
			return nil, false
		}
		out.Lists[Kind(kind).Method()] = l.toKeep(Kind(kind))
	}
	value, err := json.Marshal(out)
	return value, err == nil && len(value) <= MaxKept
}

func (l *Listing) toKeep(k Kind) keptList {
	out := keptList{Read: l.read, Items: make([]string, len(l.Items)), Notes: l.notes}
	for i, it := range l.Items {
		out.Items[i] = string(it.Raw)
	}
	if array := jsonedit.Member(l.First, k.Array()); array.End > 0 {
		p := jsonedit.Patch{Source: l.First}
		p.Replace(array, []byte("[]"))
		out.Frame = string(p.Apply())
	}
	return out
}

// decode fills a new record from a stored value and skips unreadable lists.
func (k *record) decode(value []byte) {
	var in keptRecord
	if len(value) > MaxKept || json.Unmarshal(value, &in) != nil || !isObject([]byte(in.Capabilities)) {
		return
	}
	k.capabilities, k.instructions = json.RawMessage(in.Capabilities), in.Instructions
	for kind := range Kinds {
		if one, ok := in.Lists[kind.Method()]; ok {
			k.lists[kind] = one.listing(kind)
		}
	}
}

// listing returns the list as read from the server, or nil if it is damaged.
func (in keptList) listing(k Kind) *Listing {
	l := newListing()
	l.read, l.Kept, l.Size, l.notes = in.Read, true, len(in.Frame), in.Notes
	if in.Frame != "" {
		l.First = []byte(in.Frame)
		if !isObject(l.First) {
			return nil
		}
	}
	for _, text := range in.Items {
		raw := []byte(text)
		if !isObject(raw) {
			return nil
		}
		name := jsonedit.Member(raw, k.Key())
		if name.End == 0 || jsonspan.KindAt(raw, name.Start) != jsonspan.String {
			return nil
		}
		l.Items = append(l.Items, Item{raw, jsonedit.Text(raw, name)})
		l.Size += len(raw)
	}
	return l
}

func isObject(raw []byte) bool {
	return json.Valid(raw) && bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{"))
}
