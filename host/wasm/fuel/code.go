package fuel

import (
	"fmt"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// encodeCode returns the code section.
func (p *program) encodeCode() ([]byte, error) {
	p.yieldType = uint32(len(p.types))
	p.resultTypes = make(map[string]uint32)
	if p.sections[binary.SectionCode] == nil {
		return nil, nil
	}
	w := writer{program: p}
	out := binary.AppendU32(make([]byte, 0, 2*len(p.sections[binary.SectionCode])), uint32(len(p.functions)))
	for i := range p.functions {
		body := w.encodeFunction(&p.functions[i])
		out = binary.AppendU32(out, uint32(len(body)))
		out = append(out, body...)
		if len(out) > p.limit {
			return nil, fmt.Errorf("has so many loops and calls that their counters would exceed %d times the size of the module", maxGrowth)
		}
	}
	return out, nil
}

// writer writes one function after another. Its memory is used again.
type writer struct {
	*program
	in      binary.Instruction
	out     []byte
	f       *function
	r       *binary.Reader
	copied  int      // offset in the body up to which instructions are written
	labels  []uint32 // for each block around the current instruction, the number of frames added around it
	loops   []loop   // that are open
	counter uint32   // local: a counter after a payment
	stack   uint32   // local: the counter of the stack
}

// encodeFunction returns the body of a function, which is valid until the next call.
func (w *writer) encodeFunction(f *function) []byte {
	w.f, w.out, w.labels, w.loops = f, w.out[:0], append(w.labels[:0], 0), w.loops[:0]
	w.counter, w.stack = uint32(f.count), uint32(f.count)+1
	w.r = binary.NewReader(f.body)
	groups := w.r.U32()
	locals := w.r.Offset()
	w.out = binary.AppendU32(w.out, groups+1)
	w.out = append(w.out, f.body[locals:f.code]...)
	w.out = append(w.out, 2, binary.TypeI32)
	w.r.Bytes(f.code - locals)
	w.begin()
	loops := 0
	for w.copied = f.code; w.r.Len() > 0; {
		start := w.r.Offset()
		w.r.Instruction(&w.in)
		switch w.in.Op {
		case binary.OpLoop:
			loops++
			w.beginLoop(start, f.costs[loops])
		case binary.OpBlock, binary.OpIf:
			w.labels = append(w.labels, w.added())
		case binary.OpEnd:
			w.endBlock()
		case binary.OpBr, binary.OpBrIf:
			w.replace(start, w.in.Op, w.label(w.in.A))
		case binary.OpBrTable:
			w.replace(start, binary.OpBrTable, uint32(len(w.in.Targets)-1))
			for _, t := range w.in.Targets {
				w.out = binary.AppendU32(w.out, w.label(t))
			}
		case binary.OpReturn:
			if f.limited {
				w.replace(start, binary.OpBr, w.label(uint32(len(w.labels)-1)))
			}
		case binary.OpCall, binary.OpRefFunc:
			w.replace(start, w.in.Op, w.shift(w.in.A))
		case binary.OpPrefixMisc:
			w.copyUntil(start)
			w.payBulk()
		}
	}
	w.copyUntil(w.r.Offset())
	w.finish()
	return w.out
}

// copyUntil writes the instructions before an offset that are not written yet.
func (w *writer) copyUntil(offset int) {
	w.out = append(w.out, w.f.body[w.copied:offset]...)
	w.copied = offset
}

// replace writes an instruction in place of the current one.
func (w *writer) replace(start int, op byte, index uint32) {
	w.copyUntil(start)
	w.copied = w.r.Offset()
	w.op(op, index)
}

func (w *writer) op(op byte, index uint32) { w.out = binary.AppendU32(append(w.out, op), index) }

func (w *writer) constant(v int32) {
	w.out = binary.AppendS32(append(w.out, binary.OpI32Const), v)
}

// begin writes the payment of the function. In a limited function it also opens a block
// around the code. Returns become branches to the end of that block, where finish releases
// the frame. Branches to the label of the function need no change: the block has that label
// now.
func (w *writer) begin() {
	f := w.f
	if !f.limited {
		if f.costs[0] > 0 {
			w.pay(f.costs[0])
		}
		return
	}
	w.subtract(w.fuelGlobal(), f.costs[0], w.counter)
	w.subtract(w.stackGlobal(), int32(f.frame), w.stack)
	w.op(binary.OpLocalGet, w.counter)
	w.op(binary.OpLocalGet, w.stack)
	w.out = append(w.out, binary.OpI32Or)
	w.yieldIfNegative(func() { w.op(binary.OpLocalGet, w.stack) })
	w.out = append(w.out, binary.OpBlock)
	w.out = w.appendResultType(w.out, w.types[f.typ].Results)
}

// finish writes the release of the frame and the end of a limited function. The last end
// in its original code closes the block that begin opened.
func (w *writer) finish() {
	if w.f.limited {
		w.op(binary.OpGlobalGet, w.stackGlobal())
		w.constant(int32(w.f.frame))
		w.out = append(w.out, binary.OpI32Add)
		w.op(binary.OpGlobalSet, w.stackGlobal())
		w.out = append(w.out, binary.OpEnd)
	}
}

// subtract lowers a counter and keeps its value in a local.
func (w *writer) subtract(global uint32, amount int32, local uint32) {
	w.op(binary.OpGlobalGet, global)
	w.constant(amount)
	w.out = append(w.out, binary.OpI32Sub)
	w.op(binary.OpLocalTee, local)
	w.op(binary.OpGlobalSet, global)
}

// pay lowers the fuel and calls Yield if none is left.
func (w *writer) pay(amount int32) {
	w.subtract(w.fuelGlobal(), amount, w.counter)
	w.yieldIfUsedUp()
}

func (w *writer) yieldIfUsedUp() {
	w.op(binary.OpLocalGet, w.counter)
	w.yieldIfNegative(func() { w.constant(0) })
}

// yieldIfNegative calls Yield if the number on the stack is negative. stack pushes the
// second argument.
func (w *writer) yieldIfNegative(stack func()) {
	w.constant(0)
	w.out = append(w.out, binary.OpI32LtS, binary.OpIf, binary.BlockVoid)
	w.op(binary.OpLocalGet, w.counter)
	stack()
	w.op(binary.OpCall, w.yieldIndex())
	w.op(binary.OpGlobalSet, w.fuelGlobal())
	w.out = append(w.out, binary.OpEnd)
}

// payBulk pays for a bulk instruction before it runs. The length is the last argument of
// all of them.
func (w *writer) payBulk() {
	shift := int32(0)
	switch w.in.Sub {
	case binary.MiscMemoryFill, binary.MiscMemoryCopy, binary.MiscMemoryInit:
		shift = bytesShift
	case binary.MiscTableFill, binary.MiscTableCopy, binary.MiscTableInit:
		shift = 1 // the counter must not overflow
	default:
		return
	}
	w.op(binary.OpLocalTee, w.counter)
	w.op(binary.OpGlobalGet, w.fuelGlobal())
	w.op(binary.OpLocalGet, w.counter)
	w.constant(shift)
	w.out = append(w.out, binary.OpI32ShrU, binary.OpI32Sub)
	w.op(binary.OpLocalTee, w.counter)
	w.op(binary.OpGlobalSet, w.fuelGlobal())
	w.yieldIfUsedUp()
}

// appendResultType appends the type of a block with results.
func (p *program) appendResultType(out, results []byte) []byte {
	switch len(results) {
	case 0:
		return append(out, binary.BlockVoid)
	case 1:
		return append(out, results[0])
	}
	index, ok := p.resultTypes[string(results)]
	if !ok {
		index = p.yieldType + 1 + uint32(len(p.resultTypes))
		p.resultTypes[string(results)] = index
	}
	return binary.AppendS32(out, int32(index))
}
