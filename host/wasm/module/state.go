package module

import "fmt"

// How many numbers follow an opcode. Instructions of kind otherImmediates are
// decoded by skipImmediates.
const (
	oneNumber       = 1
	twoNumbers      = 2
	otherImmediates = 3
	blockType       = 4 // opens a block
	endOfBlock      = 5 // none
)

var immediates = func() (kinds [256]byte) {
	set := func(kind byte, ops ...int) {
		for _, op := range ops {
			kinds[op] = kind
		}
	}
	for op := OpI32Load; op <= OpI64Store32; op++ { // alignment and offset
		kinds[op] = twoNumbers
	}
	set(blockType, OpBlock, OpLoop, OpIf)
	set(endOfBlock, OpEnd)
	set(oneNumber, OpBr, OpBrIf, OpCall, OpLocalGet, OpLocalSet, OpLocalTee, OpGlobalGet, OpGlobalSet, opTableGet,
		OpMemorySize, OpMemoryGrow, OpI32Const, OpI64Const, opRefNull, opRefFunc)
	set(twoNumbers, OpCallIndirect)
	set(otherImmediates, OpBrTable, opSelectTyped, opTableSet, OpF32Const, OpF64Const, OpPrefixMisc, opPrefixVector)
	return kinds
}()

// KeepsState reports whether any function can change state other than memory and
// globals: entries of tables, and segments that can be dropped.
func (f *File) KeepsState() bool { return f.keepsState }

// scanCode checks the counts in the instructions of one function, and reports whether
// one keeps state.
func scanCode(code []byte) (keepsState bool, err error) {
	depth := 0
	for at := 0; at < len(code); {
		op := code[at]
		at++
		n := immediates[op]
		switch n {
		case otherImmediates:
			r := &Reader{b: code, at: at}
			keepsState = r.skipImmediates(op) || keepsState
			if r.err != nil {
				return true, r.err
			}
			at = r.at
			continue
		case blockType:
			if depth++; depth > maxNesting {
				return true, fmt.Errorf("more than %d blocks inside each other", maxNesting)
			}
			n = oneNumber
		case endOfBlock:
			depth--
			continue
		}
		for ; n > 0; n-- {
			for at < len(code) && code[at] >= 0x80 {
				at++
			}
			at++
		}
	}
	return keepsState, nil
}

// skipImmediates skips the immediates of an instruction and reports whether the
// instruction changes a table or a segment.
func (r *Reader) skipImmediates(op byte) (keepsState bool) {
	switch op {
	case OpBrTable:
		for range r.CountAtMost("targets of a br_table", 1, maxBranches) + 1 {
			r.U32()
		}
	case opSelectTyped:
		r.Bytes(r.Count("types", 1))
	case OpF32Const:
		r.Bytes(4)
	case OpF64Const:
		r.Bytes(8)
	case OpPrefixMisc:
		return r.skipMisc()
	case opPrefixVector:
		r.skipVector()
	case opTableSet:
		r.U32()
		return true
	}
	return false
}

func (r *Reader) skipMisc() (keepsState bool) {
	switch r.U32() {
	case miscMemoryInit, MiscMemoryCopy:
		r.U32()
		r.Byte()
	case MiscMemoryFill:
		r.Byte()
	case miscTableSize:
		r.U32()
	case miscDataDrop, miscElementDrop, miscTableGrow, miscTableFill:
		r.U32()
		return true
	case miscTableInit, miscTableCopy:
		r.U32()
		r.U32()
		return true
	}
	return false
}

func (r *Reader) skipVector() {
	switch op := r.U32(); {
	case op <= 11, op == 92, op == 93: // loads and stores
		r.U32()
		r.U32()
	case op == opVectorConst, op == opVectorConst+1: // constants and shuffles
		r.Bytes(16)
	case op >= 21 && op <= 34: // lanes
		r.Byte()
	case op >= 84 && op <= 91: // lanes in memory
		r.U32()
		r.U32()
		r.Byte()
	}
}
