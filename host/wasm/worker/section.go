package worker

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

// A tree is encoded as its type and syntax, the number of its sections, the length of their texts
// in lengthBytes bytes, the texts of all sections, and a record for each section. A record contains
// the kind and flags, the parent, the start, the end, the length of the id, the length of the
// title, and the fields that the flags name. The parent is relative to the parent of the section
// before, the start to the end of that section, and the end to the start, so most numbers are small
// and have one byte.
const (
	hasLiteral = 1 << iota
	hasSummary
	hasBody
	sectionFlags = iota

	recordInts  = 6 // without those that flags name
	lengthBytes = 4
)

func writeTree(w *writer, t *abi.Tree) {
	w.text(t.Type)
	w.text(t.Syntax)
	w.int(len(t.Sections))
	length := len(w.b)
	w.b = append(w.b, make([]byte, lengthBytes)...)
	records := writer{b: w.records[:0]} // until the texts are there: a second pass would take longer
	before := &abi.Section{}
	for i := range t.Sections {
		s := &t.Sections[i]
		w.b = append(append(w.b, s.ID...), s.Title...)
		if s.Summary != "" {
			w.b = append(w.b, s.Summary...)
		}
		records.section(s, before)
		before = s
	}
	binary.LittleEndian.PutUint32(w.b[length:], uint32(len(w.b)-length-lengthBytes))
	w.b = append(w.b, records.b...)
	w.records = records.b
}

// section writes the record of a section.
func (w *writer) section(s, before *abi.Section) {
	flags := 0
	if s.Literal != [2]int{} {
		flags |= hasLiteral
	}
	if s.Summary != "" {
		flags |= hasSummary
	}
	if s.Body != nil {
		flags |= hasBody
	}
	w.record([recordInts]int{int(s.Kind)<<sectionFlags | flags, s.Parent - before.Parent, s.Start - before.End, s.End - s.Start, len(s.ID), len(s.Title)})
	if flags&hasLiteral != 0 {
		w.int(s.Literal[0])
		w.int(s.Literal[1])
	}
	if flags&hasSummary != 0 {
		w.int(len(s.Summary))
	}
	if flags&hasBody != 0 {
		w.bytes(s.Body)
	}
}

// record writes the numbers of a section.
func (w *writer) record(numbers [recordInts]int) {
	b := w.b
	for _, n := range numbers {
		u := uint64(int64(n)<<1 ^ int64(n)>>63)
		for ; u >= 0x80; u >>= 7 {
			b = append(b, byte(u)|0x80)
		}
		b = append(b, byte(u))
	}
	w.b = b
}

func readTree(r *reader, limit int, t *abi.Tree) {
	t.Type, t.Syntax = r.text(), r.text()
	t.Sections = readSections(r, limit)
}

// readSections reads sections. It checks that their texts are UTF-8, and copies them because they
// are used after the frame. areSections checks the other rules of abi.Section.
func readSections(r *reader, limit int) []abi.Section {
	n := r.count(recordInts)
	texts := r.piece()
	if n > limit || !utf8.ValidString(texts) {
		r.fail()
	}
	if r.err != nil || n == 0 && texts == "" {
		return nil
	}
	list := make([]abi.Section, n)
	text := func(n int) (s string) {
		if n < 0 || n > len(texts) || n < len(texts) && !utf8.RuneStart(texts[n]) {
			r.fail()
			return ""
		}
		s, texts = texts[:n], texts[n:]
		return s
	}
	before := &abi.Section{}
	for i := range list {
		s := &list[i]
		record := r.record()
		flags := record[0]
		s.Kind = abi.SectionKind(flags >> sectionFlags)
		s.Parent = before.Parent + record[1]
		s.Start = before.End + record[2]
		s.End = s.Start + record[3]
		s.ID, s.Title = text(record[4]), text(record[5])
		if flags&(1<<sectionFlags-1) != 0 {
			if flags&hasLiteral != 0 {
				s.Literal = [2]int{r.int(), r.int()}
			}
			if flags&hasSummary != 0 {
				s.Summary = text(r.int())
			}
			if flags&hasBody != 0 {
				s.Body = r.bytes()
			}
		}
		before = s
	}
	if texts != "" {
		r.fail()
	}
	if r.err != nil {
		return nil
	}
	return list
}

// piece reads the texts of all sections.
func (r *reader) piece() string {
	length := r.next(lengthBytes)
	if r.err != nil {
		return ""
	}
	return string(r.next(int(binary.LittleEndian.Uint32(length))))
}

// record reads the numbers of a section.
func (r *reader) record() (numbers [recordInts]int) {
	b := r.b
	for i := range numbers {
		if len(b) > 0 && b[0] < 0x80 {
			numbers[i] = int(b[0]>>1) ^ -int(b[0]&1)
			b = b[1:]
			continue
		}
		v, n := binary.Varint(b)
		if n <= 0 || int64(int(v)) != v {
			r.fail()
			return numbers
		}
		numbers[i], b = int(v), b[n:]
	}
	r.b = b
	return numbers
}

// areSections reports whether sections follow the rules of abi.Section for an original of a size.
// That they do not overlap is checked where they are used.
func areSections(sections []abi.Section, size int) bool {
	for i := range sections {
		s := &sections[i]
		if s.Parent < -1 || s.Parent >= i || s.Kind != abi.SectionDerived && s.Body != nil {
			return false
		}
		ok := false
		switch s.Kind {
		case abi.SectionExact:
			ok = isSpan(s.Start, s.End, size)
		case abi.SectionDecoded:
			ok = isSpan(s.Literal[0], s.Literal[1], size) && isSpan(s.Start, s.End, s.Literal[1]-s.Literal[0])
		case abi.SectionDerived:
			ok = s.Start == 0 && s.End == len(s.Body) && utf8.Valid(s.Body)
		case abi.SectionGroup:
			ok = s.Start == 0 && s.End == 0
		}
		if !ok {
			return false
		}
	}
	return true
}

func isSpan(start, end, size int) bool { return 0 <= start && start < end && end <= size }
