package xmlscan

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
)

// byTime groups elements that say when, in an attribute or a child, and whose times
// ascend or descend: points of a track, entries of a log.
func (g *grouper) byTime(all []int32) []group {
	name := g.timeOf(all[0])
	if name == nil {
		return nil
	}
	stamps := times.Of(len(all), func(i int) (times.Stamp, bool) { return times.Parse(g.said(all[i], name)) })
	if stamps == nil {
		return nil
	}
	found := times.Groups(stamps, maxLines)
	if found == nil {
		return nil
	}
	list := make([]group, len(found))
	g.of = g.of[:0]
	for k, run := range found {
		var title groupTitle
		for i := run.From; i < run.To; i++ {
			title.add(g.document, all[i])
			g.of = append(g.of, uint8(k+1))
		}
		text := append([]byte(run.Span), ": "...)
		text = append(text, title.text(g.document, run.Size())...)
		list[k] = group{id: run.Name, title: string(caption.Cut(text, 0, maxTitle)), size: run.Size()}
	}
	return list
}

// timeOf is the first attribute or child of an element that holds a time, nil if
// there is none.
func (g *grouper) timeOf(element int32) []byte {
	for a := attributesAt(g.b, int(g.parts[element].Start)); a.next(); {
		if _, ok := times.Parse(a.value); ok {
			return a.name
		}
	}
	i := int(element)
	for j := g.first(i); g.holds(i, j); j = g.next(j) {
		if !g.isElement(j) {
			continue
		}
		tag := g.tagOf(j)
		if _, ok := times.Parse(g.value(j, len(tag))); ok {
			return tag
		}
	}
	return nil
}

// said is what an element says in an attribute or a child.
func (g *grouper) said(element int32, name []byte) []byte {
	if v := g.attribute(element, name); v != nil {
		return v
	}
	return g.child(int(element), name)
}
