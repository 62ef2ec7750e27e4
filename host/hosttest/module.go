package hosttest

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// Module assembles a WebAssembly module with one stage or one controller that calls
// functions of the host in sequence and ignores their results. It is for tests that need
// many small modules without a toolchain. The zero value is a stage that returns DONE and
// writes nothing.
type Module struct {
	text    []byte // memory from address 0
	imports []abi.Import
	entries []entry
	meta    string
}

// entry is one function that the host calls.
type entry struct {
	export string
	code   []byte
	result int
}

// current returns the entry to which calls are added: the stage, until Hook begins
// another.
func (m *Module) current() *entry {
	if len(m.entries) == 0 {
		m.entries = []entry{{export: abi.ExportStage}}
	}
	return &m.entries[len(m.entries)-1]
}

// Hook begins a hook, to which the following calls are added. A module that begins with
// a hook is a controller; with calls before the first hook it is also a stage, and needs
// a manifest.
func (m *Module) Hook(h abi.Hook) *Module {
	m.entries = append(m.entries, entry{export: "mcpctl_" + string(h)})
	return m
}

// Opcodes and types that are used here.
const (
	opUnreachable = 0x00
	opLoop        = 0x03
	opBranch      = 0x0c
	blockVoid     = 0x40
	opEnd         = 0x0b
	opCall        = 0x10
	opDrop        = 0x1a
	opConst       = 0x41
	typeI32       = 0x7f
	typeFunc      = 0x60
	pageBytes     = 64 << 10
)

// Call adds a call of a host function. A string argument is passed as two: its address
// and its length.
//
// It panics if there is no such function, because the test is wrong.
func (m *Module) Call(name string, args ...any) *Module {
	i := slices.IndexFunc(abi.Imports, func(f abi.Import) bool { return f.Name == name })
	if i < 0 {
		panic(fmt.Sprintf("hosttest: no function %q in the ABI", name))
	}
	e := m.current()
	for _, a := range args {
		switch a := a.(type) {
		case int:
			e.push(a)
		case string:
			e.push(len(m.text))
			e.push(len(a))
			m.text = append(m.text, a...)
		default:
			panic(fmt.Sprintf("hosttest: argument of type %T, want int or string", a))
		}
	}
	at := slices.IndexFunc(m.imports, func(f abi.Import) bool { return f.Name == name })
	if at < 0 {
		at = len(m.imports)
		m.imports = append(m.imports, abi.Imports[i])
	}
	e.code = append(append(e.code, opCall), number(at)...)
	e.code = append(e.code, opDrop)
	return m
}

// Spin adds an endless loop.
func (m *Module) Spin() *Module {
	e := m.current()
	e.code = append(e.code, opLoop, blockVoid, opBranch, 0, opEnd)
	return m
}

// Trap adds a trap.
func (m *Module) Trap() *Module {
	e := m.current()
	e.code = append(e.code, opUnreachable)
	return m
}

// Returns sets the return code of the stage or hook; the default is abi.ReturnDone.
func (m *Module) Returns(code int) *Module {
	m.current().result = code
	return m
}

// Manifest sets the manifest, as JSON. Without one the role has the name of the file.
func (m *Module) Manifest(text string) *Module {
	m.meta = text
	return m
}

// Write returns a module that answers every content with text.
func Write(text string) []byte { return new(Module).Call(abi.FuncOutWrite, text).File() }

// File returns the assembled module.
func (m *Module) File() []byte {
	var types, imports [][]byte
	for i, f := range m.imports {
		types = append(types, funcType(len(f.Params), len(f.Results)))
		imports = append(imports, slices.Concat(name(f.Namespace), name(f.Name), []byte{0}, number(i)))
	}
	n := len(types)
	types = append(types, funcType(0, 0), funcType(0, 1))
	m.current()
	functions, bodies := [][]byte{number(n)}, [][]byte{sized([]byte{0, opEnd})}
	exports := [][]byte{
		slices.Concat(name(abi.ExportMemory), []byte{2, 0}),
		slices.Concat(name(abi.ExportMarker), []byte{0}, number(n)),
	}
	for i, e := range m.entries {
		functions = append(functions, number(n+1))
		bodies = append(bodies, sized(slices.Concat([]byte{0}, e.code, []byte{opConst}, signed(e.result), []byte{opEnd})))
		exports = append(exports, slices.Concat(name(e.export), []byte{0}, number(n+1+i)))
	}
	pages := len(m.text)/pageBytes + 1
	file := slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, vector(types...)),
		section(2, vector(imports...)),
		section(3, vector(functions...)),
		section(5, vector(slices.Concat([]byte{0}, number(pages)))),
		section(7, vector(exports...)),
		section(10, vector(bodies...)),
		section(11, vector(slices.Concat([]byte{0, opConst, 0, opEnd}, sized(m.text)))))
	if m.meta != "" {
		file = append(file, section(0, append(name(abi.ManifestSection), m.meta...))...)
	}
	return file
}

func (e *entry) push(v int) { e.code = append(append(e.code, opConst), signed(v)...) }

func funcType(params, results int) []byte {
	return slices.Concat([]byte{typeFunc}, sized(slices.Repeat([]byte{typeI32}, params)), sized(slices.Repeat([]byte{typeI32}, results)))
}

func section(id byte, body []byte) []byte { return append([]byte{id}, sized(body)...) }
func vector(items ...[]byte) []byte       { return append(number(len(items)), slices.Concat(items...)...) }
func name(s string) []byte                { return sized([]byte(s)) }
func sized(b []byte) []byte               { return append(number(len(b)), b...) }
func number(n int) []byte                 { return binary.AppendUvarint(nil, uint64(n)) }

// signed encodes an i32 as signed LEB128.
func signed(n int) []byte {
	var out []byte
	for v := int32(n); ; v >>= 7 {
		if low := byte(v & 0x7f); v>>6 == 0 || v>>6 == -1 {
			return append(out, low)
		}
		out = append(out, byte(v&0x7f)|0x80)
	}
}
