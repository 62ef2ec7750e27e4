package module

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// Limits on the counts in a file. The compiler trusts them and allocates
// accordingly, so they are checked before it sees the file: a record of 50 to 200 bytes
// may have 1 to 5 bytes in the file. Generated parsers have up to 1,900 blocks inside each
// other; a Go program of 6 MB has 3,000 functions and 52,000 data segments.
const (
	maxImports         = 10_000
	maxExports         = 20_000
	maxFunctions       = 200_000
	maxBodyBytes       = 512 << 10
	maxLocals          = 10_000 // of one function
	maxLoops           = 1_000  // of one function: compiling takes their square. Real ones have up to 55
	maxBulk            = 1_000  // instructions on ranges of memory or tables in one function: each is compiled to hundreds. Real ones have up to 56
	maxAllLocals       = 1_000_000
	maxTables          = 8
	maxTableEntries    = 100_000
	maxElementSegments = 10_000
	maxElements        = 1_000_000 // of all segments
	maxDataSegments    = 100_000   // after those of the linker of Go are merged
	maxRawDataSegments = 500_000
	maxGlobals         = 10_000
)

// Parse reads a core module.
//
// Errors: the text completes `module "x": ...`.
func Parse(file []byte) (*File, error) {
	sections, err := binary.Sections(file)
	if err != nil {
		return nil, err
	}
	d := &decoder{File: &File{stripped: append(make([]byte, 0, len(file)+len(file)/8), binary.Header...)}}
	last := 0
	for _, s := range sections {
		if s.ID != binary.SectionCustom {
			if s.Position() <= last {
				return nil, fmt.Errorf("%s section twice or out of order", binary.SectionNames[s.ID])
			}
			last = s.Position()
		}
		if err := d.addSection(s); err != nil {
			return nil, fmt.Errorf("%s section: %w", binary.SectionNames[s.ID], err)
		}
	}
	// Detects a file that was cut between two sections.
	if last < (binary.Section{ID: binary.SectionCode}).Position() && len(d.functions) > d.importedFunctions() {
		return nil, errors.New("ends before the code section")
	}
	return d.File, nil
}

// decoder fills in a File.
type decoder struct {
	*File
	memories     int
	tables       int
	tableEntries uint32             // of all tables
	locals       uint64             // of all functions
	instruction  binary.Instruction // the last one read; its memory is used again
	hasDataCount bool
}

func (d *decoder) importedFunctions() int {
	n := 0
	for _, i := range d.Imports {
		if i.Kind == binary.KindFunction {
			n++
		}
	}
	return n
}

func (d *decoder) addSection(s binary.Section) error {
	switch s.ID {
	case binary.SectionCustom:
		return d.addCustom(s.Body)
	case binary.SectionTag:
		return errors.New("uses exceptions, which this host does not run")
	}
	r := binary.NewReader(s.Body)
	body := d.decode(s, r)
	if r.Err() == nil && r.Len() > 0 {
		r.Fail("%d bytes left over", r.Len())
	}
	if r.Err() != nil {
		return r.Err()
	}
	start := len(d.stripped)
	d.stripped = binary.AppendSection(d.stripped, s.ID, body)
	if s.ID == binary.SectionExport {
		d.exportSection = [2]int{start, len(d.stripped)}
	}
	return nil
}

// decode reads a section and returns its body for the stripped module.
func (d *decoder) decode(s binary.Section, r *binary.Reader) []byte {
	switch s.ID {
	case binary.SectionType:
		d.types = binary.DecodeTypes(r)
	case binary.SectionImport:
		d.decodeImports(r)
	case binary.SectionFunction:
		n := r.CountAtMost("functions", 1, maxFunctions)
		d.functions = slices.Grow(d.functions, n)
		for range n {
			d.decodeFunctionType(r)
		}
	case binary.SectionTable:
		return d.decodeTables(r)
	case binary.SectionMemory:
		for range r.Count("memories", 2) {
			d.decodeMemory(r)
		}
	case binary.SectionGlobal:
		d.decodeGlobals(r)
	case binary.SectionExport:
		d.decodeExports(r)
	case binary.SectionStart:
		r.U32()
	case binary.SectionDataCount:
		r.U32()
		d.hasDataCount = true
	case binary.SectionElement:
		skipElements(r)
	case binary.SectionCode:
		d.decodeBodies(r)
	case binary.SectionData:
		// Instructions refer to segments by index only if there is a data count section.
		segments, n := decodeData(r)
		if !d.hasDataCount {
			if merged, left := mergeData(s.Body, segments); merged != nil {
				s.Body, n = merged, left
			}
		}
		if n > maxDataSegments {
			r.Fail("%d data segments, limit %d", n, maxDataSegments)
		}
	}
	return s.Body
}

