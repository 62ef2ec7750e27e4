package binary

import "fmt"

// Section ids of the binary format.
const (
	SectionCustom = iota
	SectionType
	SectionImport
	SectionFunction
	SectionTable
	SectionMemory
	SectionGlobal
	SectionExport
	SectionStart
	SectionElement
	SectionCode
	SectionData
	SectionDataCount
	SectionTag
)

var SectionNames = [...]string{"custom", "type", "import", "function", "table", "memory", "global",
	"export", "start", "element", "code", "data", "data count", "tag"}

// Section is one section of a module. Its slices are parts of the file.
type Section struct {
	ID   byte
	Body []byte
	Raw  []byte // with its id and size
}

// Sections splits a core module into its sections without reading their content.
//
// Errors: the text completes `module "x": ...`.
func Sections(file []byte) ([]Section, error) {
	if err := checkHeader(file); err != nil {
		return nil, err
	}
	return SplitSections(file)
}

// SplitSections is like Sections for a module whose header and size were checked.
func SplitSections(file []byte) ([]Section, error) {
	var sections []Section
	r := &Reader{b: file, at: len(Header)}
	for r.Len() > 0 {
		start := r.at
		id := r.Byte()
		if int(id) >= len(SectionNames) {
			return nil, fmt.Errorf("section %d at byte %d is unknown", id, start)
		}
		body := r.Bytes(int(r.U32()))
		if r.err != nil {
			return nil, fmt.Errorf("ends inside the %s section", SectionNames[id])
		}
		if len(sections) == maxSections {
			return nil, fmt.Errorf("more than %d sections", maxSections)
		}
		sections = append(sections, Section{id, body, file[start:r.at]})
	}
	return sections, nil
}

// Position returns the rank of a section in the order that the format requires.
func (s Section) Position() int {
	switch s.ID {
	case SectionDataCount:
		return 2*SectionElement + 1
	case SectionTag:
		return 2*SectionMemory + 1
	}
	return 2 * int(s.ID)
}

// CustomName returns the name of a custom section; empty if it is damaged.
func (s Section) CustomName() string { return NewReader(s.Body).Name() }

// AppendSection appends a section to a module.
func AppendSection(dst []byte, id byte, body []byte) []byte {
	dst = AppendU32(append(dst, id), uint32(len(body)))
	return append(dst, body...)
}

func AppendCustom(dst []byte, name string, content []byte) []byte {
	return AppendSection(dst, SectionCustom, append(AppendName(nil, name), content...))
}

// PageBytes is the size of a page of linear memory.
const PageBytes = 64 << 10

// Kinds of imports and exports.
const (
	KindFunction = iota
	KindTable
	KindMemory
	KindGlobal
)

var KindNames = [...]string{"function", "table", "memory", "global"}
