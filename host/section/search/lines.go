package search

import (
	"fmt"
	"strconv"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section/display"
	"github.com/mcpctl/mcpctl/host/section/find"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/printer"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// cluster is a hit, or several hits near each other below one parent, that share
// a line.
type cluster struct {
	hit
	last int // position of the last hit
	hits int
}

// Print prints the hits within the limits: first one line for all parts with this
// name, then the best hits. shown is the number of hits that the lines reach. If
// the lines are too long, it prints fewer of them.
func (h *Hits) Print(name string, lim printer.Limits) (out printer.Listing, shown int) {
	const minLines = 8 // fewer lines would hide the best hits in folds
	top := h.offerAll(name, lim)
	for lines := lim.Lines - len(top.Offers); ; lines = lines * 3 / 4 {
		all := h.clusters(lines)
		out, shown = top, 0
		for i := range all {
			p := h.foldCluster(&all[i])
			if !out.Add(h.formatLine(&all[i], &p), ids.Name(h.tree, &p), lim) {
				break
			}
			shown += all[i].hits
		}
		if len(out.Offers) == len(top.Offers)+len(all) || len(all) > lines || lines <= minLines {
			return out, shown
		}
	}
}

// clusters distributes the hits over so many lines, or more if they are too far
// apart. It joins the lowest rank first, and no more hits than necessary.
func (h *Hits) clusters(lines int) []cluster {
	var ranks [len(h.ranks)][]cluster
	total := 0
	for rank, hits := range h.ranks {
		ranks[rank] = h.joinNear(hits, 0)
		total += len(hits)
	}
	for rank := len(ranks) - 1; rank >= 0 && total > lines; rank-- {
		hits := h.ranks[rank]
		for size := h.printer.Settings.LeafSize / 16; total > lines && size < 2*h.tree.MemoryBytes(); size *= 2 {
			total -= len(ranks[rank])
			ranks[rank] = h.joinNear(hits, size)
			total += len(ranks[rank])
		}
	}
	var all []cluster
	for _, of := range ranks {
		all = append(all, of...)
	}
	return all
}

// joinNear returns hits as clusters of at most so many bytes below one parent.
func (h *Hits) joinNear(hits []hit, maxBytes int) []cluster {
	var out []cluster
	size := 0 // bytes from the first to the last hit of the last cluster
	for _, found := range hits {
		if n := len(out) - 1; n >= 0 && maxBytes > 0 && found.in != nil && found.in == out[n].in && found.in.canFold() {
			more := 0
			for i := out[n].last + 1; i <= found.at && size+more <= maxBytes; i++ {
				more += h.tree.Size(&found.in.items[i])
			}
			if size+more <= maxBytes {
				size += more
				out[n].last = found.at
				out[n].hits++
				continue
			}
		}
		out = append(out, cluster{hit: found, last: found.at, hits: 1})
		size = h.tree.Size(&found.Part)
	}
	return out
}

// canFold reports whether siblings can share a line. The members of a set cannot,
// because they are anywhere in the content.
func (in *siblings) canFold() bool {
	p := &in.parent
	return p.Kind != tree.KindSet && (p.Kind != tree.KindFold || p.Base.Kind != tree.KindSet)
}

// foldCluster returns the hit, or the fold from the first to the last hit.
func (h *Hits) foldCluster(c *cluster) tree.Part {
	if c.hits == 1 {
		return c.Part
	}
	if c.in.run.Base == nil {
		c.in.run = ids.RunOf(h.tree, &c.in.parent)
	}
	return c.in.run.Slice(c.at, c.last+1).Fold(h.tree)
}

// formatLine returns the line of a cluster: the text of a hit, or the number of hits in a
// fold.
func (h *Hits) formatLine(c *cluster, p *tree.Part) []byte {
	text := display.Clean([]byte(c.snippet), printer.TitleBytes)
	switch {
	case c.hits > 1:
		text = h.printer.Title(p)
		if c.hits < len(p.Members) {
			text = strconv.Itoa(c.hits) + " of " + text
		}
	case text == "":
		text = h.printer.Title(p)
	}
	if p.Source != nil && p.Source.Kind == tree.Derived {
		text = "derived: " + text
	}
	return fmt.Appendf(nil, "[%s] %s (%s)\n", ids.Name(h.tree, p), text, display.Size(h.tree.Size(p)))
}

// offerAll offers all elements, keys or headings with this name as one set, if
// there are too many to be listed. A search for a tag then needs one more call, not
// one for each fold of hits.
func (h *Hits) offerAll(name string, lim printer.Limits) (out printer.Listing) {
	if h.Count <= h.printer.Settings.MaxLines || len(h.words) != 1 || !h.canName(name) {
		return out
	}
	set, ok := h.resolver.Resolve(h.pathAround(name) + "//" + abi.Segment(name))
	if !ok || set.Kind != tree.KindSet || len(set.Tail) > ids.MaxPath {
		return out
	}
	all := "all"
	if len(set.Exact) >= find.MaxElements {
		all = "the first"
	}
	size := 0
	for i := range set.Exact {
		size += h.tree.Size(&set.Exact[i])
	}
	id := ids.Name(h.tree, &set)
	title := fmt.Sprintf("%s %d %s", all, len(set.Exact), display.Clean([]byte(name), printer.TitleBytes))
	out.Add(printer.FormatLine(id, title, size), id, lim)
	return out
}

// pathAround returns the path of the innermost Section around all hits that have or
// contain this name.
func (h *Hits) pathAround(name string) string {
	var above []int32
	isFirst := true
	for _, hits := range h.ranks {
		for i := range hits {
			p := &hits[i].Part
			if !h.resolver.IsNamed(p, name) {
				continue
			}
			ancestors := h.tree.Ancestors(p.Section)
			if !isFirst {
				ancestors = commonPrefix(above, ancestors)
			}
			above, isFirst = ancestors, false
		}
	}
	if len(above) == 0 {
		return ""
	}
	return ids.SectionPath(h.tree, above[len(above)-1])
}

func commonPrefix(a, b []int32) []int32 {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}
