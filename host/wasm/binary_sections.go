package wasm

import (
	"encoding/binary"
	"fmt"
)

// Value types that a guest may use.
const (
	typeI32       = 0x7f
	typeI64       = 0x7e
	typeF32       = 0x7d
	typeF64       = 0x7c
	typeV128      = 0x7b
	typeFuncref   = 0x70
	typeExternref = 0x6f
)

func (r *reader) valueType() {
	switch t := r.byte(); t {
	case typeI32, typeI64, typeF32, typeF64, typeV128, typeFuncref, typeExternref:
	default:
		r.fail("value type 0x%02x is not one this host runs", t)
	}
}

func (r *reader) valueTypes(what string) []byte {
	n := r.count(what, 1)
	if n > maxParams {
		r.fail("%d %s, limit %d", n, what, maxParams)
		return nil
	}
	start := r.at
	for range n {
		r.valueType()
	}
	if r.err != nil {
		return nil
	}
	return r.b[start:r.at]
}

func (s *shape) readTypes(r *reader) {
	for range r.count("types", 3) {
		if form := r.byte(); form != 0x60 {
			r.fail("type form 0x%02x is not one this host runs", form)
			return
		}
		t := funcType{params: r.valueTypes("params")}
		t.results = r.valueTypes("results")
		s.types = append(s.types, t)
	}
}

// signature reads the index of a type.
func (s *shape) signature(r *reader) funcType {
	i := r.u32()
	if r.err != nil || int(i) >= len(s.types) {
		r.fail("type %d of %d", i, len(s.types))
		return funcType{}
	}
	s.funcTypes = append(s.funcTypes, i)
	return s.types[i]
}

func (s *shape) readImports(r *reader) {
	for range r.count("imports", 4) {
		i := moduleImport{module: r.name(), name: r.name(), kind: r.byte()}
		switch i.kind {
		case externFunc:
			i.sig = s.signature(r)
		case externTable:
			s.table(r)
		case externMemory:
			s.memory(r)
		case externGlobal:
			r.valueType()
			r.byte()
		default:
			r.fail("import %s.%s of kind %d", i.module, i.name, i.kind)
		}
		if r.err != nil {
			return
		}
		s.imports = append(s.imports, i)
	}
}

func (s *shape) readFunctions(r *reader) {
	for range r.count("functions", 1) {
		s.signature(r)
	}
}

// limits reads the flags and bounds of a table or memory. has says whether
// there is a maximum.
func (r *reader) limits(what string) (least, most uint32, has bool) {
	switch flags := r.byte(); {
	case flags&0x04 != 0:
		r.fail("uses memory64, which this host does not run")
	case flags&0x02 != 0:
		r.fail("uses threads (a shared %s), which this host does not run", what)
	case flags > 1:
		r.fail("%s flags 0x%02x", what, flags)
	default:
		has = flags == 1
	}
	least = r.u32()
	if has {
		most = r.u32()
	}
	return least, most, has
}

// readTables checks the tables and gives the section anew, each table with a
// maximum: table.grow is held by nothing else.
func (s *shape) readTables(r *reader) []byte {
	n := r.count("tables", 3)
	out := binary.AppendUvarint(nil, uint64(n))
	for range n {
		kind, least, most := s.table(r)
		out = append(out, kind, 1)
		out = binary.AppendUvarint(out, uint64(least))
		out = binary.AppendUvarint(out, uint64(most))
	}
	return out
}

func (s *shape) table(r *reader) (kind byte, least, most uint32) {
	kind = r.byte()
	if r.err == nil && kind != typeFuncref && kind != typeExternref {
		r.fail("table type 0x%02x is not one this host runs", kind)
	}
	least, most, has := r.limits("table")
	s.tables++
	s.entries = min(s.entries, maxTableEntries) + min(least, maxTableEntries+1)
	if r.err == nil && (s.tables > maxTables || s.entries > maxTableEntries) {
		r.fail("%d tables with %d entries, limit %d with %d", s.tables, least, maxTables, maxTableEntries)
	}
	if !has || most > maxTableEntries {
		most = maxTableEntries
	}
	return kind, least, max(most, least)
}

