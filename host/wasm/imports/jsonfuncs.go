package imports

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/wasm/jsonindex"
)

var jsonFuncs = map[string]run{
	abi.FuncJSONKind: jsonKind,
	abi.FuncJSONGet:  jsonGet,
	abi.FuncJSONSpan: jsonSpan,
	abi.FuncJSONText: jsonText,
	abi.FuncJSONEach: jsonEach,
	abi.FuncJSONI64:  jsonI64,
	abi.FuncJSONF64:  jsonF64,
}

// jsonValue is a value in the index of a buffer.
type jsonValue struct {
	buffer *buffer
	index  *jsonindex.Index
	node   uint32
}

func (v jsonValue) kind() jsonspan.Kind { return v.index.Kind(v.node) }

func (v jsonValue) span() (start, end int) {
	s, e := v.index.Span(v.node)
	return int(s), int(e)
}

// findJSON returns the value that the buffer and pointer at the first three arguments
// refer to.
func findJSON(c *Call, a Args) (v jsonValue, code int32) {
	id, pointer := a.I32(0), c.text(a, 1)
	if v.buffer = c.buffer(id); v.buffer == nil {
		return v, badArg
	}
	var err error
	if v.index, err = c.jsonIndex(v.buffer); err != nil {
		return v, c.refuse(abi.CodeBadArg, "buffer %d: %v", id, err)
	}
	node, ok, err := v.index.Find(pointer)
	if err != nil {
		return v, c.refuse(abi.CodeBadArg, "%v", err)
	}
	if !ok {
		return v, c.refuseNotFound()
	}
	v.node = node
	return v, 0
}

func jsonKind(c *Call, a Args) int32 {
	v, code := findJSON(c, a)
	if code < 0 {
		return code
	}
	return int32(v.kind())
}

func jsonGet(c *Call, a Args) int32 {
	v, code := findJSON(c, a)
	if code < 0 {
		return code
	}
	start, end := v.span()
	if v.kind() == jsonspan.String {
		return addDecoded(c, v.buffer, start, end)
	}
	return c.buffers.add(v.buffer.view(start, end))
}

// addDecoded creates a handle of the text of a string literal.
func addDecoded(c *Call, b *buffer, start, end int) int32 {
	text, err := jsonspan.Unquote(b.data[start:end])
	if err != nil {
		return c.refuse(abi.CodeBadArg, "string at byte %d: %v", start, err)
	}
	d := buffer{data: text}
	if len(text) != end-start-2 { // not part of the buffer itself
		d.owned = len(text)
	}
	if at, ok := c.buffers.exactOffset(b); ok {
		d.origin, d.literal, d.decoded = inDecoded, [2]int{at + start, at + end}, text
	}
	return c.buffers.add(d)
}

func jsonText(c *Call, a Args) int32 {
	b := c.buffer(a.I32(0))
	if b == nil {
		return badArg
	}
	start, end := a.I32(1), a.I32(2)
	if start < 0 || start > end || int(end) > len(b.data) {
		return c.refuseSpan(int(start), int(end), len(b.data))
	}
	if err := jsonspan.ValidUTF8(b.data[start:end]); err != nil {
		return c.refuse(abi.CodeBadArg, "string at byte %d: %v", start, err)
	}
	return addDecoded(c, b, int(start), int(end))
}

func jsonSpan(c *Call, a Args) int32 {
	out := c.bytes(a.U32(3), 8)
	v, code := findJSON(c, a)
	if code < 0 {
		return code
	}
	start, end := v.index.Span(v.node)
	binary.LittleEndian.PutUint32(out, start)
	binary.LittleEndian.PutUint32(out[4:], end)
	return int32(v.kind())
}

func jsonEach(c *Call, a Args) int32 {
	out := c.text(a, 4)
	v, code := findJSON(c, a)
	if code < 0 {
		return code
	}
	if k := v.kind(); k != jsonspan.Array && k != jsonspan.Object {
		return c.refuse(abi.CodeBadArg, "a %v has no children", k)
	}
	if a.I32(3) < 0 {
		return c.refuse(abi.CodeBadArg, "position %d", a.I32(3))
	}
	x := v.index
	for pos := a.U32(3); len(out) >= abi.ChildRecordSize; pos++ {
		child, ok := x.Child(v.node, pos)
		if !ok {
			break
		}
		keyStart, keyEnd := x.KeySpan(child)
		start, end := x.Span(child)
		binary.LittleEndian.PutUint32(out, keyStart)
		binary.LittleEndian.PutUint32(out[4:], keyEnd)
		binary.LittleEndian.PutUint32(out[8:], start)
		binary.LittleEndian.PutUint32(out[12:], end)
		out = out[abi.ChildRecordSize:]
	}
	return x.Count(v.node)
}

// jsonNumber returns the text of a number; of a bool 0 or 1.
func jsonNumber(c *Call, a Args) (text string, code int32) {
	v, code := findJSON(c, a)
	if code < 0 {
		return "", code
	}
	start, end := v.span()
	switch v.kind() {
	case jsonspan.Number:
		return string(v.buffer.data[start:end]), 0
	case jsonspan.Bool:
		if v.buffer.data[start] == 't' {
			return "1", 0
		}
		return "0", 0
	}
	return "", c.refuse(abi.CodeBadArg, "a %v is no number", v.kind())
}

func jsonI64(c *Call, a Args) int32 {
	out := c.bytes(a.U32(3), 8)
	text, code := jsonNumber(c, a)
	if code < 0 {
		return code
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return c.refuse(abi.CodeBadArg, "%.40s is no integer of 64 bits", text)
	}
	binary.LittleEndian.PutUint64(out, uint64(v))
	return 0
}

func jsonF64(c *Call, a Args) int32 {
	out := c.bytes(a.U32(3), 8)
	text, code := jsonNumber(c, a)
	if code < 0 {
		return code
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return c.refuse(abi.CodeBadArg, "%.40s is no number of 64 bits", text)
	}
	binary.LittleEndian.PutUint64(out, math.Float64bits(v))
	return 0
}
