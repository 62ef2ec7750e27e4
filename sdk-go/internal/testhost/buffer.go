package testhost

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"regexp"
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Buffer has bytes that a guest can name.
type Buffer struct {
	Bytes  []byte
	From   Source
	nodes  []node // set by the first json import
	badAt  error
	parsed bool
}

// Buffers answers the imports that read and create buffers, in one call.
type Buffers struct {
	Records func() []byte // buffer 5; nil means empty
	Private bool          // the call read the session

	buffers  map[int32]*Buffer
	next     int32 // handle
	alive    int   // handles
	putBytes int
	lastErr  string
}

// Source determines the kind of a Section of a buffer.
type Source struct {
	Kind    stage.SectionKind // exact, decoded or derived
	Off     int               // offset of the buffer in the original, the input or the decoded string
	Input   bool              // the input, or a view of it
	Literal stage.Span        // decoded only
}

// Own is the source of text of the guest or the host.
var Own = Source{Kind: stage.Derived}

// Text returns a buffer of text of the guest or the host.
func Text(b []byte) *Buffer { return &Buffer{Bytes: b, From: Own} }

// buf returns a buffer. Missing buffers below the first handle are empty.
func (h *Buffers) buf(id int32) (*Buffer, int32) {
	switch id {
	case raw.BufSession:
		h.Private = true
	case raw.BufSections:
		if h.Records != nil {
			return Text(h.Records()), 0
		}
	}
	if b, ok := h.buffers[id]; ok {
		return b, 0
	}
	if id >= 0 && id < raw.FirstHandle {
		return Text(nil), 0
	}
	return nil, h.Bad("no buffer " + strconv.Itoa(int(id)))
}

// Span returns bytes of a buffer; a length of -1 means to the end.
func (h *Buffers) Span(id, off, n int32) ([]byte, *Buffer, int32) {
	b, code := h.buf(id)
	if code < 0 {
		return nil, nil, code
	}
	length := len(b.Bytes)
	if n == -1 && off >= 0 && int(off) <= length {
		n = int32(length) - off
	}
	if off < 0 || n < 0 || int(off)+int(n) > length {
		return nil, nil, h.Bad("span " + strconv.Itoa(int(off)) + ", length " + strconv.Itoa(int(n)) + " of a buffer of " + strconv.Itoa(length))
	}
	return b.Bytes[off : off+n], b, 0
}

// Bad refuses an argument.
func (h *Buffers) Bad(why string) int32 { return h.Refuse(raw.CodeBadArg, why) }

// Refuse returns the code and stores why for last_error.
func (h *Buffers) Refuse(code int32, why string) int32 {
	h.lastErr = why
	return code
}

// Why returns the sentence of the latest refusal.
func (h *Buffers) Why() string { return h.lastErr }

// Handle adds a buffer and returns its handle.
func (h *Buffers) Handle(b *Buffer) int32 {
	if h.alive == raw.LimitHandles {
		return h.Refuse(raw.CodeLimit, "more than 1,024 handles alive")
	}
	id := h.next
	h.next++
	h.alive++
	h.buffers[id] = b
	return id
}

func (h *Buffers) BufLen(buf int32) int32 {
	b, code := h.buf(buf)
	if code < 0 {
		return code
	}
	return int32(len(b.Bytes))
}

func (h *Buffers) BufRead(buf, off int32, out []byte) int32 {
	p, _, code := h.Span(buf, off, -1)
	if code < 0 {
		return code
	}
	return int32(copy(out, p))
}

func (h *Buffers) BufFind(buf, off int32, needle string) int32 {
	p, _, code := h.Span(buf, off, -1)
	if code < 0 {
		return code
	}
	if needle == "" || len(needle) > raw.LimitNeedleBytes {
		return h.Bad("needle of " + strconv.Itoa(len(needle)) + " bytes, want 1 to 4,096")
	}
	at := bytes.Index(p, []byte(needle))
	if at < 0 {
		return h.Refuse(raw.CodeNotFound, "needle not found")
	}
	return off + int32(at)
}