func (s *shape) readMemories(r *reader) {
	for range r.count("memories", 2) {
		s.memory(r)
	}
}

func (s *shape) memory(r *reader) {
	least, _, _ := r.limits("memory")
	if s.memories++; s.memories > 1 {
		r.fail("uses several memories, which this host does not run")
	}
	s.minPages = least
}

func (s *shape) readGlobals(r *reader) {
	n := r.count("globals", 4)
	if n > maxGlobals {
		r.fail("%d globals, limit %d", n, maxGlobals)
	}
	for i := range n {
		r.valueType()
		if r.byte() == 1 {
			s.mutable = append(s.mutable, uint32(i)) // none are imported
		}
		r.skipConst()
		if r.err != nil {
			return
		}
	}
}

func (s *shape) readExports(r *reader) {
	for range r.count("exports", 3) {
		e := moduleExport{name: r.name(), kind: r.byte()}
		i := r.u32()
		if int(e.kind) >= len(externNames) {
			r.fail("export %s of kind %d", e.name, e.kind)
		}
		if e.kind == externFunc && r.err == nil {
			if int(i) >= len(s.funcTypes) {
				r.fail("export %s is function %d of %d", e.name, i, len(s.funcTypes))
				return
			}
			e.sig = s.types[s.funcTypes[i]]
		}
		if r.err != nil {
			return
		}
		s.exports = append(s.exports, e)
	}
}

// skipConst passes a constant expression.
func (r *reader) skipConst() {
	for r.err == nil {
		switch op := r.byte(); op {
		case 0x0b: // end
			return
		case 0x41: // i32.const
			r.skipInt(5)
		case 0x42: // i64.const
			r.skipInt(10)
		case 0x43: // f32.const
			r.bytes(4)
		case 0x44: // f64.const
			r.bytes(8)
		case 0x23, 0xd2: // global.get, ref.func
			r.u32()
		case 0xd0: // ref.null
			r.byte()
		case 0xfd: // v128.const
			if r.u32() != 0x0c {
				r.fail("instruction 0xfd in a constant expression")
			}
			r.bytes(16)
		default:
			r.fail("instruction 0x%02x in a constant expression", op)
		}
	}
}

// readElements reads the segments of tables. Bits of the flags: 1 passive or
// declared, 2 with a table's index (or declared), 4 expressions.
func readElements(r *reader) {
	for range r.count("element segments", 3) {
		flags := r.u32()
		if flags > 7 {
			r.fail("element segment of kind %d", flags)
		}
		if flags&1 == 0 {
			if flags&2 != 0 {
				r.u32()
			}
			r.skipConst()
		}
		if flags&3 != 0 {
			r.byte() // type of the elements
		}
		for range r.count("elements", 1) {
			if flags&4 != 0 {
				r.skipConst()
			} else {
				r.u32()
			}
		}
		if r.err != nil {
			return
		}
	}
}

func (s *shape) readBodies(r *reader) {
	n := r.count("function bodies", 2)
	if own := len(s.funcTypes) - s.importedFuncs(); r.err == nil && n != own {
		r.fail("%d bodies for %d functions", n, own)
	}
	for i := range n {
		body := r.bytes(int(r.u32()))
		if r.err != nil {
			return
		}
		if err := checkBody(body); err != nil {
			r.fail("function %d: %w", i, err)
		}
	}
}

func checkBody(body []byte) error {
	if len(body) > maxBodyBytes {
		return fmt.Errorf("body of %d bytes, limit %d", len(body), maxBodyBytes)
	}
	r := &reader{b: body}
	var locals uint64
	for range r.count("groups of locals", 2) {
		locals += uint64(r.u32())
		r.valueType()
	}
	if r.err == nil && locals > maxLocals {
		return fmt.Errorf("%d locals, limit %d", locals, maxLocals)
	}
	return r.err
}

// readData checks the data segments, and gives the section anew with fewer of
// them where no instruction can name one by its number: then there is no data
// count section.
func (s *shape) readData(r *reader, body []byte) []byte {
	segments, plain := readSegments(r)
	if !plain || s.counted {
		return body
	}
	if merged := mergeSegments(segments); merged != nil {
		return merged
	}
	return body
}
