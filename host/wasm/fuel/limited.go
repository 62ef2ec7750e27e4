package fuel

// maxUnlimited is how many bytes of frames may follow each other without being counted.
const maxUnlimited = 64 << 10

// chooseLimited chooses the functions that count their frames: those that may take part
// in a recursion. It leaves out functions from which no recursion can be reached, and
// those that no recursion can reach, as long as the frames of a chain of them are small.
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

// graph is the graph of calls. Its last node stands for all functions in tables.
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

// peel removes from the limited functions those whose successors are all removed, one
// after another, and whose chains of successors have small frames.
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
