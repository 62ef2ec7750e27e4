package stagetest

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// value finds what a pointer of a buffer leads to.
func (h *host) value(buf int32, pointer string) (*buffer, node, int32) {
	b, at, code := h.valueAt(buf, pointer)
	if code < 0 {
		return nil, node{}, code
	}
	return b, b.nodes[at], 0
}

func (h *host) valueAt(buf int32, pointer string) (*buffer, int, int32) {
	b, code := h.buf(buf)
	if code < 0 {
		return nil, 0, code
	}
	if !b.parsed {
		b.nodes, b.badAt = parse(b.bytes)
		b.parsed = true
	}
	if b.badAt != nil {
		return nil, 0, h.bad(b.badAt.Error())
	}
	if pointer != "" && pointer[0] != '/' {
		return nil, 0, h.bad("JSON pointer does not begin with /")
	}
	at, ok := lookup(b.bytes, b.nodes, pointer)
	if !ok {
		return nil, 0, h.refuse(raw.CodeNotFound, "nothing at "+pointer)
	}
	return b, at, 0
}

func (h *host) JSONKind(buf int32, pointer string) int32 {
	_, n, code := h.value(buf, pointer)
	if code < 0 {
		return code
	}
	return n.kind
}

func (h *host) JSONGet(buf int32, pointer string) int32 {
	b, n, code := h.value(buf, pointer)
	if code < 0 {
		return code
	}
	if n.kind == raw.JSONString {
		return h.decoded(b, n.start, n.end)
	}
	return h.handle(b.view(n.start, n.end))
}

// decoded makes a buffer of the string literal at a span of b.
func (h *host) decoded(b *buffer, start, end int) int32 {
	from := own
	if b.from.kind == stage.Exact {
		from = source{kind: stage.Decoded, literal: stage.Span{Start: b.from.off + start, End: b.from.off + end}}
	}
	if loneSurrogate(b.bytes[start:end]) {
		return h.bad("string at " + strconv.Itoa(start) + " holds a lone surrogate")
	}
	return h.handle(&buffer{bytes: []byte(unquote(b.bytes[start:end])), from: from})
}

func (h *host) JSONSpan(buf int32, pointer string, out []byte) int32 {
	_, n, code := h.value(buf, pointer)
	if code < 0 {
		return code
	}
	binary.LittleEndian.PutUint32(out, uint32(n.start))
	binary.LittleEndian.PutUint32(out[4:], uint32(n.end))
	return n.kind
}

func (h *host) JSONText(buf, start, end int32) int32 {
	p, b, code := h.span(buf, start, end-start)
	if code < 0 {
		return code
	}
	s := scanner{b: p}
	if s.text() != nil || s.at != len(p) {
		return h.bad("no string literal at " + strconv.Itoa(int(start)) + " to " + strconv.Itoa(int(end)))
	}
	return h.decoded(b, int(start), int(end))
}

func (h *host) JSONEach(buf int32, pointer string, from int32, out []byte) int32 {
	b, of, code := h.valueAt(buf, pointer)
	if code < 0 {
		return code
	}
	n := b.nodes[of]
	if n.kind < raw.JSONArray || from < 0 {
		return h.bad("no array or object, or position " + strconv.Itoa(int(from)))
	}
	i := int32(0)
	for at := of + 1; at < n.next && len(out) >= raw.ChildRecordSize; at = b.nodes[at].next {
		if i++; i <= from {
			continue
		}
		c := b.nodes[at]
		for k, v := range [...]int{c.keyStart, c.keyEnd, c.start, c.end} {
			binary.LittleEndian.PutUint32(out[4*k:], uint32(v))
		}
		out = out[raw.ChildRecordSize:]
	}
	return int32(n.children)
}

func (h *host) JSONI64(buf int32, pointer string, out []byte) int32 {
	text, code := h.scalar(buf, pointer)
	if code < 0 {
		return code
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return h.bad(text + " is no integer of 64 bits")
	}
	binary.LittleEndian.PutUint64(out, uint64(v))
	return 0
}

func (h *host) JSONF64(buf int32, pointer string, out []byte) int32 {
	text, code := h.scalar(buf, pointer)
	if code < 0 {
		return code
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return h.bad(text + " is no number in range")
	}
	binary.LittleEndian.PutUint64(out, math.Float64bits(v))
	return 0
}

// scalar is the text of a number, "0" or "1" of a bool.
func (h *host) scalar(buf int32, pointer string) (string, int32) {
	b, n, code := h.value(buf, pointer)
	if code < 0 {
		return "", code
	}
	text := string(b.bytes[n.start:n.end])
	switch {
	case text == "true":
		return "1", 0
	case text == "false":
		return "0", 0
	case n.kind != raw.JSONNumber:
		return "", h.bad(pointer + " is no number")
	}
	return text, 0
}
