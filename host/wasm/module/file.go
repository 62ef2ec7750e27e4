package module

import (
	"slices"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// Import is one import. Only functions have a signature.
type Import struct {
	Module, Name string
	Kind         byte
	Signature    binary.Signature
}

func (i Import) label() string { return i.Module + "." + i.Name }

// Export is one export. Only functions have a signature.
type Export struct {
	Name      string
	Kind      byte
	Signature binary.Signature
}

func (e Export) label() string {
	if e.Kind == binary.KindFunction {
		return e.Name
	}
	return e.Name + " (" + binary.KindNames[e.Kind] + ")"
}

// File is a module as its file declares it.
type File struct {
	Imports  []Import
	Exports  []Export
	MinPages uint32 // of memory, at the start
	Manifest []byte // nil: the module has none

	producers []byte
	customs   []string // names of custom sections

	types     []binary.Signature
	functions []uint32 // type of each function, imported ones first
	mutable   []uint32 // indexes of mutable globals

	keepsState bool // see KeepsState

	// stripped is the module to compile: without custom sections, so that nothing
	// parses names or DWARF of an untrusted file, with a maximum for every table,
	// and with data in few segments.
	stripped      []byte
	exportSection [2]int // its start and end in stripped
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

// KeepsState reports whether the module can change state other than memory and globals
// of numbers: entries of tables, segments that can be dropped, globals that are vectors
// or references.
func (f *File) KeepsState() bool { return f.keepsState }
