package stage

import (
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Out is the output of a stage. It stays in the host and is the result if the stage
// returns nil. An empty result needs one Write of no bytes. It is an io.Writer and an
// io.StringWriter.
//
// Errors: Limit beyond Limits.OutputBytes. The call then fails even if the stage
// returns nil, because the output would be incomplete.
type Out struct{ call *call }

// Write appends p.
func (o Out) Write(p []byte) (int, error) {
	return o.WriteString(unsafe.String(unsafe.SliceData(p), len(p)))
}

// WriteString appends s.
func (o Out) WriteString(s string) (int, error) {
	if code := raw.OutWrite(s); code < 0 {
		return 0, newError(code)
	}
	return len(s), nil
}

// Span appends n bytes of b (-1: to the end) from off on, without copying them
// through the guest. Index marks in a span of Ctx.Input are kept.
func (o Out) Span(b Buf, off, n int) error {
	return check(raw.OutSpan(b.id(), word(off), word(n)))
}

// Index marks the position at which the host prints, after the last stage, the index
// of the children of a Section (-1: of the top level). A limit of 0 lines or bytes
// means the host's setting. The mark adds no bytes to the output.
//
// Errors: NotFound if there is no such Section, Unsupported in a filter.
func (o Out) Index(section, lines, bytes int) error {
	return check(raw.OutIndex(word(section), word(lines), word(bytes)))
}
