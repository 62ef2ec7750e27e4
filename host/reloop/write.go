package reloop

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// writer writes the body of a function.
type writer struct {
	*plan
	out    []byte
	labels []label // of the blocks and loops that are open
	goTo   uint64  // local: the program counter to go on at; 0: none
	lost   bool    // a branch led to a label that is not open
}

// label is what a branch can name: the place before a segment, for a block; the
// header, for a loop; or one of those below.
type label struct {
	loop bool
	node int
}

var (
	unwinding = label{node: -1} // the end of the function, which then gives 1
	onwards   = label{node: -2} // past a dispatch
	inner     = label{node: -3} // a block that no one leaves by its number
)

// write is the body, until the next one is written; ok is false if a branch has nowhere to lead, which nest should
// have found: better a function that stays slow than a wrong one.
func (p *plan) write() (body []byte, ok bool) {
	const param = 1
	w := &writer{plan: p, goTo: uint64(param + p.count), out: p.scratch.written[:0]}
	defer func() { p.scratch.written = w.out }()
	w.number(uint64(p.groups + 1))
	w.out = append(w.out, p.locals...)
	w.out = append(w.out, 1, module.TypeI32) // one local more
	for _, o := range p.before {
		w.copy(o)
	}
	if p.unwinds {
		w.open(module.OpBlock, unwinding)
	}
	w.node(p.graph.entry())
	w.out = append(w.out, module.OpUnreachable)
	if p.unwinds {
		w.close()
		w.out = append(w.out, module.OpI32Const, 1)
	}
	w.out = append(w.out, module.OpEnd)
	return w.out, !w.lost
}

// node writes a node and all that it dominates: the node in blocks, one in the
// other, of which each ends where a node stands that it dominates.
func (w *writer) node(n int) {
	g := w.graph
	isLoop := n != g.entry() && w.loops.isHeader(n)
	if isLoop {
		w.open(module.OpLoop, label{loop: true, node: n})
	}
	follower, follows := w.follower(n)
	inline := follows && w.onlyFollows(follower, n)
	for _, below := range slices.Backward(w.below[n]) {
		if !inline || below != follower {
			w.open(module.OpBlock, label{node: below})
		}
	}
	if len(w.routes[n]) > 0 {
		w.dispatch(n, follower, inline)
	}
	if n != g.entry() {
		w.segment(n)
	}
	switch {
	case inline:
		w.node(follower)
	case follows:
		w.branch(module.OpBr, n, follower)
	}
	for _, below := range w.below[n] {
		if !inline || below != follower {
			w.close()
			w.node(below)
		}
	}
	if isLoop {
		w.close()
	}
}

// follower is the segment that comes after a node whose end is reached.
func (w *writer) follower(n int) (int, bool) {
	if n == w.graph.entry() {
		return 0, true
	}
	return n + 1, w.segments[n].falls && n+1 < len(w.segments)
}

// onlyFollows reports whether a segment is reached from the end of a node and from
// nowhere else, so that it needs no label.
func (w *writer) onlyFollows(segment, n int) bool {
	if !slices.Equal(w.graph.prior[segment], []int{n}) {
		return false
	}
	if n == w.graph.entry() {
		return true
	}
	for _, r := range w.routes[n] {
		if r.to == segment {
			return false
		}
	}
	_, detour := w.detour[edge{n, segment}]
	return !detour && !slices.Contains(w.segments[n].jumps, segment)
}

// segment copies the instructions of a segment, with its jumps as branches.
func (w *writer) segment(n int) {
	s := w.segments[n]
	nested := 0
	for at := s.from; at < s.to; at++ {
		if to, ok := w.jump(n, at, nested); ok {
			w.branch(module.OpBr, n, to)
			at += jumpOps - 1
			continue
		}
		o := w.ops[at]
		if to, ok := w.conditional(n, at, nested); ok {
			w.branch(module.OpBrIf, n, to)
			at += jumpOps + 1
			continue
		}
		switch {
		case o.opens():
			nested++
			w.labels = append(w.labels, inner)
		case o.code == module.OpEnd:
			nested--
			w.labels = w.labels[:len(w.labels)-1]
		case (o.code == module.OpBr || o.code == module.OpBrIf) && int(o.imm) >= nested:
			w.out = append(w.out, o.code)
			w.number(w.depth(unwinding))
			continue
		}
		w.copy(o)
	}
}

// conditional reads an if around nothing but a jump that needs no detour.
func (w *writer) conditional(n, at, nested int) (to int, ok bool) {
	end := at + jumpOps + 1
	if o := w.ops[at]; o.code != module.OpIf || o.imm != noResult || end >= w.segments[n].to || w.ops[end].code != module.OpEnd {
		return 0, false
	}
	to, ok = w.jump(n, at+1, nested+1)
	if _, detour := w.detour[edge{n, to}]; detour {
		return 0, false
	}
	return to, ok
}

