package stagetest

import (
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/internal/testhost"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func (h *host) SectionText(section, what int32) int32 {
	s, code := h.section(section)
	if code < 0 {
		return code
	}
	b := &testhost.Buffer{From: testhost.Own}
	switch what {
	case raw.SectionTextID:
		b.Bytes = []byte(s.ID)
	case raw.SectionTextTitle:
		b.Bytes = []byte(s.Title)
	case raw.SectionTextSummary:
		b.Bytes = []byte(s.Summary)
	case raw.SectionTextBody:
		b.Bytes, b.From = []byte(s.Text), bodySource(s)
	default:
		return h.Bad("section_text " + strconv.Itoa(int(what)) + ", want 0 to 3")
	}
	return h.Handle(b)
}

// bodySource returns the source of a Section's body, so that a Section of the body has the
// same kind.
func bodySource(s *Section) testhost.Source {
	if s.Kind == stage.Group || s.Kind == stage.Derived {
		return testhost.Own
	}
	return testhost.Source{Kind: s.Kind, Off: s.Start, Literal: s.Literal}
}
