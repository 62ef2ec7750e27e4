package section

import (
	"fmt"
	"strconv"

	"github.com/mcpctl/mcpctl/host/flow"
)

// hit is a part that was found, with what its line says and where it stands.
type hit struct {
	part
	snippet string
	in      *siblings // nil if it is none of the parts that an index lists
	at      int       // its place among them
}

// siblings are the parts of one parent.
type siblings struct {
	parent part
	items  []part
	run    run // the same, once a fold of them is made
}

// foldable reports whether some of them can be offered as one: not those of a set,
// which stand anywhere.
func (in *siblings) foldable() bool {
	p := &in.parent
	return p.kind != partSet && (p.kind != partFold || p.base.kind != partSet)
}

// cluster is what one line of a search offers: a hit, or several that stand near
// each other under one parent.
type cluster struct {
	hit
	last int // place of the last hit
	hits int
}

func (s *searcher) answer(base part, text string) flow.Answer {
	d := s.d
	if s.count == 1 {
		for _, hits := range s.ranks {
			if len(hits) == 1 && d.shape(&hits[0].part) == shapeLeaf {
				return d.answer(hits[0].part)
			}
		}
	}
	what := clean([]byte(text), titleBytes)
	head := fmt.Sprintf("%s match %q", count(s.count, "section"), what)
	if s.count == 0 {
		head = fmt.Sprintf("no section matches %q", what)
	}
	lines, shown := s.fit(text, d.set.limits().minus(fmt.Appendf(nil, "%s, %d of them in %d lines\n", head, s.count, s.count)))
	switch {
	case shown < s.count:
		head += fmt.Sprintf(", %d of them in %s", shown, count(len(lines.offers), "line"))
	case len(lines.offers) < s.count:
		head += " in " + count(len(lines.offers), "line")
	}
	return flow.Answer{Text: append([]byte(head+"\n"), lines.text...), Meta: flow.AnswerMeta{
		Kind: flow.AnswerSearch, Section: join(d.name(&base), "?"+text), Offers: lines.offers,
	}}
}

// fit prints the hits within the limits, best first and before them the set of all
// elements with this name, and says how many its lines reach. Where lines are too long
// for their number, there are fewer of them.
func (s *searcher) fit(name string, lim limits) (out listing, shown int) {
	const least = 8 // fewer lines would hide the best hits in folds
	top := s.allLine(name, lim)
	for lines := lim.lines - len(top.offers); ; lines = lines * 3 / 4 {
		all := s.clusters(lines)
		out, shown = top, 0
		for i := range all {
			p := s.d.clusterPart(&all[i])
			if !out.add(s.d.hitLine(&all[i], &p), s.d.name(&p), lim) {
				break
			}
			shown += all[i].hits
		}
		if len(out.offers) == len(top.offers)+len(all) || len(all) > lines || lines <= least {
			return out, shown
		}
	}
}

// clusters puts the hits on as many lines, or more if they stand too far apart.
// What is ranked last is put together first, and no more of it than must be.
func (s *searcher) clusters(lines int) []cluster {
	var ranks [len(s.ranks)][]cluster
	total := 0
	for rank, hits := range s.ranks {
		ranks[rank] = s.d.near(hits, 0)
		total += len(hits)
	}
	for rank := len(ranks) - 1; rank >= 0 && total > lines; rank-- {
		hits := s.ranks[rank]
		for most := s.d.set.LeafSize / 16; total > lines && most < 2*s.d.Size(); most *= 2 {
			total -= len(ranks[rank])
			ranks[rank] = s.d.near(hits, most)
			total += len(ranks[rank])
		}
	}
	var all []cluster
	for _, of := range ranks {
		all = append(all, of...)
	}
	return all
}

// near puts hits together that stand in at most so many bytes of one parent.
func (d *Doc) near(hits []hit, most int) []cluster {
	var out []cluster
	size := 0 // bytes from the first to the last hit of the last cluster
	for _, h := range hits {
		if n := len(out) - 1; n >= 0 && most > 0 && h.in != nil && h.in == out[n].in && h.in.foldable() {
			more := 0
			for i := out[n].last + 1; i <= h.at && size+more <= most; i++ {
				more += d.partSize(&h.in.items[i])
			}
			if size+more <= most {
				size += more
				out[n].last = h.at
				out[n].hits++
				continue
			}
		}
		out = append(out, cluster{hit: h, last: h.at, hits: 1})
		size = d.partSize(&h.part)
	}
	return out
}

// clusterPart is the hit, or the fold from the first to the last.
func (d *Doc) clusterPart(c *cluster) part {
	if c.hits == 1 {
		return c.part
	}
	if c.in.run.base == nil {
		c.in.run = d.runOf(&c.in.parent)
	}
	r := c.in.run
	r.items, r.from = r.items[c.at:c.last+1], r.from+c.at
	return d.foldOf(r)
}

// hitLine is the line of a search: what was found, or of a fold how many of its
// parts were.
func (d *Doc) hitLine(c *cluster, p *part) []byte {
	text := clean([]byte(c.snippet), titleBytes)
	switch {
	case c.hits > 1:
		text = d.foldTitle(p, styles[1])
		if c.hits < len(p.members) {
			text = strconv.Itoa(c.hits) + " of " + text
		}
	case text == "":
		text = d.title(p, styles[1])
	}
	if p.space != nil && p.space.kind == flow.AnswerDerived {
		text = "derived: " + text
	}
	return fmt.Appendf(nil, "[%s] %s (%s)\n", d.name(p), text, sizeText(d.partSize(p)))
}
