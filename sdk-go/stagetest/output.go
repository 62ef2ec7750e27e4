package stagetest

import (
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/internal/testhost"
)

func (h *host) OutWrite(data string) int32 {
	if len(h.out)+len(data) > h.limits.OutputBytes {
		h.outLimit = true
		return h.Refuse(raw.CodeLimit, "output over "+testhost.Commas(h.limits.OutputBytes)+" bytes")
	}
	h.wrote = true
	h.out = append(h.out, data...)
	return 0
}

// OutSpan appends bytes and, for a span of the input, its marks. A mark is before the byte
// at its offset; a span that reaches the end includes the marks after the last byte.
func (h *host) OutSpan(buf, off, n int32) int32 {
	p, b, code := h.Span(buf, off, n)
	if code < 0 {
		return code
	}
	at := len(h.out)
	if code := h.OutWrite(string(p)); code < 0 || !b.From.Input {
		return code
	}
	start := b.From.Off + int(off)
	end, size := start+len(p), len(h.call.Input)
	for _, m := range h.call.Marks {
		last := m.Offset == size && end == size && (start < end || size == 0)
		if m.Offset >= start && m.Offset < end || last {
			m.Offset += at - start
			h.marks = append(h.marks, m)
		}
	}
	return 0
}

func (h *host) OutIndex(section, lines, size int32) int32 {
	switch {
	case h.call.Context.Filter:
		return h.Refuse(raw.CodeUnsupported, "out_index in a filter")
	case section < -1 || int(section) >= len(h.tree.sections):
		return h.Refuse(raw.CodeNotFound, "no section "+strconv.Itoa(int(section)))
	case lines < 0 || size < 0:
		return h.Bad("negative limit of an index")
	}
	h.wrote = true
	h.marks = append(h.marks, Mark{len(h.out), int(section), int(lines), int(size)})
	return 0
}

// verdict returns the reason of a failed call, or "".
func (h *host) verdict(code int32) string {
	switch {
	case code != raw.ReturnDone:
		return h.Failure(code)
	case h.outLimit:
		return "output over " + testhost.Commas(h.limits.OutputBytes) + " bytes (set limits.output)"
	case !h.wrote:
		return "returned DONE without output"
	}
	return testhost.CheckUTF8(h.out)
}
