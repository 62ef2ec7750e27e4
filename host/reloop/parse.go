package reloop

import (
	"slices"

	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// function is one that Go's compiler wrote:
//
//	global.get 0  local.set 1   ;; the stack pointer; not in all
//	block                       ;; left with 1 to unwind the stack; not in all
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
	scratch  *scratch // it was read into
	body     []byte
	before   []op // what stands before the first block
	segments []segment
	unwinds  bool // the outermost block is there
}

// segment is a basic block, or some of them with ifs between.
type segment struct {
	from, to int   // instructions
	jumps    []int // segments it jumps to
	falls    bool  // its end is reached, and the next segment follows
	calls    bool  // ends with a call that the next segment goes on after
}

// parse recognizes a function in which segments jump to each other. One that calls
// deferReturn is not recognized: it is entered in places that no call tells.
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
		end, ok := f.endOf(at)
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

// parseHead reads up to the first segment and counts the blocks around it.
func (f *function) parseHead() (at, blocks int, ok bool) {
	at = slices.IndexFunc(f.ops, op.opens)
	if at < 0 {
		return 0, 0, false
	}
	f.before = f.ops[:at]
	if n := len(f.before); n > 0 && (n != 2 || f.ops[0].code != module.OpGlobalGet || f.ops[0].imm != 0 || f.ops[1].code != module.OpLocalSet || f.ops[1].imm != 1) {
		return 0, 0, false
	}
	is := func(o op, c byte) bool { return o.code == c && o.imm == noResult }
	if at+1 < len(f.ops) && is(f.ops[at], module.OpBlock) && is(f.ops[at+1], module.OpLoop) {
		f.unwinds = true
		at++
	}
	if !is(f.ops[at], module.OpLoop) {
		return 0, 0, false
	}
	for at++; at < len(f.ops) && is(f.ops[at], module.OpBlock); at++ {
		blocks++
	}
	if at+2 >= len(f.ops) || f.ops[at].code != module.OpLocalGet || f.ops[at].imm != 0 || f.ops[at+1].code != module.OpBrTable || f.ops[at+2].code != module.OpEnd {
		return 0, 0, false
	}
	return at + 3, blocks, true
}

// endOf finds the end that closes the block which the instruction at stands in.
func (f *function) endOf(at int) (int, bool) {
	for nested := 0; at < len(f.ops); at++ {
		switch o := f.ops[at]; {
		case o.opens():
			nested++
		case o.code == module.OpEnd && nested == 0:
			return at, true
		case o.code == module.OpEnd:
			nested--
		}
	}
	return 0, false
}

// parseTail holds what follows the last segment against what Go writes. The last
// segment ended with the loop, since one block was left before the first.
func (f *function) parseTail(at int) bool {
	want := []byte{module.OpUnreachable, module.OpEnd}
	if f.unwinds {
		want = []byte{module.OpUnreachable, module.OpEnd, module.OpI32Const, module.OpEnd}
	}
	return slices.EqualFunc(f.ops[at:], want, func(o op, c byte) bool { return o.code == c })
}

// parseSegment finds the jumps of a segment and cuts off what cannot be reached.
func (f *function) parseSegment(i int, deferReturn int64) bool {
	s := &f.segments[i]
	s.falls = true
	nested := 0
	for at := s.from; at < s.to; at++ {
		if to, ok := f.jump(i, at, nested); ok {
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
		case o.opens():
			nested++
		case o.code == module.OpEnd:
			nested--
		case o.code == module.OpCall && o.imm == deferReturn:
			return false
		case o.code == module.OpBr || o.code == module.OpBrIf:
			if int(o.imm) >= nested && !f.isUnwinding(i, int(o.imm)-nested) {
				return false
			}
			if nested == 0 {
				s.falls = o.code == module.OpBrIf
				s.calls = s.falls && at == s.to-1
			}
		case o.code == module.OpReturn || o.code == module.OpUnreachable:
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

// jump reads the jump at an instruction of segment i and gives the segment it leads
// to. nested counts the blocks in the segment around it.
func (f *function) jump(i, at, nested int) (to int, ok bool) {
	if at+jumpOps > f.segments[i].to {
		return 0, false
	}
	number, set, br := f.ops[at], f.ops[at+1], f.ops[at+2]
	if number.code != module.OpI32Const || number.imm < 0 || set.code != module.OpLocalSet || set.imm != 0 || br.code != module.OpBr || int(br.imm)-nested != f.around(i) {
		return 0, false
	}
	return f.segmentAt(int(number.imm)), true
}

// around counts the blocks that a segment stands in, up to the loop.
func (f *function) around(i int) int { return len(f.segments) - 1 - i }

func (f *function) isUnwinding(i, depth int) bool { return f.unwinds && depth == f.around(i)+1 }

// segmentAt is the segment that a program counter leads to.
func (f *function) segmentAt(pc int) int { return f.table[min(pc, len(f.table)-1)] }

// counterOf is a program counter that leads to a segment, but not 0, which is how a
// function is entered that is called.
func (f *function) counterOf(segment int) (pc int, ok bool) {
	for pc := 1; pc < len(f.table); pc++ {
		if f.table[pc] == segment {
			return pc, true
		}
	}
	return 0, false
}
