package reloop

import "slices"

// graph is the control flow of a function. Its nodes are the segments and, as the last
// one, the entry, through which every path into the function goes.
type graph struct {
	next  [][]int // successors of each node
	prior [][]int // reachable predecessors of each node
	order []int   // reachable nodes in reverse postorder
	place []int   // of each node in order; none: it is not reachable
	above []int   // the immediate dominator of each node
}

const none = -1

func newGraph(nodes int) *graph { return &graph{next: make([][]int, nodes)} }

func (g *graph) entry() int { return len(g.next) - 1 }

func (g *graph) connect(from, to int) {
	if !slices.Contains(g.next[from], to) {
		g.next[from] = append(g.next[from], to)
	}
}

func (g *graph) isReachable(node int) bool { return g.place[node] != none }

// isForward reports whether an edge leads to a later node.
func (g *graph) isForward(from, to int) bool { return g.place[to] > g.place[from] }

// walk orders the nodes. If several orders are possible, segments keep the order of the
// module.
func (g *graph) walk() {
	seen := make([]bool, len(g.next))
	g.order = g.order[:0]
	var visit func(node int)
	visit = func(node int) {
		seen[node] = true
		next := slices.Clone(g.next[node])
		slices.Sort(next)
		for _, to := range slices.Backward(next) {
			if !seen[to] {
				visit(to)
			}
		}
		g.order = append(g.order, node)
	}
	visit(g.entry())
	slices.Reverse(g.order)

	g.place = slices.Repeat([]int{none}, len(g.next))
	for i, node := range g.order {
		g.place[node] = i
	}
	g.prior = make([][]int, len(g.next))
	for _, from := range g.order {
		for _, to := range g.next[from] {
			g.prior[to] = append(g.prior[to], from)
		}
	}
}

// dominate computes the immediate dominators. It must be called after walk.
//
// Source: Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm.
func (g *graph) dominate() {
	g.above = slices.Repeat([]int{none}, len(g.next))
	g.above[g.entry()] = g.entry()
	for changed := true; changed; {
		changed = false
		for _, node := range g.order[1:] {
			above := none
			for _, p := range g.prior[node] {
				if g.above[p] != none {
					above = g.commonDominator(above, p)
				}
			}
			changed = changed || above != g.above[node]
			g.above[node] = above
		}
	}
}

// commonDominator returns the nearest node that dominates both.
func (g *graph) commonDominator(a, b int) int {
	if a == none {
		return b
	}
	for a != b {
		for g.place[a] > g.place[b] {
			a = g.above[a]
		}
		for g.place[b] > g.place[a] {
			b = g.above[b]
		}
	}
	return a
}

func (g *graph) dominates(node, other int) bool {
	for g.place[other] > g.place[node] {
		other = g.above[other]
	}
	return other == node
}

// loops is the nesting of loops in a graph. Each loop has a header, its entry; if a loop
// has several entries, one of them is chosen.
type loops struct {
	of    []int // header of the innermost loop of each node; none: in no loop
	outer []int // header of the loop around the loop of a header
}

func (l *loops) isHeader(node int) bool { return l.of[node] == node }

// headersAround returns the headers of the loops that contain a node, innermost first.
func (l *loops) headersAround(node int) (headers []int) {
	for h := l.of[node]; h != none; h = l.outer[h] {
		headers = append(headers, h)
	}
	return headers
}

// loops finds the loops of the graph.
func (g *graph) loops() *loops {
	l := &loops{of: slices.Repeat([]int{none}, len(g.next)), outer: slices.Repeat([]int{none}, len(g.next))}
	g.findLoops(l, g.order, none)
	return l
}

// findLoops finds the loops among the nodes of a header's loop: the strongly connected
// components without the edges to the header.
func (g *graph) findLoops(l *loops, nodes []int, header int) {
	for _, part := range g.components(nodes, header) {
		if len(part) == 1 && !slices.Contains(g.next[part[0]], part[0]) {
			continue
		}
		slices.SortFunc(part, func(a, b int) int { return g.place[a] - g.place[b] })
		in := make(map[int]bool, len(part))
		for _, node := range part {
			in[node] = true
		}
		first := part[slices.IndexFunc(part, func(node int) bool {
			return slices.ContainsFunc(g.prior[node], func(p int) bool { return !in[p] })
		})] // there is one, because all nodes are reachable
		l.outer[first] = header
		for _, node := range part {
			l.of[node] = first
		}
		g.findLoops(l, part, first)
	}
}

// components returns the strongly connected components of nodes, without the node
// without (Tarjan's algorithm).
func (g *graph) components(nodes []int, without int) (parts [][]int) {
	type mark struct {
		in, on     bool
		index, low int
	}
	marks := make(map[int]*mark, len(nodes))
	for _, node := range nodes {
		marks[node] = &mark{in: node != without}
	}
	var stack []int
	count := 0
	var visit func(node int) *mark
	visit = func(node int) *mark {
		count++
		m := marks[node]
		m.index, m.low, m.on = count, count, true
		depth := len(stack)
		stack = append(stack, node)
		for _, to := range g.next[node] {
			switch t := marks[to]; {
			case t == nil || !t.in:
			case t.index == 0:
				m.low = min(m.low, visit(to).low)
			case t.on:
				m.low = min(m.low, t.index)
			}
		}
		if m.low == m.index {
			part := slices.Clone(stack[depth:])
			stack = stack[:depth]
			for _, n := range part {
				marks[n].on = false
			}
			parts = append(parts, part)
		}
		return m
	}
	for _, node := range nodes {
		if m := marks[node]; m.in && m.index == 0 {
			visit(node)
		}
	}
	return parts
}
