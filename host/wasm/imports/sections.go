package imports

import (
	"bytes"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/tree"
)

// sections is the section tree of a call with the quotas of the ABI.
type sections struct {
	*refusals
	tree    tree.Builder
	buffers *buffers
	request *abi.Call
}

// check refuses a section whose parent or texts are invalid, or that exceeds a limit.
func (s *sections) check(n abi.Section, id, title []byte) int32 {
	t := &s.tree
	if n.Parent < -1 || n.Parent >= t.Len() {
		return s.refuse(abi.CodeBadArg, "parent %d of %d sections", n.Parent, t.Len())
	}
	if !utf8.Valid(title) {
		return s.refuse(abi.CodeBadArg, "title is not UTF-8")
	}
	if !utf8.Valid(id) {
		return s.refuse(abi.CodeBadArg, "id is not UTF-8")
	}
	if t.Depth(n.Parent)+1 >= abi.LimitSectionDepth {
		return s.refuse(abi.CodeLimit, "section of depth %d, limit %d", abi.LimitSectionDepth, abi.LimitSectionDepth)
	}
	if limit := s.request.Context.Limits.Sections; t.Len() >= limit {
		return s.refuse(abi.CodeLimit, "%s sections, limit %s (limits.sections)", fault.Group(t.Len()+1), fault.Group(limit))
	}
	return 0
}

// add adds a section that check has accepted. b is the buffer that its span refers to;
// nil makes a group. id may be empty.
func (s *sections) add(n abi.Section, b *buffer, id, title []byte) int32 {
	t := &s.tree
	data, code := s.resolve(&n, b)
	if code < 0 {
		return code
	}
	if why := t.Check(&n, len(data)); why != "" {
		return s.refuse(abi.CodeBadArg, "%s", why)
	}
	if !isBoundary(data, n.Start) || !isBoundary(data, n.End) {
		return s.refuse(abi.CodeBadArg, "span %d to %d cuts a character", n.Start, n.End)
	}
	title = truncate(title, abi.LimitTitleBytes)
	if len(id) > 0 {
		n.ID = s.segment(id, true)
	}
	if code := s.copyBody(&n, data, len(title)+len(n.ID)); code < 0 {
		return code
	}
	n.Title = t.Keep(title)
	return int32(t.Append(n))
}

func isBoundary(data []byte, at int) bool { return at >= len(data) || utf8.RuneStart(data[at]) }

// truncate shortens a text to a number of bytes at a character boundary.
func truncate(b []byte, limit int) []byte {
	if len(b) > limit {
		for limit > 0 && !utf8.RuneStart(b[limit]) {
			limit--
		}
		b = b[:limit]
	}
	return b
}

// resolve sets the kind of a section from the buffer that it cites, and converts its
// span to a span of the bytes that it will be served from, which it returns.
func (s *sections) resolve(n *abi.Section, b *buffer) (data []byte, code int32) {
	if b == nil {
		n.Kind = abi.SectionGroup
		if n.Start != 0 || n.End != 0 {
			return nil, s.refuse(abi.CodeBadArg, "group with span %d to %d", n.Start, n.End)
		}
		return nil, 0
	}
	if n.Start < 0 || n.End > len(b.data) {
		return nil, s.refuseSpan(n.Start, n.End, len(b.data))
	}
	if at, ok := s.buffers.exactOffset(b); ok {
		n.Kind = abi.SectionExact
		n.Start, n.End = n.Start+at, n.End+at
		return s.request.Original, 0
	}
	if b.origin == inDecoded {
		n.Kind, n.Literal = abi.SectionDecoded, b.literal
		n.Start, n.End = n.Start+b.base, n.End+b.base
		return b.decoded, 0
	}
	n.Kind = abi.SectionDerived
	return b.data, 0
}

// copyBody copies the bytes of a derived section if there is room for them and for
// namesBytes of names.
func (s *sections) copyBody(n *abi.Section, data []byte, namesBytes int) int32 {
	size := 0
	if n.Kind == abi.SectionDerived {
		data = data[n.Start:n.End]
		if len(data) > abi.LimitDerivedBytes {
			return s.refuse(abi.CodeLimit, "derived section of %s bytes, limit %s", fault.Group(len(data)), fault.Group(abi.LimitDerivedBytes))
		}
		if !utf8.Valid(data) {
			return s.refuse(abi.CodeBadArg, "derived section is not UTF-8")
		}
		size = len(data)
	}
	if code := s.reserve(size + namesBytes); code < 0 {
		return code
	}
	if n.Kind == abi.SectionDerived {
		n.Body = bytes.Clone(data)
		n.Start, n.End = 0, len(data)
	}
	return 0
}

// reserve refuses n more bytes of text if they exceed the limit.
func (s *sections) reserve(n int) int32 {
	if size := s.tree.TextBytes() + n; size > abi.LimitSectionTextBytes {
		return s.refuse(abi.CodeLimit, "%s bytes of section texts, limit %s", fault.Group(size), fault.Group(abi.LimitSectionTextBytes))
	}
	return 0
}

func (s *sections) setTitle(i int, title string) int32 {
	if code := s.reserve(len(title) - len(s.tree.Section(i).Title)); code < 0 {
		return code
	}
	s.tree.SetTitle(i, title)
	return 0
}

func (s *sections) setSummary(i int, summary string) int32 {
	if code := s.reserve(len(summary) - len(s.tree.Section(i).Summary)); code < 0 {
		return code
	}
	s.tree.SetSummary(i, summary)
	return 0
}

func (s *sections) setID(i int32, id []byte) int32 {
	switch {
	case s.tree.IsEarlier(i):
		return s.refuse(abi.CodeBadArg, "section %d has its id from an earlier stage", i)
	case len(id) == 0:
		return s.refuse(abi.CodeBadArg, "empty id")
	case !utf8.Valid(id):
		return s.refuse(abi.CodeBadArg, "id is not UTF-8")
	}
	old := s.tree.Section(int(i)).ID
	name := s.segment(id, old == "")
	if code := s.reserve(len(name) - len(old)); code < 0 {
		return code
	}
	s.tree.SetID(int(i), name)
	return 0
}

// segment returns abi.Segment of an id. The first id of a section is kept in shared
// memory.
func (s *sections) segment(id []byte, first bool) string {
	if first && len(id) <= abi.LimitTitleBytes {
		return abi.Segment(s.tree.Keep(id))
	}
	return abi.Segment(string(id))
}

// body returns a buffer of a section's bytes that can be cited as before.
func (s *sections) body(i int) (b buffer, code int32) {
	original := s.request.Original
	switch n := s.tree.Section(i); n.Kind {
	case abi.SectionExact:
		return buffer{data: original[n.Start:n.End:n.End], origin: inOriginal, base: n.Start}, 0
	case abi.SectionDecoded:
		text, err := jsonspan.Unquote(original[n.Literal[0]:n.Literal[1]])
		if err != nil || n.End > len(text) {
			return buffer{}, s.refuse(abi.CodeBadArg, "section has no bytes")
		}
		return buffer{data: text[n.Start:n.End:n.End], origin: inDecoded, base: n.Start, literal: n.Literal, decoded: text, owned: len(text)}, 0
	default:
		return buffer{data: n.Body}, 0
	}
}
