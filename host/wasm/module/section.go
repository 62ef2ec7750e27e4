package module

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

var sectionNames = [...]string{"custom", "type", "import", "function", "table", "memory", "global",
	"export", "start", "element", "code", "data", "data count", "tag"}

// Section is one section of a module. Its slices are parts of the file.
type Section struct {
	ID   byte
	Body []byte
	raw  []byte // with its id and size
}

// Sections splits a core module into its sections without reading their content.
//
// Errors: the text completes `module "x": ...`.
func Sections(file []byte) ([]Section, error) {
	if err := checkHeader(file); err != nil {
		return nil, err
	}
	var sections []Section
	r := &Reader{b: file, at: len(Header)}
	for r.Len() > 0 {
		start := r.at
		id := r.Byte()
		if int(id) >= len(sectionNames) {
			return nil, fmt.Errorf("section %d at byte %d is unknown", id, start)
		}
		body := r.Bytes(int(r.U32()))
		if r.err != nil {
			return nil, fmt.Errorf("ends inside the %s section", sectionNames[id])
		}
		if len(sections) == maxSections {
			return nil, fmt.Errorf("more than %d sections", maxSections)
		}
		sections = append(sections, Section{id, body, file[start:r.at]})
	}
	return sections, nil
}

// position returns the rank of a section in the order that the format requires.
func (s Section) position() int {
	switch s.ID {
	case SectionDataCount:
		return 2*SectionElement + 1
	case SectionTag:
		return 2*SectionMemory + 1
	}
	return 2 * int(s.ID)
}

// customName returns the name of a custom section; empty if it is damaged.
func (s Section) customName() string { return NewReader(s.Body).Name() }

// AppendSection appends a section to a module.
func AppendSection(dst []byte, id byte, body []byte) []byte {
	dst = AppendU32(append(dst, id), uint32(len(body)))
	return append(dst, body...)
}

func appendCustom(dst []byte, name string, content []byte) []byte {
	return AppendSection(dst, SectionCustom, append(AppendName(nil, name), content...))
}
