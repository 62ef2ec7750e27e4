package wasm

import (
	"bytes"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

var sectionFuncs = map[string]importFunc{
	abi.FuncSectionAdd:     sectionAdd,
	abi.FuncSectionsAdd:    sectionsAdd,
	abi.FuncSectionTitle:   sectionTitle,
	abi.FuncSectionSummary: sectionSummary,
	abi.FuncSectionID:      sectionID,
	abi.FuncSectionText:    sectionText,
}

// stageOnly refuses what a filter may not do.
func (r *run) stageOnly(name string) int32 {
	if r.role.Kind != abi.KindStage {
		return r.refuse(abi.CodeUnsupported, "%s in a %s", name, r.role.Kind)
	}
	r.tree.use(r)
	return 0
}

func sectionAdd(r *run, a args) int32 {
	title := r.text(a, 4)
	if code := r.stageOnly(abi.FuncSectionAdd); code < 0 {
		return code
	}
	return r.addSection(abi.Section{Parent: int(a.i32(0)), Start: int(a.i32(2)), End: int(a.i32(3))}, a.i32(1), nil, title)
}

// addSection adds a Section of a buffer, with an id unless that is empty.
func (r *run) addSection(s abi.Section, buf int32, id, title []byte) int32 {
	t := &r.tree
	if s.Parent < -1 || s.Parent >= len(t.sections) {
		return r.refuse(abi.CodeBadArg, "parent %d of %d sections", s.Parent, len(t.sections))
	}
	if !utf8.Valid(title) {
		return r.refuse(abi.CodeBadArg, "title is not UTF-8")
	}
	if !utf8.Valid(id) {
		return r.refuse(abi.CodeBadArg, "id is not UTF-8")
	}
	if s.Parent >= 0 && t.places[s.Parent].depth+1 >= abi.LimitSectionDepth {
		return r.refuse(abi.CodeLimit, "section of depth %d, limit %d", abi.LimitSectionDepth, abi.LimitSectionDepth)
	}
	if most := r.call.Context.Limits.Sections; len(t.sections) >= most {
		return r.refuse(abi.CodeLimit, "%s sections, limit %s (limits.sections)", fault.Group(len(t.sections)+1), fault.Group(most))
	}
	data, code := r.sectionBytes(&s, buf)
	if code < 0 {
		return code
	}
	if why := t.check(&s, len(data)); why != "" {
		return r.refuse(abi.CodeBadArg, "%s", why)
	}
	if !boundary(data, s.Start) || !boundary(data, s.End) {
		return r.refuse(abi.CodeBadArg, "span %d to %d cuts a character", s.Start, s.End)
	}
	title = cut(title, abi.LimitTitleBytes)
	if len(id) > 0 {
		s.ID = t.segment(id, true)
	}
	if code := r.derive(&s, data, len(title)+len(s.ID)); code < 0 {
		return code
	}
	s.Title = t.keep(title)
	return int32(t.append(s))
}

func boundary(data []byte, at int) bool { return at >= len(data) || utf8.RuneStart(data[at]) }

// sectionBytes settles the kind of a Section from the buffer it cites, and
// turns its span into one of what it will be served from.
func (r *run) sectionBytes(s *abi.Section, id int32) (data []byte, code int32) {
	if id == abi.BufNone {
		s.Kind = abi.SectionGroup
		if s.Start != 0 || s.End != 0 {
			return nil, r.refuse(abi.CodeBadArg, "group with span %d to %d", s.Start, s.End)
		}
		return nil, 0
	}
	b := r.buf(id)
	if b == nil {
		return nil, badArg
	}
	if s.Start < 0 || s.End > len(b.data) {
		return nil, r.refuse(abi.CodeBadArg, "span %d to %d of %d bytes", s.Start, s.End, len(b.data))
	}
	if at, ok := r.exact(b); ok {
		s.Kind = abi.SectionExact
		s.Start, s.End = s.Start+at, s.End+at
		return r.call.Original, 0
	}
	if b.origin == inDecoded {
		s.Kind, s.Literal = abi.SectionDecoded, b.literal
		s.Start, s.End = s.Start+b.base, s.End+b.base
		return b.whole, 0
	}
	s.Kind = abi.SectionDerived
	return b.data, 0
}

// derive copies the bytes of a derived Section, if there is room for them and for so
// many of its names.
func (r *run) derive(s *abi.Section, data []byte, names int) int32 {
	size := 0
	if s.Kind == abi.SectionDerived {
		data = data[s.Start:s.End]
		if len(data) > abi.LimitDerivedBytes {
			return r.refuse(abi.CodeLimit, "derived section of %s bytes, limit %s", fault.Group(len(data)), fault.Group(abi.LimitDerivedBytes))
		}
		if !utf8.Valid(data) {
			return r.refuse(abi.CodeBadArg, "derived section is not UTF-8")
		}
		size = len(data)
	}
	if code := r.roomForText(size + names); code < 0 {
		return code
	}
	if s.Kind == abi.SectionDerived {
		s.Body = bytes.Clone(data)
		s.Start, s.End = 0, len(data)
	}
	return 0
}

// roomForText refuses more text than a tree may hold.
func (r *run) roomForText(more int) int32 {
	if r.tree.text+more > abi.LimitSectionTextBytes {
		return r.refuse(abi.CodeLimit, "%s bytes of section texts, limit %s", fault.Group(r.tree.text+more), fault.Group(abi.LimitSectionTextBytes))
	}
	return 0
}

// spanText reads the text of a title or summary: section, buf, off, len.
func (r *run) spanText(name string, a args, most int) (i int, text string, code int32) {
	if code := r.stageOnly(name); code < 0 {
		return 0, "", code
	}
	data, ok := r.part(a.i32(1), a.i32(2), a.i32(3))
	if !ok {
		return 0, "", badArg
	}
	if !r.tree.has(r, a.i32(0)) {
		return 0, "", r.notFound()
	}
	if len(data) > most+utf8.UTFMax {
		data = data[:most+1] // cut looks one byte further
	}
	text = string(cut(data, most))
	if !utf8.ValidString(text) {
		return 0, "", r.refuse(abi.CodeBadArg, "text is not UTF-8")
	}
	return int(a.i32(0)), text, 0
}

func sectionTitle(r *run, a args) int32 {
	i, text, code := r.spanText(abi.FuncSectionTitle, a, abi.LimitTitleBytes)
	if code < 0 {
		return code
	}
	return r.setText(&r.tree.sections[i].Title, i, text)
}

func sectionSummary(r *run, a args) int32 {
	i, text, code := r.spanText(abi.FuncSectionSummary, a, abi.LimitSummaryBytes)
	if code < 0 {
		return code
	}
	return r.setText(&r.tree.sections[i].Summary, i, text)
}

// setText replaces a text of section i.
func (r *run) setText(field *string, i int, text string) int32 {
	t := &r.tree
	if code := r.roomForText(len(text) - len(*field)); code < 0 {
		return code
	}
	isSummary := field == &t.sections[i].Summary
	t.text += len(text) - len(*field)
	t.write()
	if isSummary {
		t.sections[i].Summary = text
		t.noteSummary(i)
	} else {
		t.sections[i].Title = text
	}
	return 0
}

func sectionID(r *run, a args) int32 {
	id := r.text(a, 1)
	if code := r.stageOnly(abi.FuncSectionID); code < 0 {
		return code
	}
	if !r.tree.has(r, a.i32(0)) {
		return r.notFound()
	}
	return r.nameSection(a.i32(0), id)
}

// nameSection gives Section i an id.
func (r *run) nameSection(i int32, id []byte) int32 {
	t := &r.tree
	switch {
	case int(i) < t.earlier:
		return r.refuse(abi.CodeBadArg, "section %d has its id from an earlier stage", i)
	case len(id) == 0:
		return r.refuse(abi.CodeBadArg, "empty id")
	case !utf8.Valid(id):
		return r.refuse(abi.CodeBadArg, "id is not UTF-8")
	}
	name := t.segment(id, t.sections[i].ID == "")
	if code := r.roomForText(len(name) - len(t.sections[i].ID)); code < 0 {
		return code
	}
	t.text += len(name) - len(t.sections[i].ID)
	t.sections[i].ID = name
	return 0
}

// segment is abi.Segment for an id. One that a Section gets first is kept with
// those of others.
func (t *treeBuilder) segment(id []byte, first bool) string {
	if first && len(id) <= abi.LimitTitleBytes {
		return abi.Segment(t.keep(id))
	}
	return abi.Segment(string(id))
}

func sectionText(r *run, a args) int32 {
	if code := r.stageOnly(abi.FuncSectionText); code < 0 {
		return code
	}
	if !r.tree.has(r, a.i32(0)) {
		return r.notFound()
	}
	s := &r.tree.sections[a.i32(0)]
	switch a.i32(1) {
	case abi.SectionTextID:
		return r.add(buffer{data: []byte(s.ID)})
	case abi.SectionTextTitle:
		return r.add(buffer{data: []byte(s.Title)})
	case abi.SectionTextSummary:
		return r.add(buffer{data: []byte(s.Summary)})
	case abi.SectionTextBody:
		return r.sectionBody(s)
	}
	return r.refuse(abi.CodeBadArg, "text %d of a section", a.i32(1))
}

// sectionBody makes a handle of a Section's bytes, as citable as they were.
func (r *run) sectionBody(s *abi.Section) int32 {
	switch s.Kind {
	case abi.SectionExact:
		return r.add(buffer{data: r.call.Original[s.Start:s.End:s.End], origin: inOriginal, base: s.Start})
	case abi.SectionDecoded:
		text, err := jsonspan.Unquote(r.call.Original[s.Literal[0]:s.Literal[1]])
		if err != nil || s.End > len(text) {
			return r.refuse(abi.CodeBadArg, "section has no bytes")
		}
		return r.add(buffer{data: text[s.Start:s.End:s.End], origin: inDecoded, base: s.Start, literal: s.Literal, whole: text, owned: len(text)})
	}
	return r.add(buffer{data: s.Body})
}
