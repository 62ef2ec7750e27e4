package hostile

import (
	"slices"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// attack returns code that leaves nothing on the stack. It may add functions.
type attack struct {
	name    string
	endless bool // only a limit on time or on the stack ends it
	build   func(b *builder) []byte
}

func code(parts ...[]byte) func(*builder) []byte {
	return func(*builder) []byte { return slices.Concat(parts...) }
}

const grow = 1000 // pages: 62 MB, within the limit of memory

var growMemory = slices.Concat(i32(grow), []byte{binary.OpMemoryGrow, 0}, drop)

var attacks = []attack{
	// Loops.
	{"loop-empty", true, code(loop())},
	{"loop-nested", true, code(loop(repeat(50, []byte{binary.OpLoop, binary.BlockVoid}), repeat(50, []byte{binary.OpEnd})))},
	{"loop-table", true, code(loop(i32(1), []byte{binary.OpBrTable, 2, 0, 0, 0}))},
	{"loop-divide", true, code(loop(local(binary.OpLocalGet, 4), []byte{binary.OpI64Const, 3, 0x80, binary.OpDrop}))},
	{"loop-vector", true, code(loop(slices.Concat([]byte{0xfd, 12}, make([]byte, 16), []byte{0xfd, 12}, make([]byte, 16), []byte{0xfd, 0xb5, 0x01}), drop))},
	{"loop-chase", true, code(growMemory, loop(
		local(binary.OpLocalGet, 0), i32(4099*64), []byte{binary.OpI32Add}, i32(60<<20-1), []byte{0x71}, local(binary.OpLocalTee, 0), // and
		[]byte{binary.OpI32Load, 2, 0}, local(binary.OpLocalGet, 0), []byte{binary.OpI32Add}, local(binary.OpLocalSet, 0),
		local(binary.OpLocalGet, 0), i32(60<<20-4), []byte{0x71}, local(binary.OpLocalSet, 0)))},
	{"loop-chase-unrolled", true, code(growMemory, loop(repeat(2000,
		local(binary.OpLocalGet, 0), i32(4099*64), []byte{binary.OpI32Add}, i32(60<<20-4), []byte{0x71}, local(binary.OpLocalTee, 0),
		[]byte{binary.OpI32Load, 2, 0}, local(binary.OpLocalGet, 0), []byte{binary.OpI32Add}, local(binary.OpLocalSet, 0),
		local(binary.OpLocalGet, 0), i32(60<<20-4), []byte{0x71}, local(binary.OpLocalSet, 0))))},
	{"loop-grow", true, code(loop(i32(1), []byte{binary.OpMemoryGrow, 0}, drop))},
	{"loop-grow-nothing", true, code(loop(i32(0), []byte{binary.OpMemoryGrow, 0}, drop))},
	{"loop-grow-touch", true, code(loop(i32(16), []byte{binary.OpMemoryGrow, 0}, drop, fill(0, 1<<16)))},
	{"loop-grow-table", true, code(loop([]byte{0xd0, binary.TypeFuncref}, i32(1), misc(binary.MiscTableGrow, 0), drop))},
	{"loop-fill", true, code(growMemory, loop(fill(0, 60<<20)))},
	{"loop-copy", true, code(growMemory, loop(i32(0), i32(1), i32(60<<20), misc(binary.MiscMemoryCopy, 0, 0)))},
	{"loop-fill-table", true, code(growTable, loop(fillTable))},
	{"loop-calls", true, func(b *builder) []byte { return loop(call(b.function("", "", "", nil))) }},

	// Trees of calls without a loop.
	{"tree-calls", true, func(b *builder) []byte { return b.tree(48, 2, nil) }},
	{"tree-wide", true, func(b *builder) []byte { return b.tree(16, 64, nil) }},
	{"tree-leaf-heavy", true, func(b *builder) []byte { return b.tree(40, 2, repeat(10_000, i32(1), drop)) }},
	{"tree-fill", true, func(b *builder) []byte { return slices.Concat(growMemory, b.tree(30, 2, fill(0, 1<<20))) }},
	{"tree-table", true, func(b *builder) []byte { return slices.Concat(growTable, b.tree(30, 2, fillTable)) }},
	{"tree-grow", true, func(b *builder) []byte {
		return b.tree(40, 2, slices.Concat(i32(0), []byte{binary.OpMemoryGrow, 0}, drop))
	}},
	{"tree-indirect", true, func(b *builder) []byte {
		t := byte(b.typeOf("", ""))
		b.table = append(b.table, b.nothing)
		for i := range 48 {
			next := slices.Concat(i32(int32(i)), []byte{binary.OpCallIndirect, t, 0})
			b.table = append(b.table, b.function("", "", "", repeat(2, next)))
		}
		return slices.Concat(i32(48), []byte{binary.OpCallIndirect, t, 0})
	}},
	{"tree-mutual", true, func(b *builder) []byte {
		// Each calls the other twice with a smaller number, unless it is 0.
		body := func(other int) []byte {
			once := slices.Concat(local(binary.OpLocalGet, 0), i32(1), []byte{binary.OpI32Sub}, call(other))
			return slices.Concat(local(binary.OpLocalGet, 0), []byte{binary.OpIf, binary.BlockVoid}, once, once, []byte{binary.OpEnd})
		}
		at := b.next()
		b.function("", "i", "", body(at+1))
		return slices.Concat(i32(60), call(b.function("", "i", "", body(at))))
	}},

	// Bulk instructions in a row.
	{"row-fill", true, func(b *builder) []byte { return slices.Concat(growMemory, b.row(5000, fill(0, 60<<20))) }},
	{"row-copy", true, func(b *builder) []byte {
		return slices.Concat(growMemory, b.row(5000, i32(0), i32(1), i32(60<<20), misc(binary.MiscMemoryCopy, 0, 0)))
	}},
	{"row-init", false, func(b *builder) []byte {
		return b.row(20_000, i32(0), i32(0), i32(dataSize), misc(binary.MiscMemoryInit, 0, 0))
	}},
	{"row-fill-table", false, func(b *builder) []byte { return slices.Concat(growTable, b.row(20_000, fillTable)) }},
	{"row-copy-table", false, func(b *builder) []byte {
		return slices.Concat(growTable, b.row(20_000, i32(0), i32(1), i32(90_000), misc(binary.MiscTableCopy, 0, 0)))
	}},
	{"row-grow", false, func(b *builder) []byte { return b.row(50_000, i32(1), []byte{binary.OpMemoryGrow, 0}, drop) }},

	// Recursions.
	{"recursion", true, func(b *builder) []byte { return call(b.function("", "", "", call(b.next()))) }},
	{"recursion-mutual", true, func(b *builder) []byte {
		at := b.next()
		b.function("", "", "", call(at+1))
		return call(b.function("", "", "", call(at)))
	}},
	{"recursion-indirect", true, func(b *builder) []byte {
		next := slices.Concat(i32(0), []byte{binary.OpCallIndirect, byte(b.typeOf("", "")), 0})
		b.table = append(b.table, b.function("", "", "", next))
		return next
	}},
	{"recursion-values", true, func(b *builder) []byte {
		// 500 values are needed after the call.
		index := b.next()
		return slices.Concat(i32(1), call(b.function("", "i", "i", slices.Concat(
			repeat(500, local(binary.OpLocalGet, 0), i32(3), []byte{binary.OpI32Add}),
			local(binary.OpLocalGet, 0), call(index), repeat(500, []byte{binary.OpI32Add})))), drop)
	}},
	{"recursion-values-one-by-one", true, func(b *builder) []byte {
		// Many groups of values, of which one is needed at a time. The compiler gives each value
		// a place of its own.
		index := b.next()
		group := slices.Concat(repeat(40, local(binary.OpLocalGet, 0), []byte{binary.OpI32Load, 2, 0}), local(binary.OpLocalGet, 1), repeat(40, []byte{binary.OpI32Add}), local(binary.OpLocalSet, 1))
		return slices.Concat(i32(1), call(b.function("", "i", "i", slices.Concat(repeat(400, group), local(binary.OpLocalGet, 1), call(index)))), drop)
	}},

	// Memory and traps.
	{"memory-touch", false, code(growMemory, fill(1, 60<<20))},
	{"memory-small-steps", false, code(repeat(960, i32(1), []byte{binary.OpMemoryGrow, 0}, drop), fill(1, 60<<20))},
	{"trap", false, code([]byte{binary.OpUnreachable})},
	{"trap-load", false, code(i32(-1), []byte{binary.OpI32Load, 2, 0}, drop)},
	{"trap-divide", false, code(i32(1), i32(0), []byte{0x6d}, drop)},
	{"trap-indirect", false, func(b *builder) []byte {
		return slices.Concat(i32(63), []byte{binary.OpCallIndirect, byte(b.typeOf("", "")), 0})
	}},
}

func fill(value, n int32) []byte {
	return slices.Concat(i32(0), i32(value), i32(n), misc(binary.MiscMemoryFill, 0))
}

var growTable = slices.Concat([]byte{0xd0, binary.TypeFuncref}, i32(99_000), misc(binary.MiscTableGrow, 0), drop)

var fillTable = slices.Concat(i32(0), []byte{0xd0, binary.TypeFuncref}, i32(99_000), misc(binary.MiscTableFill, 0))

// tree adds functions that each call the next one several times, and returns a call of the
// first one. The last one runs leaf.
func (b *builder) tree(depth, width int, leaf []byte) []byte {
	next := call(b.function("", "", "", leaf))
	for range depth {
		next = call(b.function("", "", "", repeat(width, next)))
	}
	return next
}

// row returns calls of functions that run code n times without a loop. Each repeats it at
// the most times that one function may have bulk instructions.
func (b *builder) row(n int, code ...[]byte) []byte {
	const most = 1000
	full := call(b.function("", "", "", repeat(most, code...)))
	return repeat((n+most-1)/most, full)
}
