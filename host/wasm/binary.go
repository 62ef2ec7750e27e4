package wasm

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// Limits of the shape of a module. wazero trusts the counts of a file and
// allocates by them, so they are held before it sees a byte.
const (
	maxBodyBytes    = 512 << 10
	maxLocals       = 10_000
	maxTables       = 8
	maxTableEntries = 100_000
	maxGlobals      = 10_000
	maxParams       = 1_000
)

// section ids of the binary format.
const (
	secCustom = iota
	secType
	secImport
	secFunction
	secTable
	secMemory
	secGlobal
	secExport
	secStart
	secElement
	secCode
	secData
	secDataCount
	secTag
)

var sectionNames = [...]string{"custom", "type", "import", "function", "table", "memory", "global",
	"export", "start", "element", "code", "data", "data count", "tag"}

// funcType is a signature; values are the bytes of the binary format.
type funcType struct{ params, results []byte }

// moduleImport is one import. Only functions have a signature.
type moduleImport struct {
	module, name string
	kind         byte
	sig          funcType
}

// moduleExport is one export. Only functions have a signature.
type moduleExport struct {
	name string
	kind byte
	sig  funcType
}

// Kinds of imports and exports.
const (
	externFunc = iota
	externTable
	externMemory
	externGlobal
)

var externNames = [...]string{"function", "table", "memory", "global"}

// shape is what a module's file says about itself, read without running it.
type shape struct {
	imports   []moduleImport
	exports   []moduleExport
	memories  int
	minPages  uint32
	tables    int
	manifest  []byte // nil: none
	producers []byte
	customs   []string

	types     []funcType
	funcTypes []uint32 // type of each function, imported ones first
	entries   uint32   // of all tables
	counted   bool     // there is a data count section
	mutable   []uint32 // globals that can be set
	code      []byte   // the code section

	// stripped is the module as it is compiled: custom sections dropped, so that
	// nothing parses a stranger's names or DWARF, no table without a maximum, and
	// data in few segments.
	stripped []byte
	listed   [2]int // where its export section stands there
}

// readShape reads a core module.
//
// Errors: the text completes `module "x": ...`.
func readShape(file []byte) (*shape, error) {
	if err := recognize(file); err != nil {
		return nil, err
	}
	s := &shape{stripped: slices.Clone(file[:8])}
	r := &reader{b: file, at: 8}
	last := 0
	for r.left() > 0 {
		id, body, err := readSection(r)
		if err != nil {
			return nil, err
		}
		if id != secCustom {
			if place(id) <= last {
				return nil, fmt.Errorf("%s section twice or out of order", sectionNames[id])
			}
			last = place(id)
		}
		if err := s.section(id, body); err != nil {
			return nil, fmt.Errorf("%s section: %w", sectionNames[id], err)
		}
	}
	return s, s.complete(last)
}

// readSection reads the next section of a module.
func readSection(r *reader) (id int, body []byte, err error) {
	start := r.at
	id = int(r.byte())
	if id >= len(sectionNames) {
		return 0, nil, fmt.Errorf("section %d at byte %d is unknown", id, start)
	}
	body = r.bytes(int(r.u32()))
	if r.err != nil {
		return 0, nil, fmt.Errorf("ends inside the %s section", sectionNames[id])
	}
	return id, body, nil
}

// place orders sections as the binary format wants them.
func place(id int) int {
	switch id {
	case secDataCount:
		return 2*secElement + 1
	case secTag:
		return 2*secMemory + 1
	}
	return 2 * id
}

// complete catches a file that was cut between two sections.
func (s *shape) complete(last int) error {
	if last < place(secCode) && len(s.funcTypes) > s.importedFuncs() {
		return fmt.Errorf("ends before the code section")
	}
	return nil
}

func (s *shape) importedFuncs() int {
	n := 0
	for _, i := range s.imports {
		if i.kind == externFunc {
			n++
		}
	}
	return n
}

func (s *shape) section(id int, body []byte) error {
	if id == secCustom {
		return s.custom(body)
	}
	r := &reader{b: body}
	out := body
	switch id {
	case secType:
		s.readTypes(r)
	case secImport:
		s.readImports(r)
	case secFunction:
		s.readFunctions(r)
	case secTable:
		out = s.readTables(r)
	case secMemory:
		s.readMemories(r)
	case secGlobal:
		s.readGlobals(r)
	case secExport:
		s.readExports(r)
	case secStart:
		r.u32()
	case secDataCount:
		r.u32()
		s.counted = true
	case secElement:
		readElements(r)
	case secCode:
		s.readBodies(r)
		s.code = body
	case secData:
		out = s.readData(r, body)
	case secTag:
		return fmt.Errorf("uses exceptions, which this host does not run")
	}
	if r.err == nil && r.left() > 0 {
		r.fail("%d bytes left over", r.left())
	}
	if r.err != nil {
		return r.err
	}
	start := len(s.stripped)
	s.keep(id, out)
	if id == secExport {
		s.listed = [2]int{start, len(s.stripped)}
	}
	return nil
}

func (s *shape) keep(id int, body []byte) {
	s.stripped = append(s.stripped, byte(id))
	s.stripped = binary.AppendUvarint(s.stripped, uint64(len(body)))
	s.stripped = append(s.stripped, body...)
}

func (s *shape) custom(body []byte) error {
	r := &reader{b: body}
	name := r.name()
	if r.err != nil {
		return r.err
	}
	s.customs = append(s.customs, name)
	switch name {
	case abi.ManifestSection:
		if s.manifest != nil {
			return fmt.Errorf("%s stands twice", name)
		}
		s.manifest = append([]byte{}, body[r.at:]...)
	case producersSection:
		s.producers = body[r.at:]
	}
	return nil
}
