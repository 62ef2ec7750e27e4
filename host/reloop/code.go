package reloop

import "github.com/mcpctl/mcpctl/host/wasm/module"

// noResult is the type of a block without a result, as the number that its byte reads as.
const noResult = module.BlockVoid - 0x80

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
	r := module.NewReader(body)
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
	for r.Len() > 0 {
		if !c.readOp(r) {
			return c, false
		}
	}
	return c, r.Err() == nil
}

func (c *code) readOp(r *module.Reader) bool {
	o := op{from: r.Offset()}
	o.code = r.Byte()
	switch k := o.code; {
	case k == module.OpBlock, k == module.OpLoop, k == module.OpIf, k == module.OpI32Const, k == module.OpI64Const:
		o.imm = r.S64()
	case k == module.OpBr, k == module.OpBrIf, k == module.OpCall, k >= module.OpLocalGet && k <= module.OpGlobalSet:
		o.imm = int64(r.U32())
	case k == module.OpBrTable:
		targets := make([]int, 0, 8)
		for range r.Count("branches", 1) + 1 {
			targets = append(targets, int(r.U32()))
		}
		if c.tables++; c.tables == 1 {
			c.table = targets
		}
	case k == module.OpCallIndirect:
		r.U32()
		r.U32()
	case k >= module.OpI32Load && k <= module.OpI64Store32:
		o.align = byte(r.U32())
		o.imm = int64(r.U32()) // the offset
	case k == module.OpMemorySize, k == module.OpMemoryGrow:
		r.Byte()
	case k == module.OpF32Const:
		r.Bytes(4)
	case k == module.OpF64Const:
		r.Bytes(8)
	case k == module.OpPrefixMisc:
		switch sub := r.U32(); {
		case sub <= module.MiscLastConversion:
		case sub == module.MiscMemoryCopy:
			r.Bytes(2)
		case sub == module.MiscMemoryFill:
			r.Byte()
		default:
			return false
		}
	case k == module.OpUnreachable, k == module.OpNop, k == module.OpElse, k == module.OpEnd, k == module.OpReturn, k == module.OpDrop, k == module.OpSelect,
		k >= module.OpI32Eqz && k <= module.OpI64Extend32S:
	default:
		return false
	}
	o.to = r.Offset()
	c.ops = append(c.ops, o)
	return true
}

// opensBlock reports whether an instruction is closed by an end.
func (o op) opensBlock() bool {
	return o.code == module.OpBlock || o.code == module.OpLoop || o.code == module.OpIf
}

// accessesMemory reports whether an instruction is a load or a store.
func (o op) accessesMemory() bool { return o.code >= module.OpI32Load && o.code <= module.OpI64Store32 }
