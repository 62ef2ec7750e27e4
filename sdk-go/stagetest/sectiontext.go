package stagetest

import (
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func (h *host) SectionText(section, what int32) int32 {
	s, code := h.section(section)
	if code < 0 {
		return code
	}
	b := &buffer{from: own}
	switch what {
	case raw.SectionTextID:
		b.bytes = []byte(s.ID)
	case raw.SectionTextTitle:
		b.bytes = []byte(s.Title)
	case raw.SectionTextSummary:
		b.bytes = []byte(s.Summary)
	case raw.SectionTextBody:
		b.bytes, b.from = []byte(s.Text), bodySource(s)
	default:
		return h.bad("section_text " + strconv.Itoa(int(what)) + ", want 0 to 3")
	}
	return h.handle(b)
}

// bodySource says what a Section of a Section's body is: the same as itself.
func bodySource(s *Section) source {
	if s.Kind == stage.Group || s.Kind == stage.Derived {
		return own
	}
	return source{kind: s.Kind, off: s.Start, literal: s.Literal}
}
