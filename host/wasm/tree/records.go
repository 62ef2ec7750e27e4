package tree

import (
	"encoding/binary"

	"github.com/mcpctl/mcpctl/abi"
)

// Offsets in a record.
const (
	recordChildren = 20
	recordFlags    = 24
)

// Records returns buffer 5, the records of all sections. Nothing is kept for an empty
// tree: stages read it before they add sections.
func (b *Builder) Records() []byte {
	b.open()
	if b.records == nil && len(b.sections) > 0 {
		b.records = make([]byte, 0, len(b.sections)*abi.SectionRecordSize)
		for i := range b.sections {
			b.records = b.appendRecord(b.records, i)
			b.countChild(b.sections[i].Parent)
		}
	}
	return b.records
}

func (b *Builder) appendRecord(dst []byte, i int) []byte {
	s := &b.sections[i]
	for _, v := range [8]int{s.Parent, int(s.Kind), s.Start, s.End, int(b.places[i].depth), 0, summaryFlag(s), 0} {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(int32(v)))
	}
	return dst
}

func summaryFlag(s *abi.Section) int {
	if s.Summary == "" {
		return 0
	}
	return abi.SectionHasSummary
}

// countChild increments the number of children in the record of a parent.
func (b *Builder) countChild(parent int) {
	if parent >= 0 {
		field := b.records[parent*abi.SectionRecordSize+recordChildren:]
		binary.LittleEndian.PutUint32(field, binary.LittleEndian.Uint32(field)+1)
	}
}

// recordSummary updates the record of a section whose summary changed.
func (b *Builder) recordSummary(i int) {
	if b.records != nil {
		binary.LittleEndian.PutUint32(b.records[i*abi.SectionRecordSize+recordFlags:], uint32(summaryFlag(&b.sections[i])))
	}
}
