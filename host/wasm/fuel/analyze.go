package fuel

import (
	"fmt"
	"math"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// Costs in fuel. A unit is an instruction of a few machine instructions. A function pays
// for all its instructions outside loops when it begins, and a loop for all its
// instructions outside inner loops at each iteration, whether they are run or not: a
// counter at each branch would take longer than the branch.
const (
	costCall    = 5
	costImport  = 50  // a call of the host
	costGrow    = 500 // memory.grow and table.grow, whose total is limited by the size
	bytesShift  = 3   // a bulk instruction on memory pays a unit for 8 bytes
	minLoopCost = 2   // of an iteration
)

// Estimated bytes of a frame.
const (
	frameBase  = 105 // so that a stack has at most 10,000 frames
	frameValue = 8   // a parameter, a local or an operand

	// Instructions for each byte of values that do not fit into the registers: the compiler
	// uses no place of a frame for a second value.
	frameInstructions = 2
)

// analyze computes the costs and the frame size of each function, and sets limited.
func (p *program) analyze() (err error) {
	if p.listed, err = p.listFunctions(); err != nil {
		return err
	}
	a := analysis{program: p}
	for i := range p.functions {
		if err := a.readFunction(&p.functions[i]); err != nil {
			return fmt.Errorf("code section: function %d: %w", i, err)
		}
	}
	p.chooseLimited()
	return nil
}

// analysis reads one function after another.
type analysis struct {
	*program
	in     binary.Instruction
	open   []int // for each block around the instruction, the index in costs to which it counts
	blocks []block
}

func (a *analysis) readFunction(f *function) error {
	r := binary.NewReader(f.body)
	f.count = len(a.types[f.typ].Params)
	for range r.Count("groups of locals", 2) {
		f.count += int(r.U32())
		r.ValueType()
	}
	f.code = r.Offset()
	f.costs = append(f.costs, 0)
	a.open, a.blocks = append(a.open[:0], 0), a.blocks[:0]
	var operands height
	instructions := 0
	in := &a.in
	for len(a.open) > 0 {
		if r.Len() == 0 {
			r.Fail("ends inside a block")
		}
		r.Instruction(in)
		if r.Err() != nil {
			return r.Err()
		}
		if err := a.checkIndexes(f, in); err != nil {
			return err
		}
		a.step(&operands, in)
		instructions++
		cost := int32(1)
		region := a.open[len(a.open)-1]
		switch in.Op {
		case binary.OpBlock:
			cost = 0
			a.open = append(a.open, region)
		case binary.OpIf:
			a.open = append(a.open, region)
		case binary.OpLoop:
			cost = 0
			a.open = append(a.open, len(f.costs))
			f.costs = append(f.costs, minLoopCost)
		case binary.OpEnd:
			cost = 0
			a.open = a.open[:len(a.open)-1]
		case binary.OpNop, binary.OpElse:
			cost = 0
		case binary.OpCall:
			cost = costCall
			if in.A < a.yieldIndex() {
				cost = costImport
			} else {
				f.calls = append(f.calls, in.A-a.yieldIndex())
			}
		case binary.OpCallIndirect:
			cost = 2 * costCall
			f.indirect = true
		case binary.OpRefFunc:
			a.listed = append(a.listed, in.A)
		case binary.OpMemoryGrow:
			cost = costGrow
		case binary.OpPrefixMisc:
			if in.Sub == binary.MiscTableGrow {
				cost = costGrow
			}
		}
		f.costs[region] = min(f.costs[region], math.MaxInt32/2) + cost
	}
	if r.Len() > 0 {
		return fmt.Errorf("%d bytes after the last end", r.Len())
	}
	f.frame = frameBase + frameValue*(f.count+operands.max) + instructions/frameInstructions
	return nil
}

// checkIndexes refuses an instruction that refers to something that the original module
// does not have. The rewritten module has more of everything.
func (a *analysis) checkIndexes(f *function, in *binary.Instruction) error {
	depth := uint32(len(a.open) - 1)
	check := func(kind string, index uint32, count int) error {
		if int64(index) >= int64(count) {
			return fmt.Errorf("%s %d of %d", kind, index, count)
		}
		return nil
	}
	switch in.Op {
	case binary.OpBr, binary.OpBrIf:
		return check("label", in.A, int(depth)+1)
	case binary.OpBrTable:
		for _, t := range in.Targets {
			if t > depth {
				return check("label", t, int(depth)+1)
			}
		}
	case binary.OpCall, binary.OpRefFunc:
		return check("function", in.A, len(a.imports)+len(a.functions))
	case binary.OpCallIndirect:
		return check("type", in.A, len(a.types))
	case binary.OpLocalGet, binary.OpLocalSet, binary.OpLocalTee:
		return check("local", in.A, f.count)
	case binary.OpGlobalGet, binary.OpGlobalSet:
		return check("global", in.A, a.globals)
	case binary.OpBlock, binary.OpLoop, binary.OpIf:
		if in.Value >= 0 {
			return check("type", uint32(in.Value), len(a.types))
		}
	}
	return nil
}
