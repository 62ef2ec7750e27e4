package testhost

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// value returns the value at a pointer of a buffer.
func (h *Buffers) value(buf int32, pointer string) (*Buffer, node, int32) {
	b, at, code := h.valueAt(buf, pointer)
	if code < 0 {
		return nil, node{}, code
	}
	return b, b.nodes[at], 0
}

func (h *Buffers) valueAt(buf int32, pointer string) (*Buffer, int, int32) {
	b, code := h.buf(buf)
	if code < 0 {
		return nil, 0, code
	}
	if !b.parsed {
		b.nodes, b.badAt = parse(b.Bytes)
		b.parsed = true
	}
	if b.badAt != nil {
		return nil, 0, h.Bad(b.badAt.Error())
	}
	if pointer != "" && pointer[0] != '/' {
		return nil, 0, h.Bad("JSON pointer does not begin with /")
	}
	at, ok := lookup(b.Bytes, b.nodes, pointer)
	if !ok {
		return nil, 0, h.Refuse(raw.CodeNotFound, "nothing at "+pointer)
	}
	return b, at, 0
}

func (h *Buffers) JSONKind(buf int32, pointer string) int32 {
	_, n, code := h.value(buf, pointer)
	if code < 0 {
		return code
	}
	return n.kind
}

func (h *Buffers) JSONGet(buf int32, pointer string) int32 {
	b, n, code := h.value(buf, pointer)
	if code < 0 {
		return code
	}
	if n.kind == raw.JSONString {
		return h.decoded(b, n.start, n.end)
	}
	return h.Handle(b.view(n.start, n.end))
}

// decoded adds a buffer of the decoded string literal at a span of b.
func (h *Buffers) decoded(b *Buffer, start, end int) int32 {
	from := Own
	if b.From.Kind == stage.Exact {
		from = Source{Kind: stage.Decoded, Literal: stage.Span{Start: b.From.Off + start, End: b.From.Off + end}}
	}
	if hasLoneSurrogate(b.Bytes[start:end]) {
		return h.Bad("string at " + strconv.Itoa(start) + " holds a lone surrogate")
	}
	return h.Handle(&Buffer{Bytes: []byte(Unquote(b.Bytes[start:end])), From: from})
}

func (h *Buffers) JSONSpan(buf int32, pointer string, out []byte) int32 {
	_, n, code := h.value(buf, pointer)
	if code < 0 {
		return code
	}
	binary.LittleEndian.PutUint32(out, uint32(n.start))
	binary.LittleEndian.PutUint32(out[4:], uint32(n.end))
	return n.kind
}

func (h *Buffers) JSONText(buf, start, end int32) int32 {
	p, b, code := h.Span(buf, start, end-start)
	if code < 0 {
		return code
	}
	s := scanner{b: p}
	if s.text() != nil || s.at != len(p) {
		return h.Bad("no string literal at " + strconv.Itoa(int(start)) + " to " + strconv.Itoa(int(end)))
	}
	return h.decoded(b, int(start), int(end))
}

func (h *Buffers) JSONEach(buf int32, pointer string, from int32, out []byte) int32 {
	b, of, code := h.valueAt(buf, pointer)
	if code < 0 {
		return code
	}
	n := b.nodes[of]
	if n.kind < raw.JSONArray || from < 0 {
		return h.Bad("no array or object, or position " + strconv.Itoa(int(from)))
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

func (h *Buffers) JSONI64(buf int32, pointer string, out []byte) int32 {
	text, code := h.scalar(buf, pointer)
	if code < 0 {
		return code
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return h.Bad(text + " is no integer of 64 bits")
	}
	binary.LittleEndian.PutUint64(out, uint64(v))
	return 0
}

func (h *Buffers) JSONF64(buf int32, pointer string, out []byte) int32 {
	text, code := h.scalar(buf, pointer)
	if code < 0 {
		return code
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return h.Bad(text + " is no number in range")
	}
	binary.LittleEndian.PutUint64(out, math.Float64bits(v))
	return 0
}

// scalar returns the text of a number, or "0" or "1" for a bool.
func (h *Buffers) scalar(buf int32, pointer string) (string, int32) {
	b, n, code := h.value(buf, pointer)
	if code < 0 {
		return "", code
	}
	text := string(b.Bytes[n.start:n.end])
	switch {
	case text == "true":
		return "1", 0
	case text == "false":
		return "0", 0
	case n.kind != raw.JSONNumber:
		return "", h.Bad(pointer + " is no number")
	}
	return text, 0
}
