package module

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// Limits on the counts in a file. The compiler trusts them and allocates
// accordingly, so they are checked before it sees the file: a record of 50 to 200 bytes
// may have 1 to 5 bytes in the file. Generated parsers have up to 1,900 blocks inside each
// other; a Go program of 6 MB has 3,000 functions and 52,000 data segments.
const (
	maxSections        = 1_000 // custom ones included
	maxTypes           = 20_000
	maxImports         = 10_000
	maxExports         = 20_000
	maxFunctions       = 200_000
	maxBodyBytes       = 512 << 10
	maxLocals          = 10_000 // of one function
	maxAllLocals       = 1_000_000
	maxNesting         = 2_500  // blocks inside each other
	maxBranches        = 65_536 // targets of one br_table
	maxTables          = 8
	maxTableEntries    = 100_000
	maxElementSegments = 10_000
	maxElements        = 1_000_000 // of all segments
	maxDataSegments    = 100_000   // after those of the linker of Go are merged
	maxRawDataSegments = 500_000
	maxGlobals         = 10_000
	maxParams          = 1_000
)

// Parse reads a core module.
//
// Errors: the text completes `module "x": ...`.
func Parse(file []byte) (*File, error) {
	sections, err := Sections(file)
	if err != nil {
		return nil, err
	}
	d := &decoder{File: &File{stripped: append(make([]byte, 0, len(file)+len(file)/8), Header...)}}
	last := 0
	for _, s := range sections {
		if s.ID != SectionCustom {
			if s.position() <= last {
				return nil, fmt.Errorf("%s section twice or out of order", sectionNames[s.ID])
			}
			last = s.position()
		}
		if err := d.addSection(s); err != nil {
			return nil, fmt.Errorf("%s section: %w", sectionNames[s.ID], err)
		}
	}
	// Detects a file that was cut between two sections.
	if last < (Section{ID: SectionCode}).position() && len(d.functions) > d.importedFunctions() {
		return nil, errors.New("ends before the code section")
	}
	return d.File, nil
}

// decoder fills in a File.
type decoder struct {
	*File
	memories     int
	tables       int
	tableEntries uint32 // of all tables
	locals       uint64 // of all functions
	hasDataCount bool
}

func (d *decoder) importedFunctions() int {
	n := 0
	for _, i := range d.Imports {
		if i.Kind == KindFunction {
			n++
		}
	}
	return n
}

func (d *decoder) addSection(s Section) error {
	switch s.ID {
	case SectionCustom:
		return d.addCustom(s.Body)
	case SectionTag:
		return errors.New("uses exceptions, which this host does not run")
	}
	r := NewReader(s.Body)
	body := d.decode(s, r)
	if r.err == nil && r.Len() > 0 {
		r.fail("%d bytes left over", r.Len())
	}
	if r.err != nil {
		return r.err
	}
	start := len(d.stripped)
	d.stripped = AppendSection(d.stripped, s.ID, body)
	if s.ID == SectionExport {
		d.exportSection = [2]int{start, len(d.stripped)}
	}
	return nil
}

// decode reads a section and returns its body for the stripped module.
func (d *decoder) decode(s Section, r *Reader) []byte {
	switch s.ID {
	case SectionType:
		d.types = DecodeTypes(r)
	case SectionImport:
		d.decodeImports(r)
	case SectionFunction:
		n := r.CountAtMost("functions", 1, maxFunctions)
		d.functions = slices.Grow(d.functions, n)
		for range n {
			d.decodeFunctionType(r)
		}
	case SectionTable:
		return d.decodeTables(r)
	case SectionMemory:
		for range r.Count("memories", 2) {
			d.decodeMemory(r)
		}
	case SectionGlobal:
		d.decodeGlobals(r)
	case SectionExport:
		d.decodeExports(r)
	case SectionStart:
		r.U32()
	case SectionDataCount:
		r.U32()
		d.hasDataCount = true
	case SectionElement:
		skipElements(r)
	case SectionCode:
		d.decodeBodies(r)
	case SectionData:
		// Instructions refer to segments by index only if there is a data count section.
		segments, n := decodeData(r)
		if !d.hasDataCount {
			if merged, left := mergeData(s.Body, segments); merged != nil {
				s.Body, n = merged, left
			}
		}
		if n > maxDataSegments {
			r.fail("%d data segments, limit %d", n, maxDataSegments)
		}
	}
	return s.Body
}

func (d *decoder) addCustom(body []byte) error {
	r := NewReader(body)
	name := r.Name()
	if r.err != nil {
		return r.err
	}
	d.customs = append(d.customs, name)
	switch name {
	case abi.ManifestSection:
		if d.Manifest != nil {
			return fmt.Errorf("%s appears twice", name)
		}
		d.Manifest = append([]byte{}, body[r.at:]...)
	case producersSection:
		d.producers = body[r.at:]
	}
	return nil
}

// decodeFunctionType reads the type of a function.
func (d *decoder) decodeFunctionType(r *Reader) Signature {
	i := r.U32()
	if r.err != nil || int(i) >= len(d.types) {
		r.fail("type %d of %d", i, len(d.types))
		return Signature{}
	}
	d.functions = append(d.functions, i)
	return d.types[i]
}

