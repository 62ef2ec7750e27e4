package wasm

import (
	"encoding/binary"

	"github.com/mcpctl/mcpctl/abi"
)

// records is buffer 5. It is not kept for a stage that asks whether there are any
// Sections before it adds its own.
func (t *treeBuilder) records(r *run) []byte {
	t.use(r)
	if t.record == nil && len(t.sections) > 0 {
		t.record = make([]byte, 0, len(t.sections)*abi.SectionRecordSize)
		for i := range t.sections {
			t.record = t.appendRecord(t.record, i)
			t.countChild(t.sections[i].Parent)
		}
	}
	return t.record
}

func (t *treeBuilder) appendRecord(b []byte, i int) []byte {
	s := &t.sections[i]
	flags := 0
	if s.Summary != "" {
		flags = abi.SectionHasSummary
	}
	for _, v := range [8]int{s.Parent, int(s.Kind), s.Start, s.End, int(t.places[i].depth), 0, flags, 0} {
		b = binary.LittleEndian.AppendUint32(b, uint32(int32(v)))
	}
	return b
}

// Offsets in a record.
const (
	recordChildren = 20
	recordFlags    = 24
)

func (t *treeBuilder) countChild(parent int) {
	if parent >= 0 {
		f := t.record[parent*abi.SectionRecordSize+recordChildren:]
		binary.LittleEndian.PutUint32(f, binary.LittleEndian.Uint32(f)+1)
	}
}

func (t *treeBuilder) noteSummary(i int) {
	if t.record != nil {
		f := t.record[i*abi.SectionRecordSize+recordFlags:]
		binary.LittleEndian.PutUint32(f, abi.SectionHasSummary)
		if t.sections[i].Summary == "" {
			binary.LittleEndian.PutUint32(f, 0)
		}
	}
}
