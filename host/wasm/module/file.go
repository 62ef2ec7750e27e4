package module

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// PageBytes is the size of a page of linear memory.
const PageBytes = 64 << 10

// Limits on the counts in a file. The compiler trusts them and allocates
// accordingly, so they are checked before it sees the file.
const (
	maxBodyBytes    = 512 << 10
	maxLocals       = 10_000
	maxTables       = 8
	maxTableEntries = 100_000
	maxGlobals      = 10_000
	maxParams       = 1_000
)

// Kinds of imports and exports.
const (
	KindFunction = iota
	KindTable
	KindMemory
	KindGlobal
)

var kindNames = [...]string{"function", "table", "memory", "global"}

// Import is one import. Only functions have a signature.
type Import struct {
	Module, Name string
	Kind         byte
	Signature    Signature
}

func (i Import) label() string { return i.Module + "." + i.Name }

// Export is one export. Only functions have a signature.
type Export struct {
	Name      string
	Kind      byte
	Signature Signature
}

func (e Export) label() string {
	if e.Kind == KindFunction {
		return e.Name
	}
	return e.Name + " (" + kindNames[e.Kind] + ")"
}

// File is a module as its file declares it.
type File struct {
	Imports  []Import
	Exports  []Export
	MinPages uint32 // of memory, at the start
	Manifest []byte // nil: the module has none

	producers []byte
	customs   []string // names of custom sections

	types        []Signature
	functions    []uint32 // type of each function, imported ones first
	memories     int
	tables       int
	tableEntries uint32 // of all tables
	hasDataCount bool
	mutable      []uint32 // indexes of mutable globals
	code         []byte   // the code section

	// stripped is the module to compile: without custom sections, so that nothing
	// parses names or DWARF of an untrusted file, with a maximum for every table,
	// and with data in few segments.
	stripped      []byte
	exportSection [2]int // its start and end in stripped
}

// Parse reads a core module.
//
// Errors: the text completes `module "x": ...`.
func Parse(file []byte) (*File, error) {
	sections, err := Sections(file)
	if err != nil {
		return nil, err
	}
	f := &File{stripped: []byte(Header)}
	last := 0
	for _, s := range sections {
		if s.ID != SectionCustom {
			if s.position() <= last {
				return nil, fmt.Errorf("%s section twice or out of order", sectionNames[s.ID])
			}
			last = s.position()
		}
		if err := f.addSection(s); err != nil {
			return nil, fmt.Errorf("%s section: %w", sectionNames[s.ID], err)
		}
	}
	// Detects a file that was cut between two sections.
	if last < (Section{ID: SectionCode}).position() && len(f.functions) > f.importedFunctions() {
		return nil, errors.New("ends before the code section")
	}
	return f, nil
}

func (f *File) importedFunctions() int {
	n := 0
	for _, i := range f.Imports {
		if i.Kind == KindFunction {
			n++
		}
	}
	return n
}

func (f *File) addSection(s Section) error {
	switch s.ID {
	case SectionCustom:
		return f.addCustom(s.Body)
	case SectionTag:
		return errors.New("uses exceptions, which this host does not run")
	}
	r := NewReader(s.Body)
	body := f.decode(s, r)
	if r.err == nil && r.Len() > 0 {
		r.fail("%d bytes left over", r.Len())
	}
	if r.err != nil {
		return r.err
	}
	start := len(f.stripped)
	f.stripped = AppendSection(f.stripped, s.ID, body)
	if s.ID == SectionExport {
		f.exportSection = [2]int{start, len(f.stripped)}
	}
	return nil
}

// decode reads a section and returns its body for the stripped module.
func (f *File) decode(s Section, r *Reader) []byte {
	switch s.ID {
	case SectionType:
		f.types = DecodeTypes(r)
	case SectionImport:
		f.decodeImports(r)
	case SectionFunction:
		for range r.Count("functions", 1) {
			f.decodeFunctionType(r)
		}
	case SectionTable:
		return f.decodeTables(r)
	case SectionMemory:
		for range r.Count("memories", 2) {
			f.decodeMemory(r)
		}
	case SectionGlobal:
		f.decodeGlobals(r)
	case SectionExport:
		f.decodeExports(r)
	case SectionStart:
		r.U32()
	case SectionDataCount:
		r.U32()
		f.hasDataCount = true
	case SectionElement:
		skipElements(r)
	case SectionCode:
		f.decodeBodies(r)
		f.code = s.Body
	case SectionData:
		// Instructions refer to segments by index only if there is a data count section.
		if segments, canMerge := decodeData(r); canMerge && !f.hasDataCount {
			if merged := mergeData(segments); merged != nil {
				return merged
			}
		}
	}
	return s.Body
}

func (f *File) addCustom(body []byte) error {
	r := NewReader(body)
	name := r.Name()
	if r.err != nil {
		return r.err
	}
	f.customs = append(f.customs, name)
	switch name {
	case abi.ManifestSection:
		if f.Manifest != nil {
			return fmt.Errorf("%s appears twice", name)
		}
		f.Manifest = append([]byte{}, body[r.at:]...)
	case producersSection:
		f.producers = body[r.at:]
	}
	return nil
}

// export returns the export of a name, or nil.
func (f *File) export(name string) *Export {
	i := slices.IndexFunc(f.Exports, func(e Export) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return &f.Exports[i]
}

func (f *File) hasImportFrom(module string) bool {
	return slices.ContainsFunc(f.Imports, func(i Import) bool { return i.Module == module })
}

// hasImport reports whether the module imports one of names from module.
func (f *File) hasImport(module string, names ...string) bool {
	return slices.ContainsFunc(f.Imports, func(i Import) bool { return i.Module == module && slices.Contains(names, i.Name) })
}

// Stripped returns the module to compile.
func (f *File) Stripped() []byte { return f.stripped }
