package module

import "fmt"

// decodeFunctionType reads the type of a function.
func (f *File) decodeFunctionType(r *Reader) Signature {
	i := r.U32()
	if r.err != nil || int(i) >= len(f.types) {
		r.fail("type %d of %d", i, len(f.types))
		return Signature{}
	}
	f.functions = append(f.functions, i)
	return f.types[i]
}

func (f *File) decodeImports(r *Reader) {
	for range r.Count("imports", 4) {
		i := Import{Module: r.Name(), Name: r.Name(), Kind: r.Byte()}
		switch i.Kind {
		case KindFunction:
			i.Signature = f.decodeFunctionType(r)
		case KindTable:
			f.decodeTable(r)
		case KindMemory:
			f.decodeMemory(r)
		case KindGlobal:
			r.skipValueType()
			r.Byte()
		default:
			r.fail("import %s of kind %d", i.label(), i.Kind)
		}
		if r.err != nil {
			return
		}
		f.Imports = append(f.Imports, i)
	}
}

// decodeTables checks the tables and returns the section with a maximum for each:
// nothing else limits table.grow.
func (f *File) decodeTables(r *Reader) []byte {
	n := r.Count("tables", 3)
	out := AppendU32(nil, uint32(n))
	for range n {
		kind, minimum, maximum := f.decodeTable(r)
		out = AppendU32(append(out, kind, hasMaximum), minimum)
		out = AppendU32(out, maximum)
	}
	return out
}

func (f *File) decodeTable(r *Reader) (kind byte, minimum, maximum uint32) {
	kind = r.Byte()
	if r.err == nil && kind != typeFuncref && kind != typeExternref {
		r.fail("table type 0x%02x is not one this host runs", kind)
	}
	minimum, maximum, limited := r.limits("table")
	f.tables++
	f.tableEntries = min(f.tableEntries, maxTableEntries) + min(minimum, maxTableEntries+1)
	if r.err == nil && (f.tables > maxTables || f.tableEntries > maxTableEntries) {
		r.fail("%d tables with %d entries, limit %d with %d", f.tables, minimum, maxTables, maxTableEntries)
	}
	if !limited || maximum > maxTableEntries {
		maximum = maxTableEntries
	}
	return kind, minimum, max(maximum, minimum)
}

func (f *File) decodeMemory(r *Reader) {
	minimum, _, _ := r.limits("memory")
	if f.memories++; f.memories > 1 {
		r.fail("uses several memories, which this host does not run")
	}
	f.MinPages = minimum
}

// Flags of the limits of a table or memory.
const (
	hasMaximum = 0x01
	isShared   = 0x02
	is64Bit    = 0x04
)

// limits reads the limits of a table or memory.
func (r *Reader) limits(kind string) (minimum, maximum uint32, limited bool) {
	switch flags := r.Byte(); {
	case flags&is64Bit != 0:
		r.fail("uses memory64, which this host does not run")
	case flags&isShared != 0:
		r.fail("uses threads (a shared %s), which this host does not run", kind)
	case flags > hasMaximum:
		r.fail("%s flags 0x%02x", kind, flags)
	default:
		limited = flags == hasMaximum
	}
	minimum = r.U32()
	if limited {
		maximum = r.U32()
	}
	return minimum, maximum, limited
}

func (f *File) decodeGlobals(r *Reader) {
	n := r.Count("globals", 4)
	if n > maxGlobals {
		r.fail("%d globals, limit %d", n, maxGlobals)
	}
	for i := range n {
		r.skipValueType()
		if r.Byte() == 1 {
			f.mutable = append(f.mutable, uint32(i)) // no global is imported
		}
		r.skipConst()
		if r.err != nil {
			return
		}
	}
}

func (f *File) decodeExports(r *Reader) {
	for range r.Count("exports", 3) {
		e := Export{Name: r.Name(), Kind: r.Byte()}
		i := r.U32()
		if int(e.Kind) >= len(kindNames) {
			r.fail("export %s of kind %d", e.Name, e.Kind)
		}
		if e.Kind == KindFunction && r.err == nil {
			if int(i) >= len(f.functions) {
				r.fail("export %s is function %d of %d", e.Name, i, len(f.functions))
				return
			}
			e.Signature = f.types[f.functions[i]]
		}
		if r.err != nil {
			return
		}
		f.Exports = append(f.Exports, e)
	}
}

// skipElements skips the segments of tables.
func skipElements(r *Reader) {
	const (
		isPassive   = 1 // or declared
		hasTable    = 2 // or is declared
		expressions = 4
	)
	for range r.Count("element segments", 3) {
		flags := r.U32()
		if flags > isPassive|hasTable|expressions {
			r.fail("element segment of kind %d", flags)
		}
		if flags&isPassive == 0 {
			if flags&hasTable != 0 {
				r.U32()
			}
			r.skipConst()
		}
		if flags&(isPassive|hasTable) != 0 {
			r.Byte() // type of the elements
		}
		for range r.Count("elements", 1) {
			if flags&expressions != 0 {
				r.skipConst()
			} else {
				r.U32()
			}
		}
		if r.err != nil {
			return
		}
	}
}

func (f *File) decodeBodies(r *Reader) {
	n := r.Count("function bodies", 2)
	if own := len(f.functions) - f.importedFunctions(); r.err == nil && n != own {
		r.fail("%d bodies for %d functions", n, own)
	}
	for i := range n {
		body := r.Bytes(int(r.U32()))
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
	r := NewReader(body)
	var locals uint64
	for range r.Count("groups of locals", 2) {
		locals += uint64(r.U32())
		r.skipValueType()
	}
	if r.err == nil && locals > maxLocals {
		return fmt.Errorf("%d locals, limit %d", locals, maxLocals)
	}
	return r.err
}
