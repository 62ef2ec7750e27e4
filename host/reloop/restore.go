package reloop

import "slices"

// plan describes how a function is rewritten.
type plan struct {
	*function
	graph *graph
	loops *loops
	below [][]int // the nodes that each node dominates immediately, in order

	// The path to a segment that is not entered directly goes through the headers of the
	// loops around it, which have a route for each program counter.
	routes []map[int]route // of headers and of the entry
	detour map[edge]int    // the header for each edge that enters a loop at another node
}

type edge struct{ from, to int }

// route is the next node on the path of a program counter: its segment, or the header of
// an inner loop.
type route struct {
	to     int
	arrive bool // to is the segment
}

// restore rewrites the function. resumed are the program counters at which it is entered
// again. ok is false for a function that Go's compiler would not generate.
func (f *function) restore(resumed []int) (body []byte, ok bool) {
	p := &plan{function: f, detour: map[edge]int{}}
	if !p.buildGraph(resumed) || !p.addRoutes(resumed) || !p.nestNodes() {
		return nil, false
	}
	if body, ok = p.encode(); ok {
		body = tidy(f.scratch, body, len(f.before) > 0)
	}
	return body, ok
}

// buildGraph builds the graph of the jumps and finds the loops.
func (p *plan) buildGraph(resumed []int) bool {
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
				return false // Go's calls leave a program counter
			}
		}
	}
	g.walk()
	for i, enters := range enters { // segments that are reachable only after a call
		if enters && !g.isReachable(i) {
			g.connect(g.entry(), i)
			g.walk()
		}
	}
	p.loops = g.loops()
	return true
}

// addRoutes finds the paths into the loops and builds the graph with them.
func (p *plan) addRoutes(resumed []int) bool {
	old := p.graph
	p.graph = newGraph(len(old.next))
	p.routes = make([]map[int]route, len(old.next))
	for _, from := range old.order {
		for _, to := range old.next[from] {
			if header := p.entryOf(from, to); header != to && from != old.entry() {
				pc, ok := p.counterFor(to)
				if !ok {
					return false
				}
				p.detour[edge{from, to}] = header
				p.addRoute(pc, to, header)
				to = header
			}
			p.graph.connect(from, to)
		}
	}
	for _, pc := range resumed {
		if to := p.segmentAt(pc); pc != 0 && old.isReachable(to) {
			p.addRoute(pc, to, old.entry())
		}
	}
	return true
}

// entryOf returns the node to which an edge must lead: the header of the outermost loop
// that it enters, or its target if it enters none.
func (p *plan) entryOf(from, to int) int {
	inside := p.loops.headersAround(from)
	for _, h := range slices.Backward(p.loops.headersAround(to)) {
		if !slices.Contains(inside, h) {
			return h
		}
	}
	return to
}

// addRoute adds the route of a program counter from a header, or the entry, through the
// headers of inner loops to its segment.
func (p *plan) addRoute(pc, segment, from int) {
	r := route{to: segment, arrive: true}
	for _, h := range append(p.loops.headersAround(segment), p.graph.entry()) {
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

// nestNodes computes the dominator tree. It returns false if a backward jump does not
// lead to the header of a loop around it.
func (p *plan) nestNodes() bool {
	g := p.graph
	g.walk()
	g.dominate()
	p.below = make([][]int, len(g.next))
	for _, node := range g.order {
		if node != g.entry() {
			p.below[g.above[node]] = append(p.below[g.above[node]], node)
		}
		for _, to := range g.next[node] {
			if !g.isForward(node, to) && !(p.loops.isHeader(to) && g.dominates(to, node)) {
				return false
			}
		}
	}
	return true
}
