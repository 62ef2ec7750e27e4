package reloop

import (
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// writer encodes the body of a restored function.
type writer struct {
	*plan
	out    []byte
	labels []label // of the open blocks and loops
	goTo   uint64  // local: the program counter at which to continue; 0: none
	lost   bool    // a branch leads to a label that is not open
}

// label is the target of a branch: the beginning of a segment, for a block; the header,
// for a loop; or one of the special labels.
type label struct {
	loop bool
	node int
}

var (
	unwinding = label{node: -1} // the end of the function, which then returns 1
	onwards   = label{node: -2} // after a dispatch
	inner     = label{node: -3} // a block that is not a target
)

// encode returns the body, which is valid until the next call with the same scratch. ok
// is false if a branch has no target, which nestNodes should have found: a slow function
// is better than a wrong one.
func (p *plan) encode() (body []byte, ok bool) {
	const param = 1
	w := &writer{plan: p, goTo: uint64(param + p.count), out: p.scratch.written[:0]}
	defer func() { p.scratch.written = w.out }()
	w.writeNumber(uint64(p.groups + 1))
	w.out = append(w.out, p.locals...)
	w.out = append(w.out, 1, binary.TypeI32) // one more local
	for _, o := range p.before {
		w.copy(o)
	}
	if p.unwinds {
		w.open(binary.OpBlock, unwinding)
	}
	w.writeNode(p.graph.entry())
	w.out = append(w.out, binary.OpUnreachable)
	if p.unwinds {
		w.close()
		w.out = append(w.out, binary.OpI32Const, 1)
	}
	w.out = append(w.out, binary.OpEnd)
	return w.out, !w.lost
}

// writeNode writes a node and all nodes that it dominates. The node is in nested blocks;
// each block ends where one of the dominated nodes begins.
func (w *writer) writeNode(n int) {
	g := w.graph
	isLoop := n != g.entry() && w.loops.isHeader(n)
	below, after := w.below[n], []int(nil)
	if isLoop {
		below, after = w.splitAtLoop(n)
		for _, node := range slices.Backward(after) {
			w.open(binary.OpBlock, label{node: node})
		}
		w.open(binary.OpLoop, label{loop: true, node: n})
	}
	follower, follows := w.follower(n)
	inline := follows && w.onlyFollows(follower, n) && !slices.Contains(after, follower)
	for _, node := range slices.Backward(below) {
		if !inline || node != follower {
			w.open(binary.OpBlock, label{node: node})
		}
	}
	if len(w.routes[n]) > 0 {
		w.writeDispatch(n, follower, inline)
	}
	if n != g.entry() {
		w.writeSegment(n)
	}
	switch {
	case inline:
		w.writeNode(follower)
	case follows:
		w.writeBranch(binary.OpBr, n, follower)
	}
	for _, node := range below {
		if !inline || node != follower {
			w.close()
			w.writeNode(node)
		}
	}
	if isLoop {
		w.close()
	}
	for _, node := range after {
		w.close()
		w.writeNode(node)
	}
}

// splitAtLoop splits the nodes that the header of a loop dominates immediately: those of the
// loop, and those after it.
func (w *writer) splitAtLoop(header int) (inside, after []int) {
	for _, node := range w.below[header] {
		if slices.Contains(w.loops.headersAround(node), header) {
			inside = append(inside, node)
		} else {
			after = append(after, node)
		}
	}
	return inside, after
}

// follower returns the segment after a node whose end is reachable.
func (w *writer) follower(n int) (int, bool) {
	if n == w.graph.entry() {
		return 0, true
	}
	return n + 1, w.segments[n].falls && n+1 < len(w.segments)
}

// onlyFollows reports whether a segment is reachable only from the end of a node, so that
// it needs no label.
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

// writeSegment copies the instructions of a segment, with jumps as branches.
func (w *writer) writeSegment(n int) {
	s := w.segments[n]
	nested := 0
	for at := s.from; at < s.to; at++ {
		if to, ok := w.readJump(n, at, nested); ok {
			w.writeBranch(binary.OpBr, n, to)
			at += jumpOps - 1
			continue
		}
		o := w.ops[at]
		if to, ok := w.readConditionalJump(n, at, nested); ok {
			w.writeBranch(binary.OpBrIf, n, to)
			at += jumpOps + 1
			continue
		}
		switch {
		case o.opensBlock():
			nested++
			w.labels = append(w.labels, inner)
		case o.code == binary.OpEnd:
			nested--
			w.labels = w.labels[:len(w.labels)-1]
		case (o.code == binary.OpBr || o.code == binary.OpBrIf) && int(o.imm) >= nested:
			w.out = append(w.out, o.code)
			w.writeNumber(w.depth(unwinding))
			continue
		}
		w.copy(o)
	}
}

// readConditionalJump reads an if that contains only a jump without a detour.
func (w *writer) readConditionalJump(n, at, nested int) (to int, ok bool) {
	end := at + jumpOps + 1
	if o := w.ops[at]; o.code != binary.OpIf || o.imm != noResult || end >= w.segments[n].to || w.ops[end].code != binary.OpEnd {
		return 0, false
	}
	to, ok = w.readJump(n, at+1, nested+1)
	if _, detour := w.detour[edge{n, to}]; detour {
		return 0, false
	}
	return to, ok
}

// writeBranch writes a br or br_if from one node to another.
func (w *writer) writeBranch(code byte, from, to int) {
	if header, ok := w.detour[edge{from, to}]; ok {
		pc, _ := w.counterFor(to)
		w.out = binary.AppendS32(append(w.out, binary.OpI32Const), int32(pc))
		w.writeLocal(binary.OpLocalSet, w.goTo)
		to = header
	}
	w.out = append(w.out, code)
	w.writeNumber(w.depth(label{loop: !w.graph.isForward(from, to), node: to}))
}

// writeDispatch writes the beginning of the entry or of a loop's header, which branches if
// the function was entered to continue at a program counter:
//
//	block $onwards
//	  local.get $goTo  i32.eqz  br_if $onwards
//	  ...                             ;; a search in the ways
//	end
func (w *writer) writeDispatch(n, follower int, inline bool) {
	w.open(binary.OpBlock, onwards)
	if n == w.graph.entry() {
		w.writeLocal(binary.OpLocalGet, 0)
		w.writeLocal(binary.OpLocalTee, w.goTo)
	} else {
		w.writeLocal(binary.OpLocalGet, w.goTo)
	}
	w.out = append(w.out, binary.OpI32Eqz, binary.OpBrIf)
	w.writeNumber(w.depth(onwards))
	w.writeSearch(groupRoutes(w.routes[n], func(node int) label {
		if node == n || n == w.graph.entry() && inline && node == follower {
			return onwards
		}
		return label{node: node}
	}))
	w.close()
}

// way is the target of consecutive program counters, starting at first: one label for
// all of them, or one for each if they arrive.
type way struct {
	first  int
	to     []label
	arrive bool
}

// groupRoutes groups routes. Program counters between them, which no call leaves, have
// the target of the one before.
func groupRoutes(routes map[int]route, to func(node int) label) (all []way) {
	const gap = 4 // a larger gap costs more than another step of the search
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

// writeSearch branches by the program counter at which to continue. One br_table for all
// of them would be shorter, but a compiler generates a block for each entry, and most
// entries would be unused. So it uses tables for close counters and a binary search
// between the tables.
func (w *writer) writeSearch(among []way) {
	for len(among) > 1 {
		half := len(among) / 2
		w.writeLocal(binary.OpLocalGet, w.goTo)
		w.out = append(binary.AppendS32(append(w.out, binary.OpI32Const), int32(among[half].first)), binary.OpI32LtU)
		w.open(binary.OpIf, inner)
		w.writeSearch(among[:half])
		w.close()
		among = among[half:]
	}
	last := among[0]
	if len(last.to) > 1 {
		w.writeLocal(binary.OpLocalGet, w.goTo)
		w.writeLocal(binary.OpLocalSet, 0) // read only by the original br_table
	}
	if last.arrive {
		w.out = append(w.out, binary.OpI32Const, 0)
		w.writeLocal(binary.OpLocalSet, w.goTo)
	}
	if len(last.to) > 1 {
		w.writeLocal(binary.OpLocalGet, 0)
		w.out = append(binary.AppendS32(append(w.out, binary.OpI32Const), int32(last.first)), binary.OpI32Sub, binary.OpBrTable)
		w.writeNumber(uint64(len(last.to) - 1))
	} else {
		w.out = append(w.out, binary.OpBr)
	}
	for _, l := range last.to {
		w.writeNumber(w.depth(l))
	}
}

func (w *writer) open(code byte, l label) {
	w.out = append(w.out, code, binary.BlockVoid)
	w.labels = append(w.labels, l)
}

func (w *writer) close() {
	w.out = append(w.out, binary.OpEnd)
	w.labels = w.labels[:len(w.labels)-1]
}

// depth returns the number of open blocks and loops inside a label.
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

func (w *writer) writeLocal(code byte, index uint64) {
	w.out = append(w.out, code)
	w.writeNumber(index)
}

func (w *writer) writeNumber(n uint64) { w.out = binary.AppendU32(w.out, uint32(n)) }
