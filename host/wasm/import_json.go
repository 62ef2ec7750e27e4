package wasm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

var jsonFuncs = map[string]importFunc{
	abi.FuncJSONKind: jsonKind,
	abi.FuncJSONGet:  jsonGet,
	abi.FuncJSONSpan: jsonSpan,
	abi.FuncJSONText: jsonText,
	abi.FuncJSONEach: jsonEach,
	abi.FuncJSONI64:  jsonI64,
	abi.FuncJSONF64:  jsonF64,
}

// json gives the index of a buffer, made at its first use.
func (r *run) json(b *buffer) (*jsonIndex, error) {
	if b.index == nil && b.json == nil {
		b.index, b.json = indexJSON(b.data)
		if errors.Is(b.json, errManyValues) {
			panic(&trap{fmt.Sprintf("guest trapped: JSON of more than %s values in %s", fault.Group(indexNodes), r.importName()), abi.ErrLimit})
		}
		if b.json != nil {
			b.index = nil
			return nil, b.json
		}
		r.bufs.nodes += len(b.index.nodes)
		if r.bufs.nodes > indexNodes {
			r.bufs.dropIndexes(b)
		}
	}
	return b.index, b.json
}

// dropIndexes forgets all indexes but one; they are made again when asked for.
func (s *buffers) dropIndexes(but *buffer) {
	for i := range s.fixed {
		s.fixed[i].drop(but)
	}
	for _, b := range s.handles {
		b.drop(but)
	}
	s.nodes = len(but.index.nodes)
}

func (b *buffer) drop(but *buffer) {
	if b != but {
		b.index = nil
	}
}

// value finds what a pointer leads to in a buffer. If there is nothing, code
// says why.
func (r *run) value(id int32, pointer []byte) (b *buffer, x *jsonIndex, node uint32, code int32) {
	if b = r.buf(id); b == nil {
		return nil, nil, 0, badArg
	}
	x, err := r.json(b)
	if err != nil {
		return nil, nil, 0, r.refuse(abi.CodeBadArg, "buffer %d: %v", id, err)
	}
	node, ok, err := x.find(pointer)
	if err != nil {
		return nil, nil, 0, r.refuse(abi.CodeBadArg, "%v", err)
	}
	if !ok {
		return nil, nil, 0, r.notFound()
	}
	return b, x, node, 0
}

func jsonKind(r *run, a args) int32 {
	_, x, node, code := r.value(a.i32(0), r.text(a, 1))
	if code < 0 {
		return code
	}
	return int32(x.kind(node))
}

func jsonGet(r *run, a args) int32 {
	b, x, node, code := r.value(a.i32(0), r.text(a, 1))
	if code < 0 {
		return code
	}
	start, end := int(x.nodes[node].start), int(x.nodes[node].end)
	if x.kind(node) == jsonspan.String {
		return r.decoded(b, start, end)
	}
	return r.add(b.view(start, end))
}

// decoded makes a handle of the text of a string literal.
func (r *run) decoded(b *buffer, start, end int) int32 {
	text, err := jsonspan.Unquote(b.data[start:end])
	if err != nil {
		return r.refuse(abi.CodeBadArg, "string at byte %d: %v", start, err)
	}
	d := buffer{data: text}
	if len(text) != end-start-2 { // not a part of the buffer itself
		d.owned = len(text)
	}
	if at, ok := r.exact(b); ok {
		d.origin, d.literal, d.whole = inDecoded, [2]int{at + start, at + end}, text
	}
	return r.add(d)
}

func jsonText(r *run, a args) int32 {
	b := r.buf(a.i32(0))
	if b == nil {
		return badArg
	}
	start, end := a.i32(1), a.i32(2)
	if start < 0 || start > end || int(end) > len(b.data) {
		return r.refuse(abi.CodeBadArg, "span %d to %d of %d bytes", start, end, len(b.data))
	}
	if err := jsonspan.ValidUTF8(b.data[start:end]); err != nil {
		return r.refuse(abi.CodeBadArg, "string at byte %d: %v", start, err)
	}
	return r.decoded(b, int(start), int(end))
}

func jsonSpan(r *run, a args) int32 {
	out := r.memory(a.u32(3), 8)
	_, x, node, code := r.value(a.i32(0), r.text(a, 1))
	if code < 0 {
		return code
	}
	binary.LittleEndian.PutUint32(out, x.nodes[node].start)
	binary.LittleEndian.PutUint32(out[4:], x.nodes[node].end)
	return int32(x.kind(node))
}

func jsonEach(r *run, a args) int32 {
	out := r.text(a, 4)
	_, x, node, code := r.value(a.i32(0), r.text(a, 1))
	if code < 0 {
		return code
	}
	if k := x.kind(node); k != jsonspan.Array && k != jsonspan.Object {
		return r.refuse(abi.CodeBadArg, "a %v has no children", k)
	}
	if a.i32(3) < 0 {
		return r.refuse(abi.CodeBadArg, "position %d", a.i32(3))
	}
	pos := a.u32(3)
	for ; len(out) >= abi.ChildRecordSize; pos++ {
		child, ok := x.at(node, pos)
		if !ok {
			break
		}
		keyStart, keyEnd := x.keySpan(child)
		binary.LittleEndian.PutUint32(out, keyStart)
		binary.LittleEndian.PutUint32(out[4:], keyEnd)
		binary.LittleEndian.PutUint32(out[8:], x.nodes[child].start)
		binary.LittleEndian.PutUint32(out[12:], x.nodes[child].end)
		out = out[abi.ChildRecordSize:]
	}
	return x.count(node)
}

// number gives the text of a number, a bool as 0 or 1.
func (r *run) number(a args) (text string, code int32) {
	_, x, node, code := r.value(a.i32(0), r.text(a, 1))
	if code < 0 {
		return "", code
	}
	switch v := string(x.value(node)); x.kind(node) {
	case jsonspan.Number:
		return v, 0
	case jsonspan.Bool:
		if v == "true" {
			return "1", 0
		}
		return "0", 0
	default:
		return "", r.refuse(abi.CodeBadArg, "a %v is no number", x.kind(node))
	}
}

func jsonI64(r *run, a args) int32 {
	out := r.memory(a.u32(3), 8)
	text, code := r.number(a)
	if code < 0 {
		return code
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return r.refuse(abi.CodeBadArg, "%.40s is no integer of 64 bits", text)
	}
	binary.LittleEndian.PutUint64(out, uint64(v))
	return 0
}

func jsonF64(r *run, a args) int32 {
	out := r.memory(a.u32(3), 8)
	text, code := r.number(a)
	if code < 0 {
		return code
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return r.refuse(abi.CodeBadArg, "%.40s is no number of 64 bits", text)
	}
	binary.LittleEndian.PutUint64(out, math.Float64bits(v))
	return 0
}
