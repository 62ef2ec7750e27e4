package fuel

import "github.com/mcpctl/mcpctl/host/wasm/binary"

// loop is an open loop with frames around it.
type loop struct {
	labels int // outside it
	cost   int32
}

// loopFrames is the number of frames that beginLoop adds around a loop.
const loopFrames = 3

// maxFramed is the number of loops inside each other that have these frames. The compiler takes
// more than twice as long for 1,000 of them, which no real function has.
const maxFramed = 16

// beginLoop writes the beginning of a loop and the payment for an iteration. The call of
// Yield follows the loop, so that no iteration jumps over it:
//
//	block $exit
//	  loop $again
//	    block $yield
//	      loop
//	        ...                        ;; pays, br_if $yield
//	      end
//	      br $exit
//	    end
//	    ...                            ;; calls Yield and returns the payment
//	    br $again
//	  end
//	end
//
// A loop with parameters, or inside many loops, calls Yield at its beginning.
func (w *writer) beginLoop(start int, cost int32) {
	w.copyUntil(start)
	w.copied = w.r.Offset()
	blockType := w.f.body[start+1 : w.copied]
	open := func(op byte, blockType ...byte) { w.out = append(append(w.out, op), blockType...) }
	if params, _ := w.blockType(w.in.Value); params > 0 || len(w.loops) >= maxFramed {
		w.labels = append(w.labels, w.added())
		open(binary.OpLoop, blockType...)
		w.pay(cost)
		return
	}
	w.loops = append(w.loops, loop{len(w.labels), cost})
	w.labels = append(w.labels, w.added()+loopFrames)
	open(binary.OpBlock, blockType...)
	open(binary.OpLoop, blockType...)
	open(binary.OpBlock, binary.BlockVoid)
	open(binary.OpLoop, blockType...)
	w.subtract(w.fuelGlobal(), cost, w.counter)
	w.op(binary.OpLocalGet, w.counter)
	w.constant(0)
	w.out = append(w.out, binary.OpI32LtS)
	w.op(binary.OpBrIf, 1)
}

// endBlock writes the end of a block. After a loop it closes the frames of beginLoop.
func (w *writer) endBlock() {
	outside := len(w.labels) - 1
	w.labels = w.labels[:outside]
	last := len(w.loops) - 1
	if last < 0 || w.loops[last].labels != outside {
		return
	}
	cost := w.loops[last].cost
	w.loops = w.loops[:last]
	w.copyUntil(w.r.Offset())
	w.op(binary.OpBr, 2)
	w.out = append(w.out, binary.OpEnd)
	w.op(binary.OpLocalGet, w.counter)
	w.constant(0)
	w.op(binary.OpCall, w.yieldIndex())
	w.constant(cost)
	w.out = append(w.out, binary.OpI32Add)
	w.op(binary.OpGlobalSet, w.fuelGlobal())
	w.op(binary.OpBr, 0)
	w.out = append(w.out, binary.OpEnd, binary.OpEnd)
}

// added returns the number of frames added around the current instruction.
func (w *writer) added() uint32 { return w.labels[len(w.labels)-1] }

// label returns the index of a label among the blocks with the added frames.
func (w *writer) label(index uint32) uint32 {
	return index + w.added() - w.labels[len(w.labels)-1-int(index)]
}