func (d *decoder) addCustom(body []byte) error {
	r := binary.NewReader(body)
	name := r.Name()
	if r.Err() != nil {
		return r.Err()
	}
	d.customs = append(d.customs, name)
	switch name {
	case abi.ManifestSection:
		if d.Manifest != nil {
			return fmt.Errorf("%s appears twice", name)
		}
		d.Manifest = append([]byte{}, body[r.Offset():]...)
	case producersSection:
		d.producers = body[r.Offset():]
	}
	return nil
}

// decodeFunctionType reads the type of a function.
func (d *decoder) decodeFunctionType(r *binary.Reader) binary.Signature {
	i := r.U32()
	if r.Err() != nil || int(i) >= len(d.types) {
		r.Fail("type %d of %d", i, len(d.types))
		return binary.Signature{}
	}
	d.functions = append(d.functions, i)
	return d.types[i]
}

func (d *decoder) decodeImports(r *binary.Reader) {
	for range r.CountAtMost("imports", 4, maxImports) {
		i := Import{Module: r.Name(), Name: r.Name(), Kind: r.Byte()}
		switch i.Kind {
		case binary.KindFunction:
			i.Signature = d.decodeFunctionType(r)
		case binary.KindTable:
			d.decodeTable(r)
		case binary.KindMemory:
			d.decodeMemory(r)
		case binary.KindGlobal:
			r.ValueType()
			r.Byte()
		default:
			r.Fail("import %s of kind %d", i.label(), i.Kind)
		}
		if r.Err() != nil {
			return
		}
		d.Imports = append(d.Imports, i)
	}
}

// decodeTables checks the tables and returns the section with a maximum for each:
// nothing else limits table.grow.
func (d *decoder) decodeTables(r *binary.Reader) []byte {
	n := r.Count("tables", 3)
	out := binary.AppendU32(nil, uint32(n))
	for range n {
		kind, minimum, maximum := d.decodeTable(r)
		out = binary.AppendU32(append(out, kind, hasMaximum), minimum)
		out = binary.AppendU32(out, maximum)
	}
	return out
}

func (d *decoder) decodeTable(r *binary.Reader) (kind byte, minimum, maximum uint32) {
	kind = r.Byte()
	if r.Err() == nil && kind != binary.TypeFuncref && kind != binary.TypeExternref {
		r.Fail("table type 0x%02x is not one this host runs", kind)
	}
	minimum, maximum, limited := decodeLimits(r, "table")
	d.tables++
	d.tableEntries = min(d.tableEntries, maxTableEntries) + min(minimum, maxTableEntries+1)
	if r.Err() == nil && (d.tables > maxTables || d.tableEntries > maxTableEntries) {
		r.Fail("%d tables with %d entries, limit %d with %d", d.tables, minimum, maxTables, maxTableEntries)
	}
	if limited && maximum < minimum {
		r.Fail("table with %d entries and a maximum of %d", minimum, maximum)
	}
	if !limited || maximum > maxTableEntries {
		maximum = maxTableEntries
	}
	return kind, minimum, max(maximum, minimum)
}

func (d *decoder) decodeMemory(r *binary.Reader) {
	minimum, _, _ := decodeLimits(r, "memory")
	if d.memories++; d.memories > 1 {
		r.Fail("uses several memories, which this host does not run")
	}
	d.MinPages = minimum
}

// Flags of the limits of a table or memory.
const (
	hasMaximum = 0x01
	isShared   = 0x02
	is64Bit    = 0x04
)

// decodeLimits reads the limits of a table or memory.
func decodeLimits(r *binary.Reader, kind string) (minimum, maximum uint32, limited bool) {
	switch flags := r.Byte(); {
	case flags&is64Bit != 0:
		r.Fail("uses memory64, which this host does not run")
	case flags&isShared != 0:
		r.Fail("uses threads (a shared %s), which this host does not run", kind)
	case flags > hasMaximum:
		r.Fail("%s flags 0x%02x", kind, flags)
	default:
		limited = flags == hasMaximum
	}
	minimum = r.U32()
	if limited {
		maximum = r.U32()
	}
	return minimum, maximum, limited
}

func (d *decoder) decodeGlobals(r *binary.Reader) {
	for i := range r.CountAtMost("globals", 4, maxGlobals) {
		kind := r.ValueType()
		if r.Byte() == 1 {
			d.mutable = append(d.mutable, uint32(i)) // no global is imported
			d.keepsState = d.keepsState || !isNumber(kind)
		}
		r.SkipConst()
		if r.Err() != nil {
			return
		}
	}
}

