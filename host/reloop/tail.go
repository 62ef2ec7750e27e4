package reloop

import (
	"slices"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

const (
	maxTail = 12 // instructions of a tail
	maxIfs  = 8  // that are open in a block
)

// copyTails copies short ends of loop bodies to the branches that lead there. A body with
// an if has this form; the tail is the code that advances the loop:
//
//	block                     block
//	  ...                       ...
//	  a < b  br_if 0            a >= b  if
//	  ...                         ...  tail  br 2
//	end                         end
//	tail  br 0                end
//	                          tail  br 0
//
// If code is reached from a br_if and from elsewhere, wazero adds a jump between them and does
// not combine the br_if with its comparison.
func copyTails(ops []op) []op {
	t := &tails{ops: ops, out: make([]op, 0, len(ops)+len(ops)/8), blocks: findBlocks(ops)}
	for i, o := range ops {
		if o.code == binary.OpBrTable {
			t.tables = append(t.tables, i)
		}
	}
	for i, o := range ops {
		t.add(i, o)
	}
	return t.out
}

// tails copies the tails of one function.
type tails struct {
	ops    []op
	out    []op
	blocks []block
	tables []int // indexes of br_tables
	open   []openBlock
}

// openBlock is a block around the current instruction.
type openBlock struct {
	loop bool
	end  int
	tail int // number of instructions after the end that are copied; the last one is a br
	ifs  int // that were added in it and are open
}

// add adds the instruction at an index.
func (t *tails) add(i int, o op) {
	switch {
	case o.opensBlock():
		b := openBlock{loop: o.code == binary.OpLoop, end: t.blocks[i].end}
		if o.code == binary.OpBlock && o.imm == noResult {
			b.tail = t.tailAt(b.end + 1)
		}
		t.open = append(t.open, b)
	case o.code == binary.OpEnd && len(t.open) > 0:
		t.closeIfs()
		t.open = t.open[:len(t.open)-1]
	case o.code == binary.OpBr && t.target(o).tail > 0:
		t.copyTail(len(t.open) - 1 - int(o.imm))
		return
	case o.code == binary.OpBrIf && o.imm == 0 && t.canNest(i):
		t.negate()
		t.out = append(t.out, op{code: binary.OpIf, imm: noResult})
		t.open[len(t.open)-1].ifs++
		return
	case o.code == binary.OpBr || o.code == binary.OpBrIf:
		o = op{code: o.code, imm: t.index(o.imm)}
	}
	t.out = append(t.out, o)
}

// target returns the block to which a branch leads; for the function it is empty.
func (t *tails) target(branch op) openBlock {
	if at := len(t.open) - 1 - int(branch.imm); at >= 0 {
		return t.open[at]
	}
	return openBlock{}
}

// tailAt returns the number of instructions of the tail at an index, or 0: it is short and
// ends with a branch to a loop around it.
func (t *tails) tailAt(at int) int {
	for n, o := range t.ops[at:min(at+maxTail, len(t.ops))] {
		if o.code == binary.OpBr {
			if t.target(o).loop {
				return n + 1
			}
			return 0
		}
		if _, _, known := stackEffect(o.code); !known {
			return 0
		}
	}
	return 0
}

// canNest reports whether the rest of the innermost block, which follows a br_if to its
// end, can become an if. A br_table in it would need other labels.
func (t *tails) canNest(brIf int) bool {
	b := t.target(op{})
	table, _ := slices.BinarySearch(t.tables, brIf)
	return b.tail > 0 && b.ifs < maxIfs && (table == len(t.tables) || t.tables[table] > b.end)
}

// negate negates the condition on the stack.
func (t *tails) negate() {
	if last := &t.out[len(t.out)-1]; isComparison(last.code) {
		*last = op{code: negate(last.code)}
	} else {
		t.out = append(t.out, op{code: binary.OpI32Eqz})
	}
}

// closeIfs writes the ends of the ifs in the innermost block.
func (t *tails) closeIfs() {
	b := &t.open[len(t.open)-1]
	for ; b.ifs > 0; b.ifs-- {
		if t.out[len(t.out)-1].code != binary.OpBr {
			t.copyTail(len(t.open) - 1)
		}
		t.out = append(t.out, op{code: binary.OpEnd})
	}
}

// copyTail writes the tail after the block at an index.
func (t *tails) copyTail(block int) {
	b := t.open[block]
	branch := b.end + b.tail
	t.out = append(t.out, t.ops[b.end+1:branch]...)
	t.out = append(t.out, op{code: binary.OpBr, imm: t.index(t.ops[branch].imm + int64(len(t.open)-block))})
}

// index returns the index of a label with the ifs that were added inside it.
func (t *tails) index(label int64) int64 {
	index := label
	for _, b := range t.open[max(len(t.open)-1-int(label), 0):] {
		index += int64(b.ifs)
	}
	return index
}
