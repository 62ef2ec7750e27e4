package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// node is a section as a crawl over the bracket lines found it.
type node struct {
	answer
	id       string
	spans    []span // of the original: one, but for groups
	children []*node
}

type span struct{ start, end int }

func (s span) holds(t target) bool   { return s.start <= t.start && t.end <= s.end }
func (s span) touches(t target) bool { return s.start < t.end && t.start < s.end }

func (n *node) holds(t target) bool {
	return slices.ContainsFunc(n.spans, func(s span) bool { return s.holds(t) })
}

func (n *node) touches(t target) bool {
	return slices.ContainsFunc(n.spans, func(s span) bool { return s.touches(t) })
}

// crawl opens every offered section once.
func (p *product) crawl(ctx context.Context, id string, a answer) (*node, error) {
	n := &node{answer: a, id: id}
	if a.Meta.Literal != nil { // its bytes are those of a decoded string
		n.spans = []span{{a.Meta.Literal[0], a.Meta.Literal[1]}}
	} else if a.Meta.Bytes != nil {
		n.spans = []span{{a.Meta.Bytes[0], a.Meta.Bytes[1]}}
	}
	for _, o := range a.Meta.Offers {
		got, err := p.read(ctx, o)
		if err != nil {
			return nil, err
		}
		child, err := p.crawl(ctx, o, got)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, child)
	}
	if n.spans == nil {
		n.spans = union(n.children)
	}
	return n, nil
}

// union joins the spans of parts.
func union(parts []*node) []span {
	var all, out []span
	for _, p := range parts {
		all = append(all, p.spans...)
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	for _, s := range all {
		if n := len(out) - 1; n >= 0 && s.start <= out[n].end {
			out[n].end = max(out[n].end, s.end)
			continue
		}
		out = append(out, s)
	}
	return out
}

// maxWhole is the most that "id!" gives.
const maxWhole = 40_000

// perfect is the hunt of a client that knows which section holds which bytes: it
// measures the index itself.
func (p *product) perfect(root *node, t target) hunt {
	h := hunt{tokens: root.tokens}
	text := p.file.text[t.start:t.end]
	for at := root; ; {
		if strings.Contains(at.Text, text) {
			h.found = true
			return h
		}
		i := slices.IndexFunc(at.children, func(c *node) bool { return c.holds(t) })
		if i < 0 {
			return p.gather(h, at, t)
		}
		at = at.children[i]
		h.pay(at.answer)
	}
}

// gather ends a hunt whose target lies across the children of a section: by the
// whole of it, or by each child that it touches.
func (p *product) gather(h hunt, at *node, t target) hunt {
	whole, parts, calls := -1, 0, 0
	for _, s := range at.spans {
		if s.holds(t) && s.end-s.start <= maxWhole {
			whole = callCost + p.count.tokens(p.file.text[s.start:s.end])
		}
	}
	for _, c := range at.children {
		if !c.touches(t) {
			continue
		}
		calls++
		parts += callCost
		for _, s := range c.spans {
			parts += p.count.tokens(p.file.text[s.start:s.end])
		}
	}
	switch {
	case calls > 0 && (whole < 0 || parts < whole):
		h.tokens, h.calls, h.found = h.tokens+parts, h.calls+calls, true
	case whole >= 0:
		h.tokens, h.calls, h.found = h.tokens+whole, h.calls+1, true
	default:
		h.tokens += p.count.tokens(p.file.text)
	}
	return h
}