func (d *decoder) decodeExports(r *binary.Reader) {
	n := r.CountAtMost("exports", 3, maxExports)
	d.Exports = make([]Export, 0, n)
	for range n {
		e := Export{Name: r.Name(), Kind: r.Byte()}
		i := r.U32()
		if int(e.Kind) >= len(binary.KindNames) {
			r.Fail("export %s of kind %d", e.Name, e.Kind)
		}
		if e.Kind == binary.KindFunction && r.Err() == nil {
			if int(i) >= len(d.functions) {
				r.Fail("export %s is function %d of %d", e.Name, i, len(d.functions))
				return
			}
			e.Signature = d.types[d.functions[i]]
		}
		if r.Err() != nil {
			return
		}
		d.Exports = append(d.Exports, e)
	}
}

// isNumber reports whether the host can read and write a global of a type.
func isNumber(kind byte) bool {
	return kind != binary.TypeV128 && kind != binary.TypeFuncref && kind != binary.TypeExternref
}

// skipElements skips the segments of tables.
func skipElements(r *binary.Reader) {
	const (
		functionElements = 0 // the kind of elements that are indexes

		isPassive   = 1 // or declared
		hasTable    = 2 // or is declared
		expressions = 4
	)
	all := 0
	for range r.CountAtMost("element segments", 3, maxElementSegments) {
		flags := r.U32()
		if flags > isPassive|hasTable|expressions {
			r.Fail("element segment of kind %d", flags)
		}
		if flags&isPassive == 0 {
			if flags&hasTable != 0 {
				r.U32()
			}
			r.SkipConst()
		}
		if flags&(isPassive|hasTable) != 0 {
			if t := r.Byte(); t != functionElements && t != binary.TypeFuncref && t != binary.TypeExternref {
				r.Fail("element type 0x%02x is not one this host runs", t)
			}
		}
		n := r.Count("elements", 1)
		if all += n; all > maxElements {
			r.Fail("%d elements, limit %d", all, maxElements)
		}
		for range n {
			if flags&expressions != 0 {
				r.SkipConst()
			} else {
				r.U32()
			}
		}
		if r.Err() != nil {
			return
		}
	}
}

func (d *decoder) decodeBodies(r *binary.Reader) {
	n := r.Count("function bodies", 2)
	if own := len(d.functions) - d.importedFunctions(); r.Err() == nil && n != own {
		r.Fail("%d bodies for %d functions", n, own)
	}
	for i := range n {
		body := r.Bytes(int(r.U32()))
		if r.Err() != nil {
			return
		}
		if err := d.checkBody(body); err != nil {
			r.Fail("function %d: %w", i, err)
			return
		}
	}
}

func (d *decoder) checkBody(body []byte) error {
	if len(body) > maxBodyBytes {
		return fmt.Errorf("body of %d bytes, limit %d", len(body), maxBodyBytes)
	}
	r := binary.NewReader(body)
	var locals uint64
	for range r.Count("groups of locals", 2) {
		locals += uint64(r.U32())
		r.ValueType()
	}
	d.locals += locals
	switch {
	case r.Err() != nil:
		return r.Err()
	case locals > maxLocals:
		return fmt.Errorf("%d locals, limit %d", locals, maxLocals)
	case d.locals > maxAllLocals:
		return fmt.Errorf("%d locals in all functions so far, limit %d", d.locals, maxAllLocals)
	}
	return d.scanCode(r)
}

// scanCode checks the counts in the instructions of one function, and whether one keeps
// state.
func (d *decoder) scanCode(r *binary.Reader) error {
	depth, loops, bulk := 0, 0, 0
	for r.Len() > 0 {
		in := &d.instruction
		r.Instruction(in)
		switch in.Op {
		case binary.OpBlock, binary.OpLoop, binary.OpIf:
			if depth++; depth > binary.MaxNesting {
				return fmt.Errorf("more than %d blocks inside each other", binary.MaxNesting)
			}
			if in.Op == binary.OpLoop {
				loops++
			}
			if loops > maxLoops {
				return fmt.Errorf("more than %d loops", maxLoops)
			}
		case binary.OpEnd:
			depth--
		case binary.OpTableSet, binary.OpPrefixMisc:
			if in.Op == binary.OpPrefixMisc && in.Sub > binary.MiscLastConversion {
				bulk++
			}
			if bulk > maxBulk {
				return fmt.Errorf("more than %d bulk instructions", maxBulk)
			}
			d.keepsState = d.keepsState || in.KeepsState()
		}
	}
	return r.Err()
}
