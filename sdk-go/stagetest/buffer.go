package stagetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"regexp"
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// buffer is bytes that a guest can name.
type buffer struct {
	bytes  []byte
	from   source
	nodes  []node // once a json function has asked
	badAt  error
	parsed bool
}

// source says what a Section of a buffer is.
type source struct {
	kind    stage.SectionKind // exact, decoded or derived
	off     int               // where the buffer begins in the original, the input or the decoded string
	input   bool              // the input, or a view of it
	literal stage.Span        // decoded only
}

var own = source{kind: stage.Derived}

// buf gives a buffer; buffers below the first handle that are not there are
// empty.
func (h *host) buf(id int32) (*buffer, int32) {
	switch id {
	case raw.BufSession:
		h.private = true
	case raw.BufSections:
		return &buffer{bytes: h.tree.records(), from: own}, 0
	}
	if b, ok := h.buffers[id]; ok {
		return b, 0
	}
	if id >= 0 && id < raw.FirstHandle {
		return &buffer{from: own}, 0
	}
	return nil, h.bad("no buffer " + strconv.Itoa(int(id)))
}

// span gives bytes of a buffer; a length of -1 means to the end.
func (h *host) span(id, off, n int32) ([]byte, *buffer, int32) {
	b, code := h.buf(id)
	if code < 0 {
		return nil, nil, code
	}
	length := len(b.bytes)
	if n == -1 && off >= 0 && int(off) <= length {
		n = int32(length) - off
	}
	if off < 0 || n < 0 || int(off)+int(n) > length {
		return nil, nil, h.bad("span " + strconv.Itoa(int(off)) + ", length " + strconv.Itoa(int(n)) + " of a buffer of " + strconv.Itoa(length))
	}
	return b.bytes[off : off+n], b, 0
}

// bad refuses an argument.
func (h *host) bad(why string) int32 { return h.refuse(raw.CodeBadArg, why) }

func (h *host) refuse(code int32, why string) int32 {
	h.lastErr = why
	return code
}

// handle makes a new buffer.
func (h *host) handle(b *buffer) int32 {
	if h.alive == raw.LimitHandles {
		return h.refuse(raw.CodeLimit, "more than 1,024 handles alive")
	}
	id := h.next
	h.next++
	h.alive++
	h.buffers[id] = b
	return id
}

func (h *host) BufLen(buf int32) int32 {
	if buf == raw.BufSections {
		return int32(len(h.tree.sections) * raw.SectionRecordSize)
	}
	b, code := h.buf(buf)
	if code < 0 {
		return code
	}
	return int32(len(b.bytes))
}

func (h *host) BufRead(buf, off int32, out []byte) int32 {
	p, _, code := h.span(buf, off, -1)
	if code < 0 {
		return code
	}
	return int32(copy(out, p))
}

func (h *host) BufFind(buf, off int32, needle string) int32 {
	p, _, code := h.span(buf, off, -1)
	if code < 0 {
		return code
	}
	if needle == "" || len(needle) > raw.LimitNeedleBytes {
		return h.bad("needle of " + strconv.Itoa(len(needle)) + " bytes, want 1 to 4,096")
	}
	at := bytes.Index(p, []byte(needle))
	if at < 0 {
		return h.refuse(raw.CodeNotFound, "needle not found")
	}
	return off + int32(at)
}

func (h *host) BufLines(buf, off int32, out []byte) int32 {
	p, _, code := h.span(buf, off, -1)
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

func (h *host) BufGrep(buf, off int32, pattern string, flags int32, out []byte) int32 {
	p, _, code := h.span(buf, off, -1)
	if code < 0 {
		return code
	}
	re, err := compile(pattern, flags)
	if err != nil {
		return h.bad(err.Error())
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

func (h *host) BufHash(buf, off, n int32, out []byte) int32 {
	p, _, code := h.span(buf, off, n)
	if code < 0 {
		return code
	}
	sum := sha256.Sum256(p)
	return int32(copy(out, sum[:]))
}

func (h *host) BufTokens(buf, off, n int32) int32 {
	p, _, code := h.span(buf, off, n)
	if code < 0 {
		return code
	}
	return int32(estimateTokens(p))
}

func (h *host) BufPut(data string) int32 {
	if h.putBytes+len(data) > raw.LimitPutBytes {
		return h.refuse(raw.CodeLimit, "more than 16 MiB in buf_put")
	}
	id := h.handle(&buffer{bytes: []byte(data), from: own})
	if id >= 0 {
		h.putBytes += len(data)
	}
	return id
}

func (h *host) BufView(buf, off, n int32) int32 {
	p, b, code := h.span(buf, off, n)
	if code < 0 {
		return code
	}
	return h.handle(b.view(int(off), int(off)+len(p)))
}

// view is a span of b as a buffer; what b is a span of, it is as well.
func (b *buffer) view(start, end int) *buffer {
	v := &buffer{bytes: b.bytes[start:end], from: b.from}
	v.from.off += start
	return v
}

func (h *host) BufFree(buf int32) int32 {
	if _, ok := h.buffers[buf]; !ok || buf < raw.FirstHandle {
		return h.bad("no handle " + strconv.Itoa(int(buf)))
	}
	delete(h.buffers, buf)
	h.alive--
	return 0
}

func (h *host) LastError() int32 {
	if h.lastErr == "" {
		return raw.CodeNotFound
	}
	return h.handle(&buffer{bytes: []byte(h.lastErr), from: own})
}
