package reloop

import (
	"math"
	"slices"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// tidy shortens the body of a function where Go's compiler is verbose: it converts a
// boolean to an i64 and back, negates the opposite of a condition, adds negative numbers,
// and computes the address of each variable on the stack as a sum. wazero executes each of
// these steps and checks each such address again, which is a tenth of the time of a
// restored function. A negative number takes it one more instruction to load.
//
// Keeping the pointers that are made of i64 values, and checking a complete frame at
// once, did not improve the speed.
func tidy(s *scratch, body []byte, hasStack bool) []byte {
	c, ok := readCode(body, &s.again)
	if !ok {
		return slices.Clone(body)
	}
	t := &tidier{body: body, ops: s.tidied[:0]}
	defer func() { s.tidied = t.ops }()
	for i, o := range c.ops {
		t.next = binary.OpEnd
		if i+1 < len(c.ops) {
			t.next = c.ops[i+1].code
		}
		t.add(o)
	}
	if hasStack {
		t.foldAddresses()
	}
	const params = 1
	ops, added := shareAddresses(t.ops, params+c.count)
	t.ops = copyTails(ops)
	out := binary.AppendU32(make([]byte, 0, len(body)), uint32(c.groups+min(added, 1)))
	out = append(out, c.locals...)
	if added > 0 {
		out = append(binary.AppendU32(out, uint32(added)), binary.TypeI32)
	}
	for _, o := range t.ops {
		out = t.append(out, o)
	}
	return out
}

type tidier struct {
	body []byte
	ops  []op // the result so far; new and changed instructions have no span in the body
	next byte // code of the next instruction
}

// add adds an instruction. It combines it with the last one if possible.
func (t *tidier) add(o op) {
	last := byte(binary.OpNop)
	if len(t.ops) > 0 {
		last = t.ops[len(t.ops)-1].code
	}
	switch {
	case o.code == binary.OpNop:
	case o.code == binary.OpLocalTee && last == binary.OpLocalGet && t.ops[len(t.ops)-1].imm == o.imm:
	case o.code == binary.OpI32WrapI64 && last == binary.OpI64ExtendU:
		t.drop()
	case o.code == binary.OpI64Eqz && last == binary.OpI64ExtendU:
		t.drop()
		t.add(op{code: binary.OpI32Eqz})
	case o.code == binary.OpI32Eqz && last == binary.OpI32Eqz && (t.next == binary.OpBrIf || t.next == binary.OpIf):
		t.drop() // any number other than 0 is true
	case o.code == binary.OpI32Eqz && last == binary.OpI64Eqz:
		t.drop()
		t.ops = append(t.ops, op{code: binary.OpI64Const}, op{code: binary.OpI64Ne})
	case o.code == binary.OpI64Add && last == binary.OpI64Const && t.isNegative32():
		number := -t.ops[len(t.ops)-1].imm
		t.drop()
		t.ops = append(t.ops, op{code: binary.OpI64Const, imm: number}, op{code: binary.OpI64Sub})
	case o.code == binary.OpI32Eqz && isComparison(last):
		t.drop()
		t.ops = append(t.ops, op{code: negate(last)})
	default:
		t.ops = append(t.ops, o)
	}
}

// isNegative32 reports whether the last instruction is a negative number of 32 bits.
func (t *tidier) isNegative32() bool {
	n := t.ops[len(t.ops)-1].imm
	return n < 0 && n > math.MinInt32
}

func (t *tidier) drop() { t.ops = t.ops[:len(t.ops)-1] }

// isComparison reports whether an instruction compares two integers.
func isComparison(code byte) bool {
	return code >= binary.OpI32Eq && code <= binary.OpI32GeU || code >= binary.OpI64Eq && code <= binary.OpI64GeU
}

// negate returns the comparison that is true where code is false. Their order is: eq ne,
// lt_s lt_u, gt_s gt_u, le_s le_u, ge_s ge_u.
func negate(code byte) byte {
	first := byte(binary.OpI32Eq)
	if code >= binary.OpI64Eq {
		first = binary.OpI64Eq
	}
	return first + [...]byte{1, 0, 8, 9, 6, 7, 4, 5, 2, 3}[code-first]
}

// stackPointer is the local with the stack pointer, in functions that have one.
const stackPointer = 1

// sumOps is the number of instructions that add to the stack pointer, after its
// local.get: i64.extend_i32_u, i64.const, i64.add, i32.wrap_i64.
const sumOps = 4

// foldAddresses moves the number that is added to the stack pointer to the offset of the
// load or store that uses the sum. No such sum wraps, because a stack is not at the end
// of memory.
func (t *tidier) foldAddresses() {
	var stack sums
	for i := 0; i < len(t.ops); i++ {
		o := &t.ops[i]
		if o.code == binary.OpLocalGet && t.isSum(i+1) {
			stack = append(stack, i+1)
			i += sumOps
			continue
		}
		pops, pushes, known := stackEffect(o.code)
		if !known {
			stack = stack[:0]
			continue
		}
		if sum := stack.pop(pops); sum != noSum && o.accessesMemory() {
			t.fold(sum, o)
		}
		for range pushes {
			stack = append(stack, noSum)
		}
	}
	t.ops = slices.DeleteFunc(t.ops, func(o op) bool { return o.code == binary.OpNop })
}

// fold moves the sum that begins at an instruction to the offset of a load or store.
func (t *tidier) fold(sum int, o *op) {
	offset := o.imm + t.ops[sum+1].imm
	if offset > math.MaxInt32 {
		return
	}
	o.imm, o.to = offset, 0
	for i := range sumOps {
		t.ops[sum+i].code = binary.OpNop
	}
}

// sums is the known part of a function's stack: for each value the instruction at which
// its sum begins, or noSum.
type sums []int

const noSum = -1

// pop removes n values and returns the first of them.
func (s *sums) pop(n int) (first int) {
	first = noSum
	if n > 0 && n <= len(*s) {
		first = (*s)[len(*s)-n]
	}
	*s = (*s)[:max(len(*s)-n, 0)]
	return first
}

// isSum reports whether the instructions at at add a number to the stack pointer, which
// the instruction before at has read.
func (t *tidier) isSum(at int) bool {
	if at+sumOps > len(t.ops) || t.ops[at-1].imm != stackPointer {
		return false
	}
	s := t.ops[at : at+sumOps]
	return s[0].code == binary.OpI64ExtendU && s[1].code == binary.OpI64Const && s[1].imm >= 0 && s[1].imm <= math.MaxInt32 && s[2].code == binary.OpI64Add && s[3].code == binary.OpI32WrapI64
}

// stackEffect returns how many values an instruction pops and pushes. They are not known
// for instructions of control flow.
func stackEffect(code byte) (pops, pushes int, known bool) {
	switch {
	case code == binary.OpLocalGet, code == binary.OpGlobalGet, code >= binary.OpI32Const && code <= binary.OpF64Const:
		return 0, 1, true
	case code == binary.OpLocalSet, code == binary.OpGlobalSet, code == binary.OpDrop:
		return 1, 0, true
	case code >= binary.OpI32Load && code <= binary.OpI64Load32U, code == binary.OpLocalTee, isUnary(code):
		return 1, 1, true
	case code >= binary.OpI32Store && code <= binary.OpI64Store32:
		return 2, 0, true
	case code >= binary.OpI32Eqz && code < binary.OpI32WrapI64:
		return 2, 1, true
	case code == binary.OpSelect:
		return 3, 1, true
	}
	return 0, 0, false
}

// isUnary reports whether an instruction without immediates pops one value.
func isUnary(code byte) bool {
	return code == binary.OpI32Eqz || code == binary.OpI64Eqz || code >= binary.OpI32WrapI64 && code <= binary.OpI64Extend32S ||
		code >= binary.OpI32Clz && code <= binary.OpI32Popcnt || code >= binary.OpI64Clz && code <= binary.OpI64Popcnt ||
		code >= binary.OpF32Abs && code <= binary.OpF32Sqrt || code >= binary.OpF64Abs && code <= binary.OpF64Sqrt
}

func (t *tidier) append(out []byte, o op) []byte {
	if o.to > 0 {
		return append(out, t.body[o.from:o.to]...)
	}
	out = append(out, o.code)
	switch {
	case o.code == binary.OpI64Const: // 0, or of isNegative32
		out = binary.AppendS32(out, int32(o.imm))
	case o.code == binary.OpIf:
		out = append(out, binary.BlockVoid)
	case o.code == binary.OpBr || o.code == binary.OpBrIf || o.code == binary.OpLocalGet || o.code == binary.OpLocalTee:
		out = binary.AppendU32(out, uint32(o.imm))
	case o.accessesMemory():
		out = append(out, o.align)
		out = binary.AppendU32(out, uint32(o.imm))
	}
	return out
}
