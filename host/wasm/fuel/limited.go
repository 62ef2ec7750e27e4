package fuel

// maxUnlimited is how many bytes of frames may follow each other without being counted.
const maxUnlimited = 64 << 10

// chooseLimited sets limited for the functions whose frames are counted: those that may be
// part of a cycle of calls. Functions that only precede or only follow all cycles are left
// out, as long as the frames of each chain of them fit into maxUnlimited.
//
// A call_indirect may call every function that is in a table.
func (p *program) chooseLimited() {
	for i := range p.functions {
		p.functions[i].limited = true
	}
	g := p.callGraph()
	g.peel(p, g.callees, g.callers)
	g.peel(p, g.callers, g.callees)
}

// graph is the call graph. The last node represents a call_indirect: its callees are all
// functions in tables.
type graph struct{ callees, callers adjacency }

// adjacency lists the neighbours of each node: those of n are list[from[n]:from[n+1]].
type adjacency struct {
	from []int32
	list []int32
}

func (a *adjacency) of(n int32) []int32 { return a.list[a.from[n]:a.from[n+1]] }

func (p *program) callGraph() *graph {
	nodes := len(p.functions) + 1
	table := int32(nodes - 1)
	edges := func(visit func(from, to int32)) {
		for i := range p.functions {
			f := &p.functions[i]
			for _, to := range f.calls {
				visit(int32(i), int32(to))
			}
			if f.indirect {
				visit(int32(i), table)
			}
		}
		for _, index := range p.listed {
			if own := int(index) - len(p.imports); own >= 0 && own < len(p.functions) {
				visit(table, int32(own))
			}
		}
	}
	build := func(edges func(visit func(from, to int32))) adjacency {
		a := adjacency{from: make([]int32, nodes+1)}
		edges(func(from, _ int32) { a.from[from+1]++ })
		for n := range nodes {
			a.from[n+1] += a.from[n]
		}
		a.list = make([]int32, a.from[nodes])
		next := make([]int32, nodes)
		copy(next, a.from)
		edges(func(from, to int32) {
			a.list[next[from]] = to
			next[from]++
		})
		return a
	}
	return &graph{
		callees: build(edges),
		callers: build(func(visit func(from, to int32)) { edges(func(from, to int32) { visit(to, from) }) }),
	}
}

// peel clears limited for functions that have no successors, then for those whose
// successors are all cleared, and so on (Kahn's algorithm). A function stays limited if the
// frames of a chain from it exceed maxUnlimited.
func (g *graph) peel(p *program, successors, predecessors adjacency) {
	nodes := int32(len(p.functions) + 1)
	isFunction := func(n int32) bool { return n < nodes-1 }
	left := make([]int32, nodes) // successors that are not removed
	below := make([]int, nodes)  // bytes of the frames of the longest chain after a node
	removed := make([]bool, nodes)
	var ready []int32
	for n := range nodes {
		left[n] = int32(len(successors.of(n)))
		if isFunction(n) && !p.functions[n].limited { // by an earlier peel
			removed[n] = true
			continue
		}
		if left[n] == 0 {
			ready = append(ready, n)
		}
	}
	for len(ready) > 0 {
		n := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		bytes := below[n]
		if isFunction(n) {
			bytes += p.functions[n].frame
		}
		if bytes > maxUnlimited {
			continue
		}
		if removed[n] = true; isFunction(n) {
			p.functions[n].limited = false
		}
		for _, to := range predecessors.of(n) {
			below[to] = max(below[to], bytes)
			if left[to]--; left[to] == 0 && !removed[to] {
				ready = append(ready, to)
			}
		}
	}
}
