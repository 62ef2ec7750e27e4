package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// node is a section that crawl found in the bracket lines of an index.
type node struct {
	answer
	id       string
	spans    []span // of the original; several only for a group
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

// crawl opens every offered section once and returns the tree of sections.
func (p *product) crawl(ctx context.Context, id string, a answer) (*node, error) {
	n := &node{answer: a, id: id}
	if a.Meta.Literal != nil { // Meta.Bytes is relative to a decoded string
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

// union merges the spans of parts.
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

// maxWhole is the maximum number of bytes of the answer to "id!".
const maxWhole = 40_000

// huntPerfect returns the hunt of a client that knows the bytes of each section. It measures the
// quality of the index itself.
func (p *product) huntPerfect(ctx context.Context, root *node, t target) (hunt, error) {
	h := hunt{tokens: root.tokens}
	text := p.file.text[t.start:t.end]
	for at := root; ; {
		if strings.Contains(at.Text, text) {
			h.found = true
			return h, nil
		}
		next := at.next(t)
		if next == nil {
			return p.gather(ctx, h, at, t)
		}
		at = next
		h.pay(at.answer)
	}
}

// next returns the child to open next: the one that contains the target, or the only one that
// overlaps it, if that is an index. The bytes between the members of a group belong to no
// child.
func (n *node) next(t target) *node {
	if i := slices.IndexFunc(n.children, func(c *node) bool { return c.holds(t) }); i >= 0 {
		return n.children[i]
	}
	touches := func(c *node) bool { return c.touches(t) }
	i := slices.IndexFunc(n.children, touches)
	if i < 0 || len(n.children[i].children) == 0 || slices.ContainsFunc(n.children[i+1:], touches) {
		return nil
	}
	return n.children[i]
}

// gather ends a hunt whose target spans several children of a section. It uses the cheapest
// of: the whole section, the section of the common path of the children, or each child that
// overlaps the target.
func (p *product) gather(ctx context.Context, h hunt, at *node, t target) (hunt, error) {
	whole, err := p.sharedCost(ctx, at, t)
	parts, calls := 0, 0
	for _, s := range at.spans {
		if s.holds(t) && s.end-s.start <= maxWhole && whole < 0 {
			whole = callCost + p.count.Tokens(p.file.text[s.start:s.end])
		}
	}
	for _, c := range at.children {
		if !c.touches(t) {
			continue
		}
		calls++
		parts += callCost
		for _, s := range c.spans {
			parts += p.count.Tokens(p.file.text[s.start:s.end])
		}
	}
	switch {
	case calls > 0 && (whole < 0 || parts < whole):
		h.tokens, h.calls, h.found = h.tokens+parts, h.calls+calls, true
	case whole >= 0:
		h.tokens, h.calls, h.found = h.tokens+whole, h.calls+1, true
	default:
		h.tokens += p.count.Tokens(p.file.text)
	}
	return h, err
}

// sharedCost returns the cost of reading the whole section of the common path of all children
// that overlap the target, or -1 if it does not contain the target. An index may list the
// parts of a section instead of the section.
func (p *product) sharedCost(ctx context.Context, at *node, t target) (tokens int, err error) {
	var path []string
	for _, c := range at.children {
		if !c.touches(t) {
			continue
		}
		segments := strings.Split(c.id, "/")
		if path == nil {
			path = segments[:len(segments)-1]
		}
		n := 0
		for n < len(path) && n < len(segments)-1 && path[n] == segments[n] {
			n++
		}
		path = path[:n]
	}
	if len(path) == 0 {
		return -1, nil
	}
	a, err := p.read(ctx, strings.Join(path, "/")+"!")
	if err != nil || a.IsError || !strings.Contains(a.Text, p.file.text[t.start:t.end]) {
		return -1, err
	}
	return a.cost(), nil
}
