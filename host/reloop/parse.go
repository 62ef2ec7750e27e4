package reloop

import (
	"slices"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// function is a function in the form of Go's compiler:
//
//	global.get 0  local.set 1   ;; the stack pointer; optional
//	block                       ;; left with 1 to unwind the stack; optional
//	  loop
//	    block block ... block
//	      local.get 0
//	      br_table              ;; by program counter
//	    end
//	    segment 0
//	    end
//	    segment 1
//	    end
//	    ...
//	  end
//	  unreachable
//	end
//	i32.const 1
type function struct {
	code
	scratch  *scratch
	body     []byte
	before   []op // the instructions before the first block
	segments []segment
	unwinds  bool // it has the outermost block
}

// segment is a basic block, or several connected by ifs.
type segment struct {
	from, to int   // instructions
	jumps    []int // segments to which it jumps
	falls    bool  // its end is reachable, and the next segment follows
	calls    bool  // it ends with a call, after which the next segment continues
}

// parse recognizes a function in which segments jump to each other. A function that calls
// deferReturn is not recognized, because it is entered at places without a call.
func parse(s *scratch, body []byte, deferReturn int64) (*function, bool) {
	c, ok := readCode(body, &s.ops)
	if !ok || c.tables != 1 {
		return nil, false
	}
	f := &function{code: c, body: body, scratch: s}
	at, blocks, ok := f.parseHead()
	if !ok {
		return nil, false
	}
	for range blocks {
		end, ok := f.findEnd(at)
		if !ok {
			return nil, false
		}
		f.segments = append(f.segments, segment{from: at, to: end})
		at = end + 1
	}
	if !f.parseTail(at) || slices.ContainsFunc(c.table, func(s int) bool { return s >= blocks }) {
		return nil, false
	}
	for i := range f.segments {
		if !f.parseSegment(i, deferReturn) {
			return nil, false
		}
	}
	return f, true
}

// parseHead reads up to the first segment and returns the number of blocks around it.
func (f *function) parseHead() (at, blocks int, ok bool) {
	at = slices.IndexFunc(f.ops, op.opensBlock)
	if at < 0 {
		return 0, 0, false
	}
	f.before = f.ops[:at]
	if n := len(f.before); n > 0 && (n != 2 || f.ops[0].code != binary.OpGlobalGet || f.ops[0].imm != 0 || f.ops[1].code != binary.OpLocalSet || f.ops[1].imm != 1) {
		return 0, 0, false
	}
	is := func(o op, c byte) bool { return o.code == c && o.imm == noResult }
	if at+1 < len(f.ops) && is(f.ops[at], binary.OpBlock) && is(f.ops[at+1], binary.OpLoop) {
		f.unwinds = true
		at++
	}
	if !is(f.ops[at], binary.OpLoop) {
		return 0, 0, false
	}
	for at++; at < len(f.ops) && is(f.ops[at], binary.OpBlock); at++ {
		blocks++
	}
	if at+2 >= len(f.ops) || f.ops[at].code != binary.OpLocalGet || f.ops[at].imm != 0 || f.ops[at+1].code != binary.OpBrTable || f.ops[at+2].code != binary.OpEnd {
		return 0, 0, false
	}
	return at + 3, blocks, true
}

// findEnd returns the end of the block that contains the instruction at.
func (f *function) findEnd(at int) (int, bool) {
	for nested := 0; at < len(f.ops); at++ {
		switch o := f.ops[at]; {
		case o.opensBlock():
			nested++
		case o.code == binary.OpEnd && nested == 0:
			return at, true
		case o.code == binary.OpEnd:
			nested--
		}
	}
	return 0, false
}

// parseTail compares the instructions after the last segment with those of Go. The last
// segment ended with the loop, because one block was closed before the first segment.
func (f *function) parseTail(at int) bool {
	want := []byte{binary.OpUnreachable, binary.OpEnd}
	if f.unwinds {
		want = []byte{binary.OpUnreachable, binary.OpEnd, binary.OpI32Const, binary.OpEnd}
	}
	return slices.EqualFunc(f.ops[at:], want, func(o op, c byte) bool { return o.code == c })
}

// parseSegment finds the jumps of a segment and removes unreachable instructions.
func (f *function) parseSegment(i int, deferReturn int64) bool {
	s := &f.segments[i]
	s.falls = true
	nested := 0
	for at := s.from; at < s.to; at++ {
		if to, ok := f.readJump(i, at, nested); ok {
			if !slices.Contains(s.jumps, to) {
				s.jumps = append(s.jumps, to)
			}
			at += jumpOps - 1
			if nested == 0 {
				s.to, s.falls = at+1, false
			}
			continue
		}
		o := f.ops[at]
		switch {
		case o.opensBlock():
			nested++
		case o.code == binary.OpEnd:
			nested--
		case o.code == binary.OpCall && o.imm == deferReturn:
			return false
		case o.code == binary.OpBr || o.code == binary.OpBrIf:
			if int(o.imm) >= nested && !f.isUnwinding(i, int(o.imm)-nested) {
				return false
			}
			if nested == 0 {
				s.falls = o.code == binary.OpBrIf
				s.calls = s.falls && at == s.to-1
			}
		case o.code == binary.OpReturn || o.code == binary.OpUnreachable:
			s.falls = s.falls && nested > 0
		}
		if !s.falls {
			s.to = at + 1
		}
	}
	return true
}

// jumpOps are the instructions of a jump: i32.const, local.set 0, br.
const jumpOps = 3

// readJump reads the jump at an instruction of segment i and returns its target. nested
// is the number of blocks in the segment around it.
func (f *function) readJump(i, at, nested int) (to int, ok bool) {
	if at+jumpOps > f.segments[i].to {
		return 0, false
	}
	number, set, br := f.ops[at], f.ops[at+1], f.ops[at+2]
	if number.code != binary.OpI32Const || number.imm < 0 || set.code != binary.OpLocalSet || set.imm != 0 || br.code != binary.OpBr || int(br.imm)-nested != f.depthOf(i) {
		return 0, false
	}
	return f.segmentAt(int(number.imm)), true
}

// depthOf returns the number of blocks around a segment, up to the loop.
func (f *function) depthOf(i int) int { return len(f.segments) - 1 - i }

func (f *function) isUnwinding(i, depth int) bool { return f.unwinds && depth == f.depthOf(i)+1 }

// segmentAt returns the segment of a program counter.
func (f *function) segmentAt(pc int) int { return f.table[min(pc, len(f.table)-1)] }

// counterFor returns a program counter of a segment, except 0, with which a function is
// called.
func (f *function) counterFor(segment int) (pc int, ok bool) {
	for pc := 1; pc < len(f.table); pc++ {
		if f.table[pc] == segment {
			return pc, true
		}
	}
	return 0, false
}