func (h *Buffers) BufLines(buf, off int32, out []byte) int32 {
	p, _, code := h.Span(buf, off, -1)
	if code < 0 {
		return code
	}
	count := int32(0)
	for at := 0; at < len(p) && len(out) >= raw.LineRecordSize; count++ {
		binary.LittleEndian.PutUint32(out, uint32(int(off)+at))
		out = out[raw.LineRecordSize:]
		end := bytes.IndexByte(p[at:], '\n')
		if end < 0 {
			end = len(p)
		}
		at += end + 1
	}
	return count
}

func (h *Buffers) BufGrep(buf, off int32, pattern string, flags int32, out []byte) int32 {
	p, _, code := h.Span(buf, off, -1)
	if code < 0 {
		return code
	}
	re, err := compile(pattern, flags)
	if err != nil {
		return h.Bad(err.Error())
	}
	most := len(out) / raw.MatchRecordSize
	matches := re.FindAllIndex(p, most)
	if most == 0 {
		return 0
	}
	for i, m := range matches {
		binary.LittleEndian.PutUint32(out[8*i:], uint32(int(off)+m[0]))
		binary.LittleEndian.PutUint32(out[8*i+4:], uint32(int(off)+m[1]))
	}
	return int32(len(matches))
}

func compile(pattern string, flags int32) (*regexp.Regexp, error) {
	if len(pattern) > raw.LimitPatternBytes || flags < 0 || flags > 15 {
		return nil, stage.Fail("pattern of %d bytes with flags %d, want up to 4,096 and 0 to 15", len(pattern), flags)
	}
	if flags&raw.GrepLiteral != 0 {
		pattern = regexp.QuoteMeta(pattern)
	}
	mode := ""
	if flags&raw.GrepIgnoreCase != 0 {
		mode += "i"
	}
	if flags&raw.GrepLines != 0 {
		mode += "m"
	}
	if flags&raw.GrepDotAll != 0 {
		mode += "s"
	}
	if mode != "" {
		pattern = "(?" + mode + ")" + pattern
	}
	return regexp.Compile(pattern)
}

func (h *Buffers) BufHash(buf, off, n int32, out []byte) int32 {
	p, _, code := h.Span(buf, off, n)
	if code < 0 {
		return code
	}
	sum := sha256.Sum256(p)
	return int32(copy(out, sum[:]))
}

func (h *Buffers) BufTokens(buf, off, n int32) int32 {
	p, _, code := h.Span(buf, off, n)
	if code < 0 {
		return code
	}
	return int32(EstimateTokens(p))
}

func (h *Buffers) BufPut(data string) int32 {
	if h.putBytes+len(data) > raw.LimitPutBytes {
		return h.Refuse(raw.CodeLimit, "more than 16 MiB in buf_put")
	}
	id := h.Handle(Text([]byte(data)))
	if id >= 0 {
		h.putBytes += len(data)
	}
	return id
}

func (h *Buffers) BufView(buf, off, n int32) int32 {
	p, b, code := h.Span(buf, off, n)
	if code < 0 {
		return code
	}
	return h.Handle(b.view(int(off), int(off)+len(p)))
}

// view returns a span of b as a buffer with the same source.
func (b *Buffer) view(start, end int) *Buffer {
	v := &Buffer{Bytes: b.Bytes[start:end], From: b.From}
	v.From.Off += start
	return v
}

func (h *Buffers) BufFree(buf int32) int32 {
	if _, ok := h.buffers[buf]; !ok || buf < raw.FirstHandle {
		return h.Bad("no handle " + strconv.Itoa(int(buf)))
	}
	delete(h.buffers, buf)
	h.alive--
	return 0
}

func (h *Buffers) LastError() int32 {
	if h.lastErr == "" {
		return raw.CodeNotFound
	}
	return h.Handle(Text([]byte(h.lastErr)))
}
