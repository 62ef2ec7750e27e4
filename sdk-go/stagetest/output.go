package stagetest

import (
	"strconv"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

func (h *host) OutWrite(data string) int32 {
	if len(h.out)+len(data) > h.limits.OutputBytes {
		h.outLimit = true
		return h.refuse(raw.CodeLimit, "output over "+commas(h.limits.OutputBytes)+" bytes")
	}
	h.wrote = true
	h.out = append(h.out, data...)
	return 0
}

// OutSpan appends bytes and, of the input, the marks that lie in them. A mark
// stands before the byte at its offset; the span that reaches the end has those
// behind the last byte.
func (h *host) OutSpan(buf, off, n int32) int32 {
	p, b, code := h.span(buf, off, n)
	if code < 0 {
		return code
	}
	at := len(h.out)
	if code := h.OutWrite(string(p)); code < 0 || !b.from.input {
		return code
	}
	start := b.from.off + int(off)
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
		return h.refuse(raw.CodeUnsupported, "out_index in a filter")
	case section < -1 || int(section) >= len(h.tree.sections):
		return h.refuse(raw.CodeNotFound, "no section "+strconv.Itoa(int(section)))
	case lines < 0 || size < 0:
		return h.bad("negative limit of an index")
	}
	h.wrote = true
	h.marks = append(h.marks, Mark{len(h.out), int(section), int(lines), int(size)})
	return 0
}

func (h *host) Fail(reason string) int32 {
	h.reason = reason
	return 0
}

// verdict is why a call failed, empty if it did not.
func (h *host) verdict(code int32) string {
	switch {
	case code == raw.ReturnPass:
		return ""
	case code == raw.ReturnFail && h.reason == "":
		return "failed without a reason"
	case code == raw.ReturnFail:
		return h.reason
	case code != raw.ReturnDone:
		return "returned " + strconv.Itoa(int(code)) + ", want 0, 1 or 2"
	case h.outLimit:
		return "output over " + commas(h.limits.OutputBytes) + " bytes (set limits.output)"
	case !h.wrote:
		return "returned DONE without output"
	case !utf8.Valid(h.out):
		return "output is not UTF-8 at byte " + strconv.Itoa(firstInvalid(h.out))
	}
	return ""
}

func firstInvalid(p []byte) int {
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// commas writes 1204 as 1,204.
func commas(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
