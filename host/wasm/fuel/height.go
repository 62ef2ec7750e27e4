package fuel

import "github.com/mcpctl/mcpctl/host/wasm/binary"

// height tracks the number of values on the operand stack, most of which the compiler
// keeps in the frame across a call. It is an estimate: code that is never reached, and
// vectors, count roughly.
type height struct{ now, max int }

func (h *height) add(n int) {
	h.now = max(h.now+n, 0)
	h.max = max(h.max, h.now)
}

// effects is the change of the height by each opcode that step does not handle itself.
var effects = func() (e [256]int8) {
	set := func(effect int8, from, to int) {
		for op := from; op <= to; op++ {
			e[op] = effect
		}
	}
	set(+1, binary.OpLocalGet, binary.OpLocalGet)
	set(+1, binary.OpGlobalGet, binary.OpGlobalGet)
	set(+1, binary.OpMemorySize, binary.OpMemorySize)
	set(+1, binary.OpI32Const, binary.OpF64Const)
	set(+1, binary.OpRefFunc, binary.OpRefFunc)
	set(+1, binary.OpRefNull, binary.OpRefNull)
	set(-1, binary.OpLocalSet, binary.OpLocalSet)
	set(-1, binary.OpGlobalSet, binary.OpGlobalSet)
	set(-1, binary.OpDrop, binary.OpDrop)
	set(-1, binary.OpIf, binary.OpIf)
	set(-1, binary.OpBrIf, binary.OpBrIf)
	set(-2, binary.OpSelect, binary.OpSelectTyped)
	set(-2, binary.OpI32Store, binary.OpI64Store32)
	set(-2, binary.OpTableSet, binary.OpTableSet)
	set(-1, binary.OpI32Eq, binary.OpI32GeU)
	set(-1, binary.OpI64Eq, binary.OpI32Clz-1)
	set(-1, binary.OpI32Add, binary.OpI64Clz-1)
	set(-1, binary.OpI64Add, binary.OpF32Abs-1)
	set(-1, binary.OpF32Sqrt+1, binary.OpF64Abs-1)
	set(-1, binary.OpF64Sqrt+1, binary.OpI32WrapI64-1)
	return e
}()

// block is the state at the beginning of a block.
type block struct{ height, results int }

// blockType returns the number of parameters and results of a block.
func (p *program) blockType(value int64) (params, results int) {
	switch {
	case value == binary.BlockVoid-0x80:
		return 0, 0
	case value < 0 || value >= int64(len(p.types)):
		return 0, 1
	}
	t := p.types[value]
	return len(t.Params), len(t.Results)
}

// callEffect returns the change of the height by a call of a function of a type.
func (p *program) callEffect(typ uint32) int {
	t := p.types[typ]
	return len(t.Results) - len(t.Params)
}

// typeOf returns the type of a function.
func (p *program) typeOf(index uint32) uint32 {
	if own := int(index) - len(p.imports); own >= 0 {
		return p.functions[own].typ
	}
	return p.imports[index]
}

// step updates the height for one instruction. checkIndexes must have accepted it. The end
// of a block restores the height at its beginning.
func (a *analysis) step(h *height, in *binary.Instruction) {
	switch in.Op {
	case binary.OpBlock, binary.OpLoop, binary.OpIf:
		h.add(int(effects[in.Op]))
		params, results := a.blockType(in.Value)
		a.blocks = append(a.blocks, block{max(h.now-params, 0), results})
	case binary.OpElse:
		if n := len(a.blocks); n > 0 {
			h.now = a.blocks[n-1].height
		}
	case binary.OpEnd:
		if n := len(a.blocks); n > 0 {
			h.now = a.blocks[n-1].height
			h.add(a.blocks[n-1].results)
			a.blocks = a.blocks[:n-1]
		}
	case binary.OpCall:
		h.add(a.callEffect(a.typeOf(in.A)))
	case binary.OpCallIndirect:
		h.add(a.callEffect(in.A) - 1)
	case binary.OpPrefixVector:
		if in.Sub == binary.VectorConst {
			h.add(1)
		}
	case binary.OpPrefixMisc:
		if in.Sub > binary.MiscLastConversion && in.Sub != binary.MiscTableGrow {
			h.add(-3)
		}
	default:
		h.add(int(effects[in.Op]))
	}
}