func (d *decoder) decodeImports(r *Reader) {
	for range r.CountAtMost("imports", 4, maxImports) {
		i := Import{Module: r.Name(), Name: r.Name(), Kind: r.Byte()}
		switch i.Kind {
		case KindFunction:
			i.Signature = d.decodeFunctionType(r)
		case KindTable:
			d.decodeTable(r)
		case KindMemory:
			d.decodeMemory(r)
		case KindGlobal:
			r.skipValueType()
			r.Byte()
		default:
			r.fail("import %s of kind %d", i.label(), i.Kind)
		}
		if r.err != nil {
			return
		}
		d.Imports = append(d.Imports, i)
	}
}

// decodeTables checks the tables and returns the section with a maximum for each:
// nothing else limits table.grow.
func (d *decoder) decodeTables(r *Reader) []byte {
	n := r.Count("tables", 3)
	out := AppendU32(nil, uint32(n))
	for range n {
		kind, minimum, maximum := d.decodeTable(r)
		out = AppendU32(append(out, kind, hasMaximum), minimum)
		out = AppendU32(out, maximum)
	}
	return out
}

func (d *decoder) decodeTable(r *Reader) (kind byte, minimum, maximum uint32) {
	kind = r.Byte()
	if r.err == nil && kind != typeFuncref && kind != typeExternref {
		r.fail("table type 0x%02x is not one this host runs", kind)
	}
	minimum, maximum, limited := r.limits("table")
	d.tables++
	d.tableEntries = min(d.tableEntries, maxTableEntries) + min(minimum, maxTableEntries+1)
	if r.err == nil && (d.tables > maxTables || d.tableEntries > maxTableEntries) {
		r.fail("%d tables with %d entries, limit %d with %d", d.tables, minimum, maxTables, maxTableEntries)
	}
	if !limited || maximum > maxTableEntries {
		maximum = maxTableEntries
	}
	return kind, minimum, max(maximum, minimum)
}

func (d *decoder) decodeMemory(r *Reader) {
	minimum, _, _ := r.limits("memory")
	if d.memories++; d.memories > 1 {
		r.fail("uses several memories, which this host does not run")
	}
	d.MinPages = minimum
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

func (d *decoder) decodeGlobals(r *Reader) {
	for i := range r.CountAtMost("globals", 4, maxGlobals) {
		r.skipValueType()
		if r.Byte() == 1 {
			d.mutable = append(d.mutable, uint32(i)) // no global is imported
		}
		r.skipConst()
		if r.err != nil {
			return
		}
	}
}

func (d *decoder) decodeExports(r *Reader) {
	n := r.CountAtMost("exports", 3, maxExports)
	d.Exports = make([]Export, 0, n)
	for range n {
		e := Export{Name: r.Name(), Kind: r.Byte()}
		i := r.U32()
		if int(e.Kind) >= len(kindNames) {
			r.fail("export %s of kind %d", e.Name, e.Kind)
		}
		if e.Kind == KindFunction && r.err == nil {
			if int(i) >= len(d.functions) {
				r.fail("export %s is function %d of %d", e.Name, i, len(d.functions))
				return
			}
			e.Signature = d.types[d.functions[i]]
		}
		if r.err != nil {
			return
		}
		d.Exports = append(d.Exports, e)
	}
}

// skipElements skips the segments of tables.
func skipElements(r *Reader) {
	const (
		isPassive   = 1 // or declared
		hasTable    = 2 // or is declared
		expressions = 4
	)
	all := 0
	for range r.CountAtMost("element segments", 3, maxElementSegments) {
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
		n := r.Count("elements", 1)
		if all += n; all > maxElements {
			r.fail("%d elements, limit %d", all, maxElements)
		}
		for range n {
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

func (d *decoder) decodeBodies(r *Reader) {
	n := r.Count("function bodies", 2)
	if own := len(d.functions) - d.importedFunctions(); r.err == nil && n != own {
		r.fail("%d bodies for %d functions", n, own)
	}
	for i := range n {
		body := r.Bytes(int(r.U32()))
		if r.err != nil {
			return
		}
		if err := d.checkBody(body); err != nil {
			r.fail("function %d: %w", i, err)
			return
		}
	}
}

func (d *decoder) checkBody(body []byte) error {
	if len(body) > maxBodyBytes {
		return fmt.Errorf("body of %d bytes, limit %d", len(body), maxBodyBytes)
	}
	r := NewReader(body)
	var locals uint64
	for range r.Count("groups of locals", 2) {
		locals += uint64(r.U32())
		r.skipValueType()
	}
	d.locals += locals
	switch {
	case r.err != nil:
		return r.err
	case locals > maxLocals:
		return fmt.Errorf("%d locals, limit %d", locals, maxLocals)
	case d.locals > maxAllLocals:
		return fmt.Errorf("%d locals in all functions so far, limit %d", d.locals, maxAllLocals)
	}
	keeps, err := scanCode(body[r.at:])
	d.keepsState = d.keepsState || keeps
	return err
}
