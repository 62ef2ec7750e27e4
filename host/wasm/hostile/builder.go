package hostile

import (
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// builder assembles a module with a memory of one page, a table of 64 functions and a
// passive data segment of 64 KiB.
type builder struct {
	types     []string // parameters, a colon, results
	imports   []imported
	functions []function
	exports   []exported
	start     int // index of the start function; 0: none
	table     []int
	nothing   int // index of a function that does nothing
	more      int // further locals of i32 in the last function
}

type imported struct {
	module, name string
	typ          int
}

type function struct {
	typ  int
	code []byte // without its last end
}

type exported struct {
	name  string
	index int
}

// Locals of each function, after its parameters: 4 of i32 and 2 of i64.
var locals = []byte{2, 4, binary.TypeI32, 2, binary.TypeI64}

// newBuilder returns a builder of a module. For Extism, the module imports one of its
// functions, which is how the host recognises the format.
func newBuilder(isExtism bool) *builder {
	b := &builder{}
	if isExtism {
		b.imports = []imported{{"extism:host/env", "input_length", b.typeOf("", "I")}}
	}
	b.nothing = b.function("", "", "", nil)
	return b
}

// typeOf returns the index of a type: i is i32, I is i64.
func (b *builder) typeOf(params, results string) int {
	t := params + ":" + results
	i := slices.Index(b.types, t)
	if i < 0 {
		b.types = append(b.types, t)
		i = len(b.types) - 1
	}
	return i
}

// function adds a function and returns its index.
func (b *builder) function(export, params, results string, code []byte) int {
	index := b.next()
	b.functions = append(b.functions, function{b.typeOf(params, results), code})
	if export != "" {
		b.exports = append(b.exports, exported{export, index})
	}
	return index
}

// next returns the index of the next function.
func (b *builder) next() int { return len(b.imports) + len(b.functions) }

// native adds the exports of a stage.
func (b *builder) native(attack []byte) {
	b.function(abi.ExportMarker, "", "", nil)
	b.function(abi.ExportStage, "", "i", append(attack, binary.OpI32Const, abi.ReturnPass))
}

// controller adds the exports of a controller.
func (b *builder) controller(hook abi.Hook, attack []byte) {
	b.function(abi.ExportMarker, "", "", nil)
	b.function("mcpctl_"+string(hook), "", "i", append(attack, binary.OpI32Const, abi.ReturnPass))
}

func (b *builder) encode() []byte {
	vector := func(n int, entry func(out []byte, i int) []byte) []byte {
		out := binary.AppendU32(nil, uint32(n))
		for i := range n {
			out = entry(out, i)
		}
		return out
	}
	out := []byte(binary.Header)
	section := func(id byte, body []byte) { out = binary.AppendSection(out, id, body) }
	section(binary.SectionType, vector(len(b.types), func(out []byte, i int) []byte { return appendType(out, b.types[i]) }))
	section(binary.SectionImport, vector(len(b.imports), func(out []byte, i int) []byte {
		f := b.imports[i]
		out = append(binary.AppendName(binary.AppendName(out, f.module), f.name), binary.KindFunction)
		return binary.AppendU32(out, uint32(f.typ))
	}))
	section(binary.SectionFunction, vector(len(b.functions), func(out []byte, i int) []byte { return binary.AppendU32(out, uint32(b.functions[i].typ)) }))
	section(binary.SectionTable, []byte{1, binary.TypeFuncref, 0, tableSize})
	section(binary.SectionMemory, []byte{1, 0, 1})
	section(binary.SectionExport, vector(len(b.exports)+1, func(out []byte, i int) []byte {
		if i == len(b.exports) {
			return append(binary.AppendName(out, abi.ExportMemory), binary.KindMemory, 0)
		}
		out = append(binary.AppendName(out, b.exports[i].name), binary.KindFunction)
		return binary.AppendU32(out, uint32(b.exports[i].index))
	}))
	if b.start > 0 {
		section(binary.SectionStart, binary.AppendU32(nil, uint32(b.start)))
	}
	section(binary.SectionElement, append([]byte{1, 0, binary.OpI32Const, 0, binary.OpEnd}, vector(len(b.table), func(out []byte, i int) []byte { return binary.AppendU32(out, uint32(b.table[i])) })...))
	section(binary.SectionDataCount, []byte{1})
	section(binary.SectionCode, vector(len(b.functions), func(out []byte, i int) []byte {
		head := locals
		if i == len(b.functions)-1 && b.more > 0 {
			head = binary.AppendU32(append([]byte{3}, locals[1:]...), uint32(b.more))
			head = append(head, binary.TypeI32)
		}
		body := append(slices.Concat(head, b.functions[i].code), binary.OpEnd)
		return append(binary.AppendU32(out, uint32(len(body))), body...)
	}))
	section(binary.SectionData, slices.Concat([]byte{1, 1}, binary.AppendU32(nil, dataSize), make([]byte, dataSize)))
	return out
}

const (
	tableSize = 64
	dataSize  = 64 << 10
)

func appendType(out []byte, text string) []byte {
	var lists [2][]byte
	part := 0
	for _, c := range []byte(text) {
		switch c {
		case ':':
			part++
		case 'i':
			lists[part] = append(lists[part], binary.TypeI32)
		case 'I':
			lists[part] = append(lists[part], binary.TypeI64)
		}
	}
	out = append(out, binary.FunctionForm)
	for _, l := range lists {
		out = append(binary.AppendU32(out, uint32(len(l))), l...)
	}
	return out
}

// Parts of code.

func i32(v int32) []byte { return binary.AppendS32([]byte{binary.OpI32Const}, v) }

func call(index int) []byte { return binary.AppendU32([]byte{binary.OpCall}, uint32(index)) }

func local(op byte, index byte) []byte { return []byte{op, index} }

// loop repeats code for ever.
func loop(code ...[]byte) []byte {
	return slices.Concat([]byte{binary.OpLoop, binary.BlockVoid}, slices.Concat(code...), []byte{binary.OpBr, 0, binary.OpEnd})
}

func repeat(n int, code ...[]byte) []byte { return slices.Repeat(slices.Concat(code...), n) }

func misc(sub byte, immediates ...byte) []byte {
	return append([]byte{binary.OpPrefixMisc, sub}, immediates...)
}

var drop = []byte{binary.OpDrop}
