package imports

import (
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// maxMarks limits the indexes in one output: each may have limits of its own.
const maxMarks = 1024

// output is the output of a guest.
type output struct {
	*refusals
	limit   int
	bytes   []byte
	marks   []abi.Mark
	written bool // an out_ function was called
	full    bool // one of them returned LIMIT
}

// reserve refuses n more bytes if they exceed the limit.
func (o *output) reserve(n int) int32 {
	o.written = true
	if len(o.bytes)+n > o.limit {
		o.full = true
		return o.refuse(abi.CodeLimit, "output over %s bytes (limits.output)", fault.Group(o.limit))
	}
	return 0
}

func (o *output) write(b []byte) int32 {
	if code := o.reserve(len(b)); code < 0 {
		return code
	}
	o.bytes = append(o.bytes, b...)
	return 0
}

func (o *output) addMark(m abi.Mark) int32 {
	if len(o.marks) >= maxMarks {
		o.full = true
		return o.refuse(abi.CodeLimit, "%d indexes in one output, limit %d", len(o.marks)+1, maxMarks)
	}
	o.marks = append(o.marks, m)
	return 0
}

// copyMarks adds the marks of a span of buffer 0, whose size is size. A mark is placed
// before the byte at its offset, so adjacent spans copy each mark once; the span that
// reaches the end also has the marks after the last byte.
func (o *output) copyMarks(marks []abi.Mark, start, end, size int) int32 {
	for _, m := range marks {
		isLast := m.Offset == size && end == size && (start < end || size == 0)
		if (m.Offset < start || m.Offset >= end) && !isLast {
			continue
		}
		m.Offset += len(o.bytes) - start
		if code := o.addMark(m); code < 0 {
			return code
		}
	}
	return 0
}

// finish returns the output of a guest that returned DONE, if it followed the rules.
func (o *output) finish() ([]byte, error) {
	switch {
	case o.full:
		return nil, fault.NewHost(abi.ErrLimit, "output over %s bytes (set limits.output)", fault.Group(o.limit))
	case !o.written:
		return nil, fault.NewHost(abi.ErrGuest, "returned DONE without output")
	}
	if at := invalidUTF8(o.bytes); at >= 0 {
		return nil, fault.NewHost(abi.ErrGuest, "output is not UTF-8 at byte %d", at)
	}
	if o.bytes == nil {
		return []byte{}, nil
	}
	return o.bytes, nil
}

// sortedMarks returns the marks by offset; those of one offset in the order of their
// creation.
func (o *output) sortedMarks() []abi.Mark {
	slices.SortStableFunc(o.marks, func(a, b abi.Mark) int { return a.Offset - b.Offset })
	return o.marks
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(b []byte) int {
	if bad, ok := jsonspan.ValidUTF8(b).(*jsonspan.SyntaxError); ok {
		return bad.Offset
	}
	return -1
}
