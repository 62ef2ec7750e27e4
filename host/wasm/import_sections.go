package wasm

import (
	"encoding/binary"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
)

// sectionsAdd is section_add and section_id for many. An import costs a guest in
// which calls nest a few hundred nanoseconds, whatever it does: the processor has
// forgotten where these calls return to.
func sectionsAdd(r *run, a args) int32 {
	buf, records, texts := a.i32(0), r.text(a, 1), r.text(a, 3)
	if code := r.stageOnly(abi.FuncSectionsAdd); code < 0 {
		return code
	}
	if buf != abi.BufNone && r.buf(buf) == nil || !r.describes(records, len(texts)) {
		return badArg
	}
	before := r.tree.mark()
	for n := 0; len(records) > 0; n++ {
		if n%1024 == 0 {
			r.mustGoOn()
		}
		s := readNewSection(records)
		if code := r.addNewSection(s, buf, texts); code < 0 {
			r.tree.rewind(before)
			r.lastError = fmt.Sprintf("record %d: %s", n, r.lastError)
			return code
		}
		records, texts = records[abi.AdditionRecordSize:], texts[s.id+s.title:]
	}
	return int32(before.sections)
}

func (r *run) addNewSection(s newSection, buf int32, texts []byte) int32 {
	if s.Start == 0 && s.End == 0 {
		buf = abi.BufNone
	}
	return r.addSection(s.Section, buf, texts[:s.id], texts[s.id:s.id+s.title])
}

// describes reports whether records are whole and their texts have so many bytes.
func (r *run) describes(records []byte, texts int) bool {
	if len(records)%abi.AdditionRecordSize != 0 {
		r.refuse(abi.CodeBadArg, "%d bytes of records, of %d each", len(records), abi.AdditionRecordSize)
		return false
	}
	var want uint64
	for at := 0; at < len(records); at += abi.AdditionRecordSize {
		want += uint64(binary.LittleEndian.Uint32(records[at+12:])) + uint64(binary.LittleEndian.Uint32(records[at+16:]))
	}
	if want != uint64(texts) {
		r.refuse(abi.CodeBadArg, "%d bytes of texts, records say %d", texts, want)
		return false
	}
	return true
}

// newSection is a record of sections_add.
type newSection struct {
	abi.Section
	id, title int // bytes of its texts
}

func readNewSection(b []byte) (n newSection) {
	field := func(at int) int { return int(int32(binary.LittleEndian.Uint32(b[at:]))) }
	n.Parent, n.Start, n.End = field(0), field(4), field(8)
	n.id, n.title = field(12), field(16) // together no more than there is
	return n
}
