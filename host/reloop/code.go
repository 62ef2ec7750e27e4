package reloop

import "github.com/mcpctl/mcpctl/host/wasm/binary"

// noResult is the type of a block without a result, as the number that its byte reads as.
const noResult = binary.BlockVoid - 0x80

// op is an instruction: its bytes in the body of the function, and its number.
type op struct {
	code     byte
	align    byte // of loads and stores
	from, to int
	imm      int64 // the first number, or the offset of a load or store
}

// code is the body of a function.
type code struct {
	locals []byte // their declarations, without the count
	groups int    // of declarations
	count  int    // of locals declared
	ops    []op
	table  []int // of the first br_table; the last entry is the default
	tables int   // number of br_tables
}

// scratch is memory that is reused for one function after another.
type scratch struct {
	ops     []op   // of the original function
	written []byte // the restored function
	again   []op   // of the restored function
	tidied  []op
}

// readCode decodes the body of a function. ok is false if an instruction is unknown. The
// memory of ops is reused.
func readCode(body []byte, ops *[]op) (code, bool) {
	r := binary.NewReader(body)
	c := code{groups: r.Count("groups of locals", 1), ops: (*ops)[:0]}
	defer func() { *ops = c.ops }()
	start := r.Offset()
	for range c.groups {
		c.count += int(r.U32())
		r.Byte()
	}
	if r.Err() != nil {
		return c, false
	}
	c.locals = body[start:r.Offset()]
	var in binary.Instruction
	for r.Len() > 0 {
		if !c.readOp(r, &in) {
			return c, false
		}
	}
	return c, r.Err() == nil
}

// readOp reads one instruction. It returns false if Go's compiler does not generate it.
func (c *code) readOp(r *binary.Reader, in *binary.Instruction) bool {
	o := op{from: r.Offset()}
	r.Instruction(in)
	o.code, o.to = in.Op, r.Offset()
	switch k := in.Op; {
	case k == binary.OpBlock, k == binary.OpLoop, k == binary.OpIf, k == binary.OpI32Const, k == binary.OpI64Const:
		o.imm = in.Value
	case k == binary.OpBr, k == binary.OpBrIf, k == binary.OpCall, k >= binary.OpLocalGet && k <= binary.OpGlobalSet:
		o.imm = int64(in.A)
	case k == binary.OpBrTable:
		if c.tables++; c.tables == 1 {
			for _, to := range in.Targets {
				c.table = append(c.table, int(to))
			}
		}
	case k >= binary.OpI32Load && k <= binary.OpI64Store32:
		o.align, o.imm = byte(in.A), int64(in.B)
	case k == binary.OpPrefixMisc:
		if in.Sub > binary.MiscLastConversion && in.Sub != binary.MiscMemoryCopy && in.Sub != binary.MiscMemoryFill {
			return false
		}
	case k == binary.OpUnreachable, k == binary.OpNop, k == binary.OpElse, k == binary.OpEnd, k == binary.OpReturn, k == binary.OpDrop, k == binary.OpSelect,
		k == binary.OpCallIndirect, k == binary.OpMemorySize, k == binary.OpMemoryGrow, k == binary.OpF32Const, k == binary.OpF64Const,
		k >= binary.OpI32Eqz && k <= binary.OpI64Extend32S:
	default:
		return false
	}
	c.ops = append(c.ops, o)
	return true
}

// opensBlock reports whether an instruction is closed by an end.
func (o op) opensBlock() bool {
	return o.code == binary.OpBlock || o.code == binary.OpLoop || o.code == binary.OpIf
}

// accessesMemory reports whether an instruction is a load or a store.
func (o op) accessesMemory() bool { return o.code >= binary.OpI32Load && o.code <= binary.OpI64Store32 }

// block describes the block that an instruction opens.
type block struct {
	end      int  // index of the end instruction
	isTarget bool // a branch other than the last instruction of the block leads to the end
}

// findBlocks returns the block that each instruction opens; it is empty for other instructions.
func findBlocks(ops []op) []block {
	blocks := make([]block, len(ops))
	var open []int
	for i, o := range ops {
		switch {
		case o.opensBlock():
			open = append(open, i)
		case o.code == binary.OpEnd && len(open) > 0:
			blocks[open[len(open)-1]].end = i
			open = open[:len(open)-1]
		case o.code == binary.OpBrTable: // its labels are not known here
			for _, at := range open {
				blocks[at].isTarget = true
			}
		case o.code == binary.OpBr && o.imm == 0 && ops[i+1].code == binary.OpEnd:
		case o.code == binary.OpBr || o.code == binary.OpBrIf:
			if at := len(open) - 1 - int(o.imm); at >= 0 {
				blocks[open[at]].isTarget = true
			}
		}
	}
	return blocks
}
