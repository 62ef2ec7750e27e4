package reloop

import (
	"slices"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// shareAddresses computes an address once in loops over the values of a slice that also access
// the slice by index. Go's compiler advances a pointer beside the index, so it has two
// expressions for the same address, and wazero checks each of them:
//
//	loop                                    loop
//	  local.get $p  i32.wrap_i64              local.get $p  i32.wrap_i64  local.tee $t
//	  i64.load8_u                             i64.load8_u
//	  ...                                     ...
//	  local.get $b  local.get $i  i64.add     local.get $t
//	  i32.wrap_i64
//	  ...                                     ...
//	  local.get $p  i64.const 1  i64.add  local.set $p
//	  local.get $i  i64.const 1  i64.add  local.set $i
//	  br 0
//	end
//
// The two are equal if p was b and i was 0 before the loop, and if nothing else assigns them.
//
// It returns the changed instructions and the number of locals of type i32 that they need. The
// index of the first one is first.
func shareAddresses(ops []op, first int) (result []op, added int) {
	s := sharer{ops: ops, blocks: findBlocks(ops), values: newValues()}
	for i := range ops {
		if l, ok := s.advancingLoop(i); ok && s.share(l, int64(first+added)) {
			added++
		}
		s.step(i)
	}
	if added == 0 {
		return ops, 0
	}
	for i, o := range ops {
		if o.code == binary.OpNop {
			continue
		}
		result = append(result, o)
		if t, ok := s.tees[i]; ok {
			result = append(result, op{code: binary.OpLocalTee, imm: t})
		}
	}
	return result, added
}

type sharer struct {
	ops    []op
	blocks []block
	values values
	open   []int         // the blocks around the current instruction
	tees   map[int]int64 // the local that is set after an instruction
}

// advanceOps is the number of instructions that add a number to a local.
const advanceOps = 4

// advancingLoop is a loop that ends with the advance of a pointer and of an index.
type advancingLoop struct {
	from, to       int // the instructions before the advance
	pointer, index int64
}

// advancingLoop recognizes a loop that begins at an instruction. Nothing in it but its end
// assigns the pointer and the index, and the index begins with 0.
func (s *sharer) advancingLoop(at int) (advancingLoop, bool) {
	end := s.blocks[at].end
	to := end - 1 - 2*advanceOps
	if s.ops[at].code != binary.OpLoop || to <= at || s.ops[end-1].code != binary.OpBr || s.ops[end-1].imm != 0 {
		return advancingLoop{}, false
	}
	x, by, ok := s.readAdvance(to)
	y, also, ok2 := s.readAdvance(to + advanceOps)
	if !ok || !ok2 || x == y || by != also {
		return advancingLoop{}, false
	}
	l := advancingLoop{from: at + 1, to: to, pointer: x, index: y}
	zero := s.values.constant(0)
	if s.values.of(l.index) != zero {
		l.pointer, l.index = y, x
	}
	return l, s.values.of(l.index) == zero && !s.assigns(l, l.pointer) && !s.assigns(l, l.index)
}

// readAdvance reads the instructions that add a number to a local.
func (s *sharer) readAdvance(at int) (local, by int64, ok bool) {
	o := s.ops[at:]
	return o[0].imm, o[1].imm, o[0].code == binary.OpLocalGet && o[1].code == binary.OpI64Const && o[2].code == binary.OpI64Add &&
		o[3].code == binary.OpLocalSet && o[3].imm == o[0].imm
}

// assigns reports whether the body of a loop assigns a local.
func (s *sharer) assigns(l advancingLoop, local int64) bool {
	return slices.ContainsFunc(s.ops[l.from:l.to], func(o op) bool {
		return (o.code == binary.OpLocalSet || o.code == binary.OpLocalTee) && o.imm == local
	})
}

// share replaces the addresses in a loop by a local. It returns false if there is nothing to
// replace.
func (s *sharer) share(l advancingLoop, local int64) bool {
	type edit struct{ at, ops int }
	var computed, replaced []edit
	depth, known := 0, -1 // known is the depth at which the local was set; -1: it is not
	for i := l.from; i < l.to; i++ {
		switch o := s.ops[i]; {
		case o.opensBlock():
			depth++
		case o.code == binary.OpElse && known == depth:
			known = -1
		case o.code == binary.OpEnd:
			if depth--; known > depth {
				known = -1
			}
		}
		n := s.addressOps(l, i)
		switch {
		case n == 0:
			continue
		case known >= 0:
			replaced = append(replaced, edit{i, n})
		default:
			known = depth
			computed = append(computed, edit{i, n})
		}
		i += n - 1
	}
	if len(replaced) == 0 {
		return false
	}
	if s.tees == nil {
		s.tees = make(map[int]int64)
	}
	for _, e := range computed {
		s.tees[e.at+e.ops-1] = local
	}
	for _, e := range replaced {
		s.ops[e.at] = op{code: binary.OpLocalGet, imm: local}
		for i := e.at + 1; i < e.at+e.ops; i++ {
			s.ops[i] = op{code: binary.OpNop}
		}
	}
	return true
}

// addressOps returns the number of instructions at an index that compute the address of the
// pointer, or 0.
func (s *sharer) addressOps(l advancingLoop, at int) int {
	o := s.ops[at:l.to]
	is := func(n int, code byte) bool { return n < len(o) && o[n].code == code }
	switch {
	case !is(0, binary.OpLocalGet):
	case o[0].imm == l.pointer && is(1, binary.OpI32WrapI64):
		return 2
	case is(1, binary.OpLocalGet) && is(2, binary.OpI64Add) && is(3, binary.OpI32WrapI64):
		base, index := o[0].imm, o[1].imm
		if base == l.index {
			base, index = index, base
		}
		if index == l.index && base != l.index && base != l.pointer && s.values.of(base) == s.values.of(l.pointer) && !s.assigns(l, base) {
			return 4
		}
	}
	return 0
}

// step follows the values of the locals over an instruction.
func (s *sharer) step(at int) {
	o, v := s.ops[at], &s.values
	switch {
	case o.opensBlock():
		s.open = append(s.open, at)
		if o.code == binary.OpLoop {
			v.forget()
		}
	case o.code == binary.OpElse:
		v.forget()
	case o.code == binary.OpEnd && len(s.open) > 0:
		block := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		if s.blocks[block].isTarget || s.ops[block].code != binary.OpBlock {
			v.forget()
		}
	case o.code == binary.OpLocalSet || o.code == binary.OpLocalTee:
		v.locals[o.imm] = s.assigned(at)
	case !changesNothing(o.code):
		v.memory++
	}
}

// assigned returns the value that is assigned at an instruction.
func (s *sharer) assigned(at int) int {
	before := func(n int, code byte) bool { return at >= n && s.ops[at-n].code == code }
	v := &s.values
	switch {
	case before(1, binary.OpLocalGet):
		return v.of(s.ops[at-1].imm)
	case before(1, binary.OpI64Const):
		return v.constant(s.ops[at-1].imm)
	case before(1, binary.OpI64Load) && before(2, binary.OpLocalGet):
		return v.numberOf(expression{code: binary.OpI64Load, number: s.ops[at-1].imm, address: v.of(s.ops[at-2].imm), memory: v.memory})
	}
	return v.another()
}

// changesNothing reports whether an instruction leaves the memory as it is.
func changesNothing(code byte) bool {
	pops, pushes, known := stackEffect(code)
	return code == binary.OpBr || code == binary.OpBrIf || code == binary.OpNop || known && (pops < 2 || pushes > 0)
}

// values are the numbers of the values of locals at an instruction. Locals with the same number
// are equal.
type values struct {
	locals  map[int64]int
	numbers map[expression]int
	last    int
	memory  int // the number of changes of memory
}

// expression is a constant or a load.
type expression struct {
	code    byte
	number  int64 // the constant, or the offset
	address int   // the value to which the offset is added
	memory  int   // the number of changes before
}

func newValues() values {
	return values{locals: make(map[int64]int), numbers: make(map[expression]int)}
}

// forget is called where code is reached on several paths.
func (v *values) forget() {
	clear(v.locals)
	v.memory++
}

// another returns the number of a value about which nothing is known.
func (v *values) another() int {
	v.last++
	return v.last
}

func (v *values) numberOf(e expression) int {
	if _, ok := v.numbers[e]; !ok {
		v.numbers[e] = v.another()
	}
	return v.numbers[e]
}

func (v *values) constant(n int64) int {
	return v.numberOf(expression{code: binary.OpI64Const, number: n})
}

// of returns the number of the value of a local.
func (v *values) of(local int64) int {
	if _, ok := v.locals[local]; !ok {
		v.locals[local] = v.another()
	}
	return v.locals[local]
}
