package fuel

import (
	"fmt"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// maxGrowth times its size is the limit of a rewritten module: a file of many small loops
// would become ten times as large.
const maxGrowth = 4

// Rewrite returns a module with counters. file must be the output of module.File, which
// has limits on all counts. first is the fuel of a new guest, for its start function.
//
// Errors: the text completes `module "x": `. A module that Rewrite does not understand is
// refused.
func Rewrite(file []byte, first int32) ([]byte, error) {
	p, err := open(file)
	if err != nil {
		return nil, err
	}
	p.first, p.limit = first, maxGrowth*len(file)+1<<20
	return p.encode(len(file))
}

// open reads and analyzes a module.
func open(file []byte) (*program, error) {
	sections, err := binary.SplitSections(file)
	if err != nil {
		return nil, err
	}
	p := &program{sections: make(map[byte][]byte, len(sections))}
	for _, s := range sections {
		p.sections[s.ID] = s.Body
	}
	if err := p.read(); err != nil {
		return nil, err
	}
	return p, p.analyze()
}

// program is a module that is rewritten.
type program struct {
	first    int32 // fuel of a new guest
	sections map[byte][]byte
	types    []binary.Signature
	imports  []uint32 // types of the imported functions
	globals  int      // with imported ones
	// functions are those that the module defines.
	functions []function
	listed    []uint32 // functions in tables, or whose reference is taken
	limit     int      // bytes of the result

	yieldType   uint32            // index of the type of Yield
	resultTypes map[string]uint32 // indexes of the types of wrappers with several results
}

// function is a function that the module defines.
type function struct {
	typ   uint32
	body  []byte
	count int // of parameters and locals
	code  int // offset of the first instruction in body

	costs    []int32 // of the function without its loops, then of each loop in order
	calls    []uint32
	indirect bool // it has a call_indirect
	frame    int  // estimated bytes on the stack
	limited  bool // its frames are counted
}

// yieldIndex is the index of Yield: it becomes the last imported function.
func (p *program) yieldIndex() uint32 { return uint32(len(p.imports)) }

// shift returns the new index of a function.
func (p *program) shift(index uint32) uint32 {
	if index >= p.yieldIndex() {
		return index + 1
	}
	return index
}

// read reads the sections that precede the code.
func (p *program) read() error {
	types := binary.NewReader(p.sections[binary.SectionType])
	if types.Len() > 0 {
		p.types = binary.DecodeTypes(types)
	}
	if types.Err() != nil {
		return types.Err()
	}
	if err := p.readImports(binary.NewReader(p.sections[binary.SectionImport])); err != nil {
		return err
	}
	functions := binary.NewReader(p.sections[binary.SectionFunction])
	if functions.Len() > 0 {
		p.functions = make([]function, functions.Count("functions", 1))
	}
	for i := range p.functions {
		if p.functions[i].typ = functions.U32(); int(p.functions[i].typ) >= len(p.types) {
			functions.Fail("type %d of %d", p.functions[i].typ, len(p.types))
		}
	}
	code := binary.NewReader(p.sections[binary.SectionCode])
	if len(p.functions) > 0 && code.Count("function bodies", 1) != len(p.functions) {
		code.Fail("function bodies differ from functions")
	}
	for i := range p.functions {
		p.functions[i].body = code.Bytes(int(code.U32()))
	}
	globals := binary.NewReader(p.sections[binary.SectionGlobal])
	if globals.Len() > 0 {
		p.globals += globals.Count("globals", 1)
	}
	for _, r := range []*binary.Reader{functions, code, globals} {
		if r.Err() != nil {
			return r.Err()
		}
	}
	return nil
}

func (p *program) readImports(r *binary.Reader) error {
	if r.Len() == 0 {
		return nil
	}
	for range r.Count("imports", 1) {
		module, name := r.Name(), r.Name()
		switch kind := r.Byte(); kind {
		case binary.KindFunction:
			t := r.U32()
			if int(t) >= len(p.types) {
				r.Fail("type %d of %d", t, len(p.types))
			}
			p.imports = append(p.imports, t)
		case binary.KindGlobal:
			p.globals++
			r.Bytes(2)
		default:
			r.Fail("import %s.%s is not a function", module, name)
		}
		if module == Namespace {
			return fmt.Errorf("imports %s.%s, which is reserved", module, name)
		}
	}
	return r.Err()
}

// encode returns the rewritten module.
func (p *program) encode(size int) ([]byte, error) {
	code, err := p.encodeCode()
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, size+len(code)-len(p.sections[binary.SectionCode])+1<<10), binary.Header...)
	for _, s := range []struct {
		id     byte
		encode func() ([]byte, error)
	}{
		{binary.SectionType, p.encodeTypes}, {binary.SectionImport, p.encodeImports}, {binary.SectionFunction, nil}, {binary.SectionTable, nil},
		{binary.SectionMemory, nil}, {binary.SectionGlobal, p.encodeGlobals}, {binary.SectionExport, p.encodeExports}, {binary.SectionStart, p.encodeStart},
		{binary.SectionElement, p.encodeElements}, {binary.SectionDataCount, nil},
		{binary.SectionCode, func() ([]byte, error) { return code, nil }}, {binary.SectionData, nil},
	} {
		body := p.sections[s.id]
		if s.encode != nil {
			if body, err = s.encode(); err != nil {
				return nil, fmt.Errorf("%s section: %w", binary.SectionNames[s.id], err)
			}
		}
		if body != nil {
			out = binary.AppendSection(out, s.id, body)
		}
	}
	return out, nil
}
