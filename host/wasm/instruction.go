package wasm

// How many numbers stand behind an instruction; more says that instruction reads
// what does.
const (
	oneNumber  = 1
	twoNumbers = 2
	more       = 3
)

// immediates says it for each instruction of one byte.
var immediates = func() (t [256]byte) {
	set := func(n byte, ops ...int) {
		for _, op := range ops {
			t[op] = n
		}
	}
	for op := 0x28; op <= 0x3e; op++ { // of memory: alignment, offset
		t[op] = twoNumbers
	}
	set(oneNumber, 0x02, 0x03, 0x04, 0x0c, 0x0d, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2)
	set(twoNumbers, 0x11)
	set(more, 0x0e, 0x1c, 0x26, 0x43, 0x44, 0xfc, 0xfd)
	return t
}()

// keepsState reports whether any function has an instruction that changes what is
// neither memory nor a global: the entries of tables, and segments that can be
// dropped. What it cannot read counts as one.
func (s *shape) keepsState() bool {
	r := &reader{b: s.code}
	for range r.count("function bodies", 2) {
		body := &reader{b: r.bytes(int(r.u32()))}
		for range body.count("groups of locals", 2) {
			body.u32()
			body.byte()
		}
		if body.err != nil || keepsState(body.b[body.at:]) {
			return true
		}
	}
	return r.err != nil
}

// keepsState is that for the instructions of one function.
func keepsState(body []byte) bool {
	for at := 0; at < len(body); {
		op := body[at]
		at++
		n := immediates[op]
		if n == more {
			r := &reader{b: body, at: at}
			if r.instruction(op) || r.err != nil {
				return true
			}
			at = r.at
			continue
		}
		for ; n > 0; n-- {
			for at < len(body) && body[at] >= 0x80 {
				at++
			}
			at++
		}
	}
	return false
}

// instruction passes what stands behind an instruction and is more than numbers. It
// reports whether it is one that keepsState looks for.
func (r *reader) instruction(op byte) (keeps bool) {
	switch op {
	case 0x0e: // br_table
		for range r.count("branches", 1) + 1 {
			r.u32()
		}
	case 0x1c: // select, by types
		r.bytes(r.count("types", 1))
	case 0x43: // f32.const
		r.bytes(4)
	case 0x44: // f64.const
		r.bytes(8)
	case 0xfc:
		return r.bulk()
	case 0xfd:
		r.vector()
	default: // table.set
		return true
	}
	return false
}

// bulk passes what stands behind 0xfc: conversions, and operations on many bytes or
// entries at once.
func (r *reader) bulk() (keeps bool) {
	switch r.u32() {
	case 8, 10: // memory.init, memory.copy
		r.u32()
		r.byte()
	case 11: // memory.fill
		r.byte()
	case 16: // table.size
		r.u32()
	case 9, 12, 13, 14, 15, 17: // of segments and tables
		return true
	}
	return false
}

// vector passes what stands behind 0xfd.
func (r *reader) vector() {
	switch op := r.u32(); {
	case op <= 11, op == 92, op == 93: // of memory
		r.u32()
		r.u32()
	case op == 12, op == 13: // constants, shuffles
		r.bytes(16)
	case op >= 21 && op <= 34: // of lanes
		r.byte()
	case op >= 84 && op <= 91: // of lanes in memory
		r.u32()
		r.u32()
		r.byte()
	}
}
