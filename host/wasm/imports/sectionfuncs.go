package imports

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

var sectionFuncs = map[string]run{
	abi.FuncSectionAdd:     sectionAdd,
	abi.FuncSectionsAdd:    sectionsAdd,
	abi.FuncSectionTitle:   sectionTitle,
	abi.FuncSectionSummary: sectionSummary,
	abi.FuncSectionID:      sectionID,
	abi.FuncSectionText:    sectionText,
}

// addSection adds a section of a buffer; abi.BufNone makes a group.
func addSection(c *Call, s abi.Section, id int32, name, title []byte) int32 {
	if code := c.sections.check(s, name, title); code < 0 {
		return code
	}
	var b *buffer
	if id != abi.BufNone {
		if b = c.buffer(id); b == nil {
			return badArg
		}
	}
	return c.sections.add(s, b, name, title)
}

func sectionAdd(c *Call, a Args) int32 {
	title := c.text(a, 4)
	if code := c.requireStage(abi.FuncSectionAdd); code < 0 {
		return code
	}
	return addSection(c, abi.Section{Parent: int(a.I32(0)), Start: int(a.I32(2)), End: int(a.I32(3))}, a.I32(1), nil, title)
}

// sectionsAdd is section_add and section_id for many sections. Each import costs a
// guest with nested calls a few hundred nanoseconds, because the processor's stack of
// return addresses is lost.
func sectionsAdd(c *Call, a Args) int32 {
	buf, records, texts := a.I32(0), c.text(a, 1), c.text(a, 3)
	if code := c.requireStage(abi.FuncSectionsAdd); code < 0 {
		return code
	}
	if buf != abi.BufNone && c.buffer(buf) == nil || !checkRecords(c, records, len(texts)) {
		return badArg
	}
	t := &c.sections.tree
	before := t.Mark()
	for n := 0; len(records) > 0; n++ {
		if n%1024 == 0 {
			c.check()
		}
		s := readRecord(records)
		id := buf
		if s.Start == 0 && s.End == 0 {
			id = abi.BufNone
		}
		if code := addSection(c, s.Section, id, texts[:s.idBytes], texts[s.idBytes:s.idBytes+s.titleBytes]); code < 0 {
			t.Rewind(before)
			c.refusals.text = fmt.Sprintf("record %d: %s", n, c.refusals.text)
			return code
		}
		records, texts = records[abi.AdditionRecordSize:], texts[s.idBytes+s.titleBytes:]
	}
	return int32(before.Sections())
}

// checkRecords refuses records that are incomplete or whose texts do not have textBytes
// bytes.
func checkRecords(c *Call, records []byte, textBytes int) bool {
	if len(records)%abi.AdditionRecordSize != 0 {
		c.refuse(abi.CodeBadArg, "%d bytes of records, of %d each", len(records), abi.AdditionRecordSize)
		return false
	}
	var want uint64
	for at := 0; at < len(records); at += abi.AdditionRecordSize {
		want += uint64(binary.LittleEndian.Uint32(records[at+12:])) + uint64(binary.LittleEndian.Uint32(records[at+16:]))
	}
	if want != uint64(textBytes) {
		c.refuse(abi.CodeBadArg, "%d bytes of texts, the records need %d", textBytes, want)
		return false
	}
	return true
}

// addition is a record of sections_add.
type addition struct {
	abi.Section
	idBytes, titleBytes int
}

// readRecord reads a record that checkRecords has accepted.
func readRecord(b []byte) (r addition) {
	field := func(at int) int { return int(int32(binary.LittleEndian.Uint32(b[at:]))) }
	r.Parent, r.Start, r.End = field(0), field(4), field(8)
	r.idBytes, r.titleBytes = field(12), field(16)
	return r
}

// sectionSpan returns the section and the text of a function with the arguments section,
// buffer, offset and length. The text is shortened to limit bytes.
func sectionSpan(c *Call, name string, a Args, limit int) (i int, text string, code int32) {
	if code := c.requireStage(name); code < 0 {
		return 0, "", code
	}
	data, ok := c.part(a.I32(1), a.I32(2), a.I32(3))
	if !ok {
		return 0, "", badArg
	}
	if !c.sections.tree.Has(a.I32(0)) {
		return 0, "", c.refuseNotFound()
	}
	if len(data) > limit+utf8.UTFMax {
		data = data[:limit+1] // truncate reads one more byte
	}
	text = string(truncate(data, limit))
	if !utf8.ValidString(text) {
		return 0, "", c.refuse(abi.CodeBadArg, "text is not UTF-8")
	}
	return int(a.I32(0)), text, 0
}

func sectionTitle(c *Call, a Args) int32 {
	i, text, code := sectionSpan(c, abi.FuncSectionTitle, a, abi.LimitTitleBytes)
	if code < 0 {
		return code
	}
	return c.sections.setTitle(i, text)
}

func sectionSummary(c *Call, a Args) int32 {
	i, text, code := sectionSpan(c, abi.FuncSectionSummary, a, abi.LimitSummaryBytes)
	if code < 0 {
		return code
	}
	return c.sections.setSummary(i, text)
}

func sectionID(c *Call, a Args) int32 {
	id := c.text(a, 1)
	if code := c.requireStage(abi.FuncSectionID); code < 0 {
		return code
	}
	if !c.sections.tree.Has(a.I32(0)) {
		return c.refuseNotFound()
	}
	return c.sections.setID(a.I32(0), id)
}

func sectionText(c *Call, a Args) int32 {
	if code := c.requireStage(abi.FuncSectionText); code < 0 {
		return code
	}
	i := a.I32(0)
	if !c.sections.tree.Has(i) {
		return c.refuseNotFound()
	}
	s := c.sections.tree.Section(int(i))
	switch a.I32(1) {
	case abi.SectionTextID:
		return c.buffers.add(buffer{data: []byte(s.ID)})
	case abi.SectionTextTitle:
		return c.buffers.add(buffer{data: []byte(s.Title)})
	case abi.SectionTextSummary:
		return c.buffers.add(buffer{data: []byte(s.Summary)})
	case abi.SectionTextBody:
		b, code := c.sections.body(int(i))
		if code < 0 {
			return code
		}
		return c.buffers.add(b)
	}
	return c.refuse(abi.CodeBadArg, "text %d of a section", a.I32(1))
}

// NewSection is a section of the original for AddSection.
type NewSection struct {
	Parent             int // -1: none
	Start, End         int
	Title, ID, Summary string
}

// AddSection adds a section with all its texts, or nothing. name is the function that
// the guest called.
func (c *Call) AddSection(name string, n NewSection) int32 {
	if code := c.requireStage(name); code < 0 {
		return code
	}
	t := &c.sections.tree
	before := t.Mark()
	i := addSection(c, abi.Section{Parent: n.Parent, Start: n.Start, End: n.End}, abi.BufOriginal, []byte(n.ID), []byte(n.Title))
	if i < 0 || n.Summary == "" {
		return i
	}
	if code := c.sections.setSummary(int(i), string(truncate([]byte(n.Summary), abi.LimitSummaryBytes))); code < 0 {
		t.Rewind(before)
		return code
	}
	return i
}
