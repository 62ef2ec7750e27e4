package fuel

import (
	"slices"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// entries returns the number of entries of a section and their bytes.
func (p *program) entries(id byte) (n uint32, entries []byte) {
	r := binary.NewReader(p.sections[id])
	if r.Len() == 0 {
		return 0, nil
	}
	n = r.U32()
	return n, r.Rest()
}

// encodeTypes adds the types of Yield and of the wrappers. It follows encodeCode, which
// collects them.
func (p *program) encodeTypes() ([]byte, error) {
	_, types := p.entries(binary.SectionType)
	out := binary.AppendU32(nil, uint32(len(p.types)+1+len(p.resultTypes)))
	out = append(out, types...)
	out = append(out, binary.FunctionForm, 2, binary.TypeI32, binary.TypeI32, 1, binary.TypeI32)
	added := make([]string, len(p.resultTypes))
	for results, index := range p.resultTypes {
		added[int(index)-len(p.types)-1] = results
	}
	for _, results := range added {
		out = binary.AppendU32(append(out, binary.FunctionForm, 0), uint32(len(results)))
		out = append(out, results...)
	}
	return out, nil
}

func (p *program) encodeImports() ([]byte, error) {
	n, imports := p.entries(binary.SectionImport)
	out := append(binary.AppendU32(nil, n+1), imports...)
	out = append(binary.AppendName(binary.AppendName(out, Namespace), Yield), binary.KindFunction)
	return binary.AppendU32(out, p.yieldType), nil
}

// fuelGlobal and stackGlobal are the indexes of the counters: the last globals.
func (p *program) fuelGlobal() uint32  { return uint32(p.globals) }
func (p *program) stackGlobal() uint32 { return uint32(p.globals) + 1 }

func (p *program) encodeGlobals() ([]byte, error) {
	n, globals := p.entries(binary.SectionGlobal)
	out := binary.AppendU32(nil, n+2)
	r := binary.NewReader(globals)
	for range n {
		out = append(out, r.Bytes(2)...) // type and mutability
		out = p.appendConst(out, r)
	}
	for _, value := range []int32{p.first, StackBytes} {
		out = append(out, binary.TypeI32, 1, binary.OpI32Const)
		out = append(binary.AppendS32(out, value), binary.OpEnd)
	}
	return out, r.Err()
}

// appendConst copies a constant expression with new indexes of functions.
func (p *program) appendConst(out []byte, r *binary.Reader) []byte {
	start := r.Offset()
	index, isFunction := r.SkipConst()
	if isFunction {
		out = binary.AppendU32(append(out, binary.OpRefFunc), p.shift(index))
		return append(out, binary.OpEnd)
	}
	return append(out, r.Since(start)...)
}

func (p *program) encodeExports() ([]byte, error) {
	n, exports := p.entries(binary.SectionExport)
	out := binary.AppendU32(nil, n+2)
	r := binary.NewReader(exports)
	for range n {
		name, kind, index := r.Name(), r.Byte(), r.U32()
		if name == FuelGlobal || name == StackGlobal {
			r.Fail("exports %s, which is reserved", name)
		}
		switch {
		case kind == binary.KindFunction:
			index = p.shift(index)
		case kind == binary.KindGlobal && int64(index) >= int64(p.globals):
			r.Fail("export %s is global %d of %d", name, index, p.globals)
		}
		out = binary.AppendU32(append(binary.AppendName(out, name), kind), index)
	}
	out = append(binary.AppendName(out, FuelGlobal), binary.KindGlobal)
	out = binary.AppendU32(out, p.fuelGlobal())
	out = append(binary.AppendName(out, StackGlobal), binary.KindGlobal)
	return binary.AppendU32(out, p.stackGlobal()), r.Err()
}

func (p *program) encodeStart() ([]byte, error) {
	body := p.sections[binary.SectionStart]
	if body == nil {
		return nil, nil
	}
	r := binary.NewReader(body)
	index := r.U32()
	return binary.AppendU32(nil, p.shift(index)), r.Err()
}

// encodeElements copies the segments of tables with new indexes of functions.
func (p *program) encodeElements() ([]byte, error) {
	if p.sections[binary.SectionElement] == nil {
		return nil, nil
	}
	n, elements := p.entries(binary.SectionElement)
	out := binary.AppendU32(nil, n)
	r := binary.NewReader(elements)
	for range n {
		s := readElements(r)
		out = binary.AppendU32(out, s.flags)
		out = append(out, s.head...)
		out = binary.AppendU32(out, uint32(s.count))
		for range s.count {
			if s.expressions {
				out = p.appendConst(out, r)
			} else {
				out = binary.AppendU32(out, p.shift(r.U32()))
			}
		}
		if r.Err() != nil {
			break
		}
	}
	return out, r.Err()
}

// elements is the head of a segment of a table, up to its elements.
type elements struct {
	flags       uint32
	head        []byte // between the flags and the count
	count       int
	expressions bool // the elements are constant expressions
}

func readElements(r *binary.Reader) elements {
	const (
		isPassive   = 1 // or declared
		hasTable    = 2 // or is declared
		expressions = 4
	)
	s := elements{flags: r.U32()}
	start := r.Offset()
	if s.flags&isPassive == 0 {
		if s.flags&hasTable != 0 {
			r.U32()
		}
		r.SkipConst()
	}
	if s.flags&(isPassive|hasTable) != 0 {
		r.Byte() // type of the elements
	}
	s.head = r.Since(start)
	s.count = r.Count("elements", 1)
	s.expressions = s.flags&expressions != 0
	return s
}

// listFunctions returns the functions in tables and in globals, which a call_indirect may
// call.
func (p *program) listFunctions() ([]uint32, error) {
	var listed []uint32
	n, segments := p.entries(binary.SectionElement)
	r := binary.NewReader(segments)
	for range n {
		s := readElements(r)
		for range s.count {
			if !s.expressions {
				listed = append(listed, r.U32())
			} else if index, ok := r.SkipConst(); ok {
				listed = append(listed, index)
			}
		}
		if r.Err() != nil {
			return nil, r.Err()
		}
	}
	n, globals := p.entries(binary.SectionGlobal)
	r = binary.NewReader(globals)
	for range n {
		r.Bytes(2)
		if index, ok := r.SkipConst(); ok {
			listed = append(listed, index)
		}
	}
	slices.Sort(listed)
	return slices.Compact(listed), r.Err()
}
