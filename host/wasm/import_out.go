package wasm

import (
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// output is what a guest has written so far.
type output struct {
	limit int
	bytes []byte
	marks []abi.Mark
	wrote bool // an out_ function was called
	full  bool // one of them answered LIMIT
}

// whole gives what a guest that said DONE has written, if it kept the rules.
func (o *output) whole() ([]byte, error) {
	switch {
	case o.full:
		return nil, fault.NewHost(abi.ErrLimit, "output over %s bytes (set limits.output)", fault.Group(o.limit))
	case !o.wrote:
		return nil, fault.NewHost(abi.ErrGuest, "returned DONE without output")
	}
	if at := notUTF8(o.bytes); at >= 0 {
		return nil, fault.NewHost(abi.ErrGuest, "output is not UTF-8 at byte %d", at)
	}
	if o.bytes == nil {
		return []byte{}, nil
	}
	return o.bytes, nil
}

// notUTF8 gives the offset of the first byte that is not UTF-8, or -1.
func notUTF8(b []byte) int {
	if bad, ok := jsonspan.ValidUTF8(b).(*jsonspan.SyntaxError); ok {
		return bad.Offset
	}
	return -1
}

// room makes place for n more bytes, or refuses.
func (r *run) room(n int) int32 {
	r.out.wrote = true
	if len(r.out.bytes)+n > r.out.limit {
		r.out.full = true
		return r.refuse(abi.CodeLimit, "output over %s bytes (limits.output)", fault.Group(r.out.limit))
	}
	return 0
}

var outFuncs = map[string]importFunc{
	abi.FuncOutWrite: outWrite,
	abi.FuncOutSpan:  outSpan,
	abi.FuncOutIndex: outIndex,
}

func outWrite(r *run, a args) int32 {
	b := r.text(a, 0)
	if r.hook.inBlock() {
		return r.writeBlock(b)
	}
	if code := r.room(len(b)); code < 0 {
		return code
	}
	r.out.bytes = append(r.out.bytes, b...)
	return 0
}

func outSpan(r *run, a args) int32 {
	b, start, end, ok := r.span(a.i32(0), a.i32(1), a.i32(2))
	if !ok {
		return badArg
	}
	if r.hook.inBlock() {
		return r.writeBlock(b.data[start:end])
	}
	if code := r.room(end - start); code < 0 {
		return code
	}
	if b.origin == inInput {
		if code := r.carryMarks(b.base+start, b.base+end); code < 0 {
			return code
		}
	}
	r.out.bytes = append(r.out.bytes, b.data[start:end]...)
	return 0
}

// carryMarks takes the index marks of a span of buffer 0 along. A mark stands
// before the byte at its offset, so spans side by side carry each mark once; the
// span that reaches the end has those behind the last byte.
func (r *run) carryMarks(start, end int) int32 {
	size := len(r.call.Input)
	for _, m := range r.call.Marks {
		last := m.Offset == size && end == size && (start < end || size == 0)
		if (m.Offset < start || m.Offset >= end) && !last {
			continue
		}
		m.Offset += len(r.out.bytes) - start
		if code := r.mark(m); code < 0 {
			return code
		}
	}
	return 0
}

// maxMarks bounds the indexes in one output: each may take limits of its own.
const maxMarks = 1024

func (r *run) mark(m abi.Mark) int32 {
	if len(r.out.marks) >= maxMarks {
		r.out.full = true
		return r.refuse(abi.CodeLimit, "%d indexes in one output, limit %d", len(r.out.marks)+1, maxMarks)
	}
	r.out.marks = append(r.out.marks, m)
	return 0
}

func outIndex(r *run, a args) int32 {
	section, lines, size := a.i32(0), a.i32(1), a.i32(2)
	switch {
	case r.role.Kind != abi.KindStage:
		return r.refuse(abi.CodeUnsupported, "out_index in a %s", r.role.Kind)
	case section != -1 && !r.tree.has(r, section):
		return r.notFound()
	case lines < 0 || size < 0:
		return r.refuse(abi.CodeBadArg, "index of %d lines and %d bytes", lines, size)
	}
	r.out.wrote = true
	return r.mark(abi.Mark{Offset: len(r.out.bytes), Section: int(section), Lines: int(lines), Bytes: int(size)})
}

// sortedMarks gives the marks in the order of their places; those of one place
// in the order in which they were made.
func (o *output) sortedMarks() []abi.Mark {
	slices.SortStableFunc(o.marks, func(a, b abi.Mark) int { return a.Offset - b.Offset })
	return o.marks
}
