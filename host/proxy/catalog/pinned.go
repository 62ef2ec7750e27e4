package catalog

import (
	"sync"

	"github.com/mcpctl/mcpctl/host/pin"
)

// newListing returns an empty list.
func newListing() *Listing {
	l := new(Listing)
	l.definitions = sync.OnceValue(func() []pin.Definition {
		all := make([]pin.Definition, len(l.Items))
		for i, it := range l.Items {
			all[i] = pin.NewDefinition(it.Name, it.Raw)
		}
		return all
	})
	return l
}

// pin compares the tools that a server has listed with the approved ones.
func (c *Catalog) pin(id ID, kind Kind, l *Listing) {
	if kind != Tools || c.pins == nil {
		return
	}
	c.mu.Lock()
	if before := c.entry(id).lists[kind]; before != nil && before.equal(l) {
		l.definitions = before.definitions // not computed again for each session
	}
	c.mu.Unlock()
	c.pins.Record(id.Server, l.definitions())
}

// shown returns a list as clients see it: of a server with the policy hold, tools have
// their approved definitions. The catalog keeps the list that the server sent, so that an
// approval needs no other one. Of the result around such a list only the tools remain: the
// other members are text of the server, too.
func (c *Catalog) shown(id ID, kind Kind, l *Listing) *Listing {
	if kind != Tools || l == nil || c.pins == nil {
		return l
	}
	if !c.pins.Holds(id.Server) {
		return l
	}
	instead := c.pins.Substitutes(id.Server, l.definitions)
	out := *l
	out.First = nil
	out.Items = make([]Item, 0, len(l.Items))
	for i, it := range l.Items {
		switch text, held := instead[i]; {
		case !held:
			out.Items = append(out.Items, it)
		case text != "":
			out.Items = append(out.Items, Item{[]byte(text), it.Name})
		}
	}
	return &out
}