// branch goes from a node to another, by br or br_if.
func (w *writer) branch(code byte, from, to int) {
	if header, ok := w.detour[edge{from, to}]; ok {
		pc, _ := w.counterOf(to)
		w.out = module.AppendS32(append(w.out, module.OpI32Const), int32(pc))
		w.local(module.OpLocalSet, w.goTo)
		to = header
	}
	w.out = append(w.out, code)
	w.number(w.depth(label{loop: !w.graph.forward(from, to), node: to}))
}

// dispatch begins the entry or the header of a loop: who is on the way to a program
// counter is sent on.
//
//	block $onwards
//	  local.get $goTo  i32.eqz  br_if $onwards
//	  ...                             ;; by a search in the ways
//	end
func (w *writer) dispatch(n, follower int, inline bool) {
	w.open(module.OpBlock, onwards)
	if n == w.graph.entry() {
		w.local(module.OpLocalGet, 0)
		w.local(module.OpLocalTee, w.goTo)
	} else {
		w.local(module.OpLocalGet, w.goTo)
	}
	w.out = append(w.out, module.OpI32Eqz, module.OpBrIf)
	w.number(w.depth(onwards))
	w.search(ways(w.routes[n], func(node int) label {
		if node == n || n == w.graph.entry() && inline && node == follower {
			return onwards
		}
		return label{node: node}
	}))
	w.close()
}

// way is where a run of program counters leads, from first on: one label for all, or,
// if they arrive, one for each.
type way struct {
	first  int
	to     []label
	arrive bool
}

// ways groups routes. A program counter between them, which no call leaves, goes
// where the one before it goes.
func ways(routes map[int]route, to func(node int) label) (all []way) {
	const gap = 4 // more of them cost more than another step of the search
	for _, pc := range slices.Sorted(maps.Keys(routes)) {
		r := routes[pc]
		l := to(r.to)
		if len(all) > 0 {
			last := &all[len(all)-1]
			end := last.first + len(last.to)
			switch {
			case last.arrive != r.arrive:
			case !r.arrive && last.to[0] == l:
				continue
			case r.arrive && pc-end < gap:
				for range pc - end {
					last.to = append(last.to, last.to[len(last.to)-1])
				}
				last.to = append(last.to, l)
				continue
			}
		}
		all = append(all, way{first: pc, to: []label{l}, arrive: r.arrive})
	}
	return all
}

// search branches by the program counter to go on at. One br_table for all would be
// shorter, but a compiler makes a block of each entry, and most would stand for
// counters that lead elsewhere: tables for what lies close, and halving between them.
func (w *writer) search(among []way) {
	for len(among) > 1 {
		half := len(among) / 2
		w.local(module.OpLocalGet, w.goTo)
		w.out = append(module.AppendS32(append(w.out, module.OpI32Const), int32(among[half].first)), module.OpI32LtU)
		w.open(module.OpIf, inner)
		w.search(among[:half])
		w.close()
		among = among[half:]
	}
	last := among[0]
	if len(last.to) > 1 {
		w.local(module.OpLocalGet, w.goTo)
		w.local(module.OpLocalSet, 0) // read nowhere else but in the br_table that was here
	}
	if last.arrive {
		w.out = append(w.out, module.OpI32Const, 0)
		w.local(module.OpLocalSet, w.goTo)
	}
	if len(last.to) > 1 {
		w.local(module.OpLocalGet, 0)
		w.out = append(module.AppendS32(append(w.out, module.OpI32Const), int32(last.first)), module.OpI32Sub, module.OpBrTable)
		w.number(uint64(len(last.to) - 1))
	} else {
		w.out = append(w.out, module.OpBr)
	}
	for _, l := range last.to {
		w.number(w.depth(l))
	}
}

func (w *writer) open(code byte, l label) {
	w.out = append(w.out, code, module.BlockVoid)
	w.labels = append(w.labels, l)
}

func (w *writer) close() {
	w.out = append(w.out, module.OpEnd)
	w.labels = w.labels[:len(w.labels)-1]
}

// depth is how many blocks and loops stand between here and the label.
func (w *writer) depth(l label) uint64 {
	for i, open := range slices.Backward(w.labels) {
		if open == l {
			return uint64(len(w.labels) - 1 - i)
		}
	}
	w.lost = true
	return 0
}

func (w *writer) copy(o op) { w.out = append(w.out, w.body[o.from:o.to]...) }

func (w *writer) local(code byte, index uint64) {
	w.out = append(w.out, code)
	w.number(index)
}

func (w *writer) number(n uint64) { w.out = binary.AppendUvarint(w.out, n) }
