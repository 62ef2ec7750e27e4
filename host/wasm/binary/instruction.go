package binary

// Instruction is one instruction of a function.
type Instruction struct {
	Op    byte
	Sub   uint32 // the instruction after OpPrefixMisc or OpPrefixVector
	Value int64  // of an integer constant; the type of a block, which is negative unless it is an index
	A, B  uint32 // numbers in the order of the file: an index, or the alignment and the offset of a load

	// Targets of a br_table; the last one is the default. The slice is used again for the
	// next br_table.
	Targets []uint32
}

// immediateKind is the form of the bytes after an opcode.
type immediateKind byte

const (
	unknownOpcode immediateKind = iota
	noImmediate
	oneIndex
	twoIndexes
	integer
	block
	otherImmediates
)

var immediateKinds = func() (kinds [256]immediateKind) {
	set := func(kind immediateKind, ops ...int) {
		for _, op := range ops {
			kinds[op] = kind
		}
	}
	set(noImmediate, OpUnreachable, OpNop, OpElse, OpEnd, OpReturn, OpDrop, OpSelect, opRefIsNull)
	for op := OpI32Eqz; op <= OpI64Extend32S; op++ {
		kinds[op] = noImmediate
	}
	for op := OpI32Load; op <= OpI64Store32; op++ {
		kinds[op] = twoIndexes // alignment and offset
	}
	set(block, OpBlock, OpLoop, OpIf)
	set(integer, OpI32Const, OpI64Const)
	set(oneIndex, OpBr, OpBrIf, OpCall, OpLocalGet, OpLocalSet, OpLocalTee, OpGlobalGet, OpGlobalSet, opTableGet, OpTableSet,
		OpMemorySize, OpMemoryGrow, OpRefFunc)
	set(twoIndexes, OpCallIndirect)
	set(otherImmediates, OpBrTable, OpSelectTyped, OpF32Const, OpF64Const, OpRefNull, OpPrefixMisc, OpPrefixVector)
	return kinds
}()

// Instruction reads one instruction. It fails for an opcode that this host does not run, and
// for an encoding that the compiler might read differently: then the rest of the function
// would be other instructions than those that were checked.
func (r *Reader) Instruction(in *Instruction) {
	in.Op = r.Byte()
	switch immediateKinds[in.Op] {
	case noImmediate:
	case oneIndex:
		in.A = r.U32()
	case twoIndexes:
		in.A, in.B = r.U32(), r.U32()
	case integer:
		in.Value = r.S64()
	case block:
		in.Value = r.blockType()
	case otherImmediates:
		r.readImmediates(in)
	default:
		if feature := featureOf(in.Op); feature != "" {
			r.Fail("uses %s, which this host does not run", feature)
		}
		r.Fail("instruction 0x%02x is not one this host runs", in.Op)
	}
}

// featureOf returns the extension of WebAssembly to which an unknown opcode belongs.
func featureOf(op byte) string {
	switch op {
	case 0x06, 0x07, 0x08, 0x09, 0x0a, 0x18, 0x19, 0x1f:
		return "exceptions"
	case 0x12, 0x13:
		return "tail calls"
	case 0x14, 0x15, 0xd3, 0xd4, 0xd5, 0xd6:
		return "typed references"
	case 0xfb:
		return "garbage collection"
	case 0xfe:
		return "threads"
	}
	return ""
}

func (r *Reader) readImmediates(in *Instruction) {
	switch in.Op {
	case OpBrTable:
		in.Targets = in.Targets[:0]
		for range r.CountAtMost("targets of a br_table", 1, maxBranches) + 1 {
			in.Targets = append(in.Targets, r.U32())
		}
	case OpSelectTyped:
		if n := r.Byte(); n != 1 {
			r.Fail("select with %d types, want 1", n)
		}
		r.ValueType()
	case OpF32Const:
		r.Bytes(4)
	case OpF64Const:
		r.Bytes(8)
	case OpRefNull:
		if t := r.Byte(); t != TypeFuncref && t != TypeExternref {
			r.Fail("reference type 0x%02x is not one this host runs", t)
		}
	case OpPrefixMisc:
		r.readMisc(in)
	case OpPrefixVector:
		r.skipVector(in)
	}
}

func (r *Reader) readMisc(in *Instruction) {
	in.Sub = r.subOpcode(OpPrefixMisc)
	switch in.Sub {
	case miscDataDrop, MiscMemoryFill, miscElementDrop, MiscTableGrow, miscTableSize, MiscTableFill:
		in.A = r.U32()
	case MiscMemoryInit, MiscMemoryCopy, MiscTableInit, MiscTableCopy:
		in.A, in.B = r.U32(), r.U32()
	default:
		if in.Sub > MiscLastConversion {
			r.Fail("instruction 0xfc 0x%02x is not one this host runs", in.Sub)
		}
	}
}

// subOpcode reads the number after a prefix. The compiler reads a single byte after the
// prefix of vectors, and takes a second byte, 1, for a nop: so only the shortest form of a
// number has the same meaning for both.
func (r *Reader) subOpcode(prefix byte) uint32 {
	low := r.Byte()
	if low < 0x80 {
		return uint32(low)
	}
	if high := r.Byte(); high != 1 {
		r.Fail("instruction 0x%02x 0x%02x 0x%02x is not one this host runs", prefix, low, high)
	}
	return uint32(low)
}

// blockType reads the type of a block: a value type or nothing, as a negative number, or the
// index of a type.
func (r *Reader) blockType() int64 {
	start := r.at
	v := r.signed(33)
	if r.err != nil || v >= 0 && v < 1<<32 {
		return v
	}
	if b := r.b[start]; v > 0 || r.at > start+1 || b != BlockVoid && typeNames[b] == "" {
		r.Fail("block type 0x%02x is not one this host runs", b)
	}
	return v
}

// KeepsState reports whether an instruction changes state other than memory and globals:
// the entries of a table, or segments that can be dropped.
func (in *Instruction) KeepsState() bool {
	switch in.Op {
	case OpTableSet:
		return true
	case OpPrefixMisc:
		switch in.Sub {
		case miscDataDrop, miscElementDrop, MiscTableInit, MiscTableCopy, MiscTableGrow, MiscTableFill:
			return true
		}
	}
	return false
}

func (r *Reader) skipVector(in *Instruction) {
	in.Sub = r.subOpcode(OpPrefixVector)
	switch op := in.Sub; {
	case op <= 11, op == 92, op == 93: // loads and stores
		r.U32()
		r.U32()
	case op == VectorConst, op == VectorConst+1: // constants and shuffles
		r.Bytes(16)
	case op >= 21 && op <= 34: // lanes
		r.Byte()
	case op >= 84 && op <= 91: // lanes in memory
		r.U32()
		r.U32()
		r.Byte()
	}
}
