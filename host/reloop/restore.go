package reloop

import "slices"

// plan says how a function is written anew.
type plan struct {
	*function
	graph *graph
	loops *loops
	below [][]int // of each node: those it dominates immediately, in order

	// A way to a segment that is not entered directly goes through the headers of
	// the loops around it: their routes say where each program counter leads.
	routes []map[int]route // of headers and of the entry
	detour map[edge]int    // edges that enter a loop elsewhere than at its header -> the header
}

type edge struct{ from, to int }

// route is where a header sends a program counter: to the segment it means, or to
// the header of a loop further in.
type route struct {
	to     int
	arrive bool
}

// restore writes the function anew. resumed are the program counters it is entered
// at to go on. ok is false for a function that Go's compiler would not write.
func (f *function) restore(resumed []int) (body []byte, ok bool) {
	p := &plan{function: f, detour: map[edge]int{}}
	if !p.flow(resumed) || !p.route(resumed) || !p.nest() {
		return nil, false
	}
	if body, ok = p.write(); ok {
		body = tidy(f.scratch, body, len(f.before) > 0)
	}
	return body, ok
}

// flow makes the graph of the jumps, and finds the loops.
func (p *plan) flow(resumed []int) bool {
	p.graph = newGraph(len(p.segments) + 1)
	g := p.graph
	g.connect(g.entry(), 0)
	enters := make([]bool, len(p.segments))
	for _, pc := range resumed {
		enters[p.segmentAt(pc)] = true
	}
	for i, s := range p.segments {
		for _, to := range s.jumps {
			g.connect(i, to)
		}
		if s.falls && i+1 < len(p.segments) {
			g.connect(i, i+1)
			if s.calls && !enters[i+1] {
				return false // a call that leaves no program counter: not as Go calls
			}
		}
	}
	g.walk()
	for i, enters := range enters { // those that only the resumed reach
		if enters && !g.reaches(i) {
			g.connect(g.entry(), i)
			g.walk()
		}
	}
	p.loops = g.loops()
	return true
}

// route finds the ways into the loops, and makes the graph that has them.
func (p *plan) route(resumed []int) bool {
	old := p.graph
	p.graph = newGraph(len(old.next))
	p.routes = make([]map[int]route, len(old.next))
	for _, from := range old.order {
		for _, to := range old.next[from] {
			if header := p.enteredAt(from, to); header != to && from != old.entry() {
				pc, ok := p.counterOf(to)
				if !ok {
					return false
				}
				p.detour[edge{from, to}] = header
				p.lead(pc, to, header)
				to = header
			}
			p.graph.connect(from, to)
		}
	}
	for _, pc := range resumed {
		if to := p.segmentAt(pc); pc != 0 && old.reaches(to) {
			p.lead(pc, to, old.entry())
		}
	}
	return true
}

// enteredAt is where an edge must lead: to the header of the outermost loop that it
// enters, or where it leads to if it enters none.
func (p *plan) enteredAt(from, to int) int {
	inside := p.loops.around(from)
	for _, h := range slices.Backward(p.loops.around(to)) {
		if !slices.Contains(inside, h) {
			return h
		}
	}
	return to
}

// lead adds the routes of a program counter from a header, or the entry, through the
// headers further in to the segment that it means.
func (p *plan) lead(pc, segment, from int) {
	r := route{to: segment, arrive: true}
	for _, h := range append(p.loops.around(segment), p.graph.entry()) {
		if p.routes[h] == nil {
			p.routes[h] = map[int]route{}
		}
		p.routes[h][pc] = r
		if r.to != h {
			p.graph.connect(h, r.to)
		}
		if h == from {
			return
		}
		r = route{to: h}
	}
}

// nest finds what stands in what, and makes sure that every jump backwards leads to
// the header of a loop around it.
func (p *plan) nest() bool {
	g := p.graph
	g.walk()
	g.dominate()
	p.below = make([][]int, len(g.next))
	for _, node := range g.order {
		if node != g.entry() {
			p.below[g.above[node]] = append(p.below[g.above[node]], node)
		}
		for _, to := range g.next[node] {
			if !g.forward(node, to) && !(p.loops.isHeader(to) && g.dominates(to, node)) {
				return false
			}
		}
	}
	return true
}
