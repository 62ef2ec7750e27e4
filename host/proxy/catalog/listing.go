package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/pin"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// Listing is one list of a server, its objects as they came. It is read-only.
type Listing struct {
	Items []Item
	First []byte // the whole result of the first page, for its other members
	Size  int    // bytes of all pages
	Kept  bool   // read by an earlier process
	notes []string

	seen    map[string]bool // names of tools, while the list is read
	read    time.Time
	changes int // the catalog's count of changes before the list was read

	definitions func() []pin.Definition // of a list of tools, computed once
}

// Item is one listed object and its name or URI.
type Item struct {
	Raw  []byte
	Name string
}

// equal reports whether two listings hold the same bytes.
func (l *Listing) equal(o *Listing) bool {
	same := func(x, y Item) bool { return bytes.Equal(x.Raw, y.Raw) }
	return l.Size == o.Size && slices.EqualFunc(l.Items, o.Items, same)
}

// addPage adds the objects of one page and returns the params for the next page, or nil
// after the last one.
func (l *Listing) addPage(page []byte, k Kind) (next json.RawMessage, err error) {
	if l.First == nil {
		l.First = page
	}
	l.Size += len(page)
	var array, cursor jsonspan.Member
	jsonedit.Members(page, func(key []byte, m jsonspan.Member) bool {
		switch {
		case jsonspan.KeyIs(key, k.Array()):
			array = m
		case jsonspan.KeyIs(key, "nextCursor"):
			cursor = m
		}
		return true
	})
	if array.End > 0 && jsonspan.KindAt(page, array.Start) != jsonspan.Array {
		return nil, fmt.Errorf("%q is of kind %s, want array", k.Array(), jsonspan.KindAt(page, array.Start))
	}
	jsonedit.Elements(page, array, func(m jsonspan.Member) { l.addItem(page[m.Start:m.End], k) })
	if cursor.End == 0 || jsonspan.KindAt(page, cursor.Start) != jsonspan.String {
		return nil, nil
	}
	return append(append(json.RawMessage(`{"cursor":`), page[cursor.Start:cursor.End]...), '}'), nil
}

// addItem adds an object, unless it has no name or exceeds the limit.
func (l *Listing) addItem(raw []byte, k Kind) {
	if k == Tools {
		raw = withInputSchema(raw)
	}
	name := jsonedit.Member(raw, k.Key())
	if len(l.Items) >= maxItems || name.End == 0 || jsonspan.KindAt(raw, name.Start) != jsonspan.String {
		return
	}
	it := Item{raw, jsonedit.Text(raw, name)}
	if k == Tools && !l.checkTool(it) {
		return
	}
	l.Items = append(l.Items, it)
}

// maxNotes is the number of notes for one list.
const maxNotes = 10

// checkTool notes faults of a tool. It reports false for a tool with the name of an
// earlier one, which a call could not distinguish.
func (l *Listing) checkTool(it Item) bool {
	if l.seen == nil {
		l.seen = make(map[string]bool)
	}
	twice := l.seen[it.Name]
	l.seen[it.Name] = true
	note := ""
	switch {
	case twice:
		note = "tool " + names.Quote(it.Name) + " is listed twice: the first one is served, the other cannot be called"
	case !jsonedit.Has(it.Raw, "inputSchema"):
		note = "tool " + names.Quote(it.Name) + " has no inputSchema: strict clients refuse the whole list"
	}
	if note != "" && len(l.notes) < maxNotes {
		l.notes = append(l.notes, note)
	}
	return !twice
}

// anyObject is the schema that accepts all arguments.
var anyObject = []byte(`{"type":"object"}`)

// withInputSchema returns a tool whose inputSchema is an invalid value, such as null,
// with a schema that accepts everything. Many clients reject a whole list for one such
// tool, and with it the tools of all other servers.
func withInputSchema(tool []byte) []byte {
	schema := jsonedit.Member(tool, "inputSchema")
	if schema.End == 0 || jsonspan.KindAt(tool, schema.Start) == jsonspan.Object {
		return tool
	}
	p := jsonedit.Patch{Source: tool}
	p.Replace(schema, anyObject)
	return p.Apply()
}
