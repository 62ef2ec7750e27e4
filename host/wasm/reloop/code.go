package reloop

import "math"

// Instructions that matter here. All others are copied.
const (
	opUnreachable  = 0x00
	opNop          = 0x01
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0b
	opBr           = 0x0c
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opDrop         = 0x1a
	opSelect       = 0x1b
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opLocalTee     = 0x22
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opI32Load      = 0x28
	opI64Load32U   = 0x35 // the last load
	opI32Store     = 0x36
	opI64Store32   = 0x3e
	opMemorySize   = 0x3f
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opI32Eqz       = 0x45
	opI32Eq        = 0x46
	opI32LtU       = 0x49
	opI32GeU       = 0x4f
	opI64Eqz       = 0x50
	opI64Eq        = 0x51
	opI64Ne        = 0x52
	opI64GeU       = 0x5a
	opI32Sub       = 0x6b
	opI64Add       = 0x7c
	opI32Wrap      = 0xa7
	opI64ExtendU   = 0xad // of an i32
	opExtend32     = 0xc4 // the last of the plain ones
	opMore         = 0xfc

	noResult = -64 // the type of a block, as its byte 0x40 reads
)

// op is an instruction: its bytes in the body of the function, and the number that
// stands in it.
type op struct {
	code     byte
	align    byte // of loads and stores
	from, to int
	imm      int64
}

// code is the body of a function.
type code struct {
	locals []byte // their declarations, without the count
	groups int    // of declarations
	count  int    // of locals declared
	ops    []op
	table  []int // of the first br_table; the last entry is for all others
	tables int
}

// scratch is memory that one function after another is worked on in.
type scratch struct {
	ops     []op   // of the function as it was
	written []byte // the function anew
	again   []op   // of that
	tidied  []op
}

// readCode reads the body of a function, if it knows all its instructions. They are
// read into ops, whose memory is used again.
func readCode(body []byte, ops *[]op) (code, bool) {
	r := &reader{b: body}
	c := code{groups: r.count(), ops: (*ops)[:0]}
	defer func() { *ops = c.ops }()
	start := r.at
	for range c.groups {
		c.count += r.u32()
		r.byte()
	}
	if r.bad {
		return c, false
	}
	c.locals = body[start:r.at]
	for r.at < len(body) && !r.bad {
		if !c.readOp(r) {
			return c, false
		}
	}
	return c, !r.bad
}

func (c *code) readOp(r *reader) bool {
	o := op{from: r.at}
	o.code = r.byte()
	switch k := o.code; {
	case k == opBlock, k == opLoop, k == opIf, k == opI32Const, k == opI64Const:
		o.imm = r.s64()
	case k == opBr, k == opBrIf, k == opCall, k >= opLocalGet && k <= opGlobalSet:
		o.imm = int64(r.u32())
	case k == opBrTable:
		targets := make([]int, 0, 8)
		for range r.count() + 1 {
			targets = append(targets, r.u32())
		}
		if c.tables++; c.tables == 1 {
			c.table = targets
		}
	case k == opCallIndirect:
		r.u32()
		r.u32()
	case k >= opI32Load && k <= opI64Store32:
		o.align = byte(r.u32())
		o.imm = int64(r.u32()) // the offset
	case k == opMemorySize, k == opMemoryGrow:
		r.byte()
	case k == opF32Const:
		r.bytes(4)
	case k == opF64Const:
		r.bytes(8)
	case k == opMore:
		const lastConversion, copyMemory, fillMemory = 7, 10, 11
		switch sub := r.u32(); {
		case sub <= lastConversion:
		case sub == copyMemory:
			r.bytes(2)
		case sub == fillMemory:
			r.byte()
		default:
			return false
		}
	case k == opUnreachable, k == opNop, k == opElse, k == opEnd, k == opReturn, k == opDrop, k == opSelect,
		k >= opI32Eqz && k <= opExtend32:
	default:
		return false
	}
	o.to = r.at
	c.ops = append(c.ops, o)
	return true
}

// opens reports whether an instruction begins what an end closes.
func (o op) opens() bool { return o.code == opBlock || o.code == opLoop || o.code == opIf }

// accesses reports whether an instruction is a load or a store.
func (o op) accesses() bool { return o.code >= opI32Load && o.code <= opI64Store32 }

// reader reads the binary format. After the first mistake bad is set and all that
// is read is zero.
type reader struct {
	b   []byte
	at  int
	bad bool
}

func (r *reader) byte() byte {
	if r.bad || r.at >= len(r.b) {
		r.bad = true
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

func (r *reader) bytes(n int) []byte {
	if r.bad || n > len(r.b)-r.at {
		r.bad = true
		return nil
	}
	r.at += n
	return r.b[r.at-n : r.at]
}

// count is a number of things that have a byte each at least.
func (r *reader) count() int {
	n := r.u32()
	if n > len(r.b)-r.at {
		r.bad = true
		return 0
	}
	return n
}

func (r *reader) u32() int {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 && v <= math.MaxInt32 { // nothing is larger, of what is counted or indexed here
			return int(v)
		}
	}
	r.bad = true
	return 0
}

func (r *reader) s64() int64 {
	var v int64
	for shift := 0; shift < 70; {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		shift += 7
		if b < 0x80 {
			if shift < 64 && b&0x40 != 0 {
				v |= -1 << shift
			}
			return v
		}
	}
	r.bad = true
	return 0
}

func appendS32(b []byte, v int) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
