package wasm

import (
	"bytes"
	"encoding/json"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// origin says where the bytes of a buffer stand in the original, if they do.
type origin int8

const (
	elsewhere  origin = iota
	inInput           // at base in buffer 0, which may equal the original
	inOriginal        // at base in buffer 1
	inDecoded         // at base in a decoded string of the original
)

// buffer is one host buffer. Its bytes never change, those of the section
// records apart.
type buffer struct {
	data    []byte
	origin  origin
	base    int
	literal [2]int // inDecoded: the string's literal in the original
	whole   []byte // inDecoded: all of the decoded string
	owned   int    // bytes that exist because of this handle
	put     int    // of them, those that count as buf_put

	index *jsonIndex // made at the first json function
	json  error      // why there is none
}

// view is a part of b, with the same origin.
func (b *buffer) view(off, end int) buffer {
	return buffer{data: b.data[off:end:end], origin: b.origin, base: b.base + off, literal: b.literal, whole: b.whole}
}

// Limits of what handles of one run make the host keep, beside those of the ABI
// and indexNodes.
const (
	ownedFactor = 4        // times input and original
	ownedExtra  = 64 << 20 // on top
)

// buffers are those of one run: 0 to 15 by number, then the handles.
type buffers struct {
	fixed   [abi.FirstHandle]buffer
	ready   [abi.FirstHandle]bool
	handles map[int32]*buffer
	made    int32
	owned   int
	most    int // of owned
	put     int
	nodes   int // of all JSON indexes
	same    int8
}

func (b *buffers) init(r *run) {
	b.most = ownedExtra + ownedFactor*(len(r.call.Input)+len(r.call.Original))
}

// buf gives a buffer, or nil with the reason kept for last_error.
func (r *run) buf(id int32) *buffer {
	switch {
	case id >= 0 && id < abi.FirstHandle:
		return r.fixedBuf(int(id))
	case r.bufs.handles[id] != nil:
		return r.bufs.handles[id]
	}
	r.refuse(abi.CodeBadArg, "buffer %d does not exist", id)
	return nil
}

// fixedBuf makes a buffer of the call at its first use: unread ones cost nothing.
func (r *run) fixedBuf(id int) *buffer {
	b := &r.bufs.fixed[id]
	if id == abi.BufSections {
		b.data = r.tree.records(r)
		return b
	}
	if r.bufs.ready[id] {
		return b
	}
	r.bufs.ready[id] = true
	switch id {
	case abi.BufInput:
		*b = buffer{data: r.call.Input, origin: inInput}
	case abi.BufOriginal:
		*b = buffer{data: r.call.Original, origin: inOriginal}
	case abi.BufConfig:
		b.data = r.call.Config
	case abi.BufContext:
		if r.hook != nil {
			b.data = r.hook.contextJSON(r.call.Context)
		} else {
			b.data = contextJSON(r.call.Context)
		}
	case abi.BufName:
		b.data = []byte(r.call.Context.Source)
	case abi.BufSession:
		b.data = []byte(r.call.Session)
		r.private = true
	case abi.BufCall:
		if r.hook != nil {
			b.data = r.hook.Client
		}
	}
	return b
}

func contextJSON(context any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(context) != nil { // strings, numbers and lists of them only
		return nil
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

// sameAsOriginal reports whether buffer 0 is byte for byte buffer 1.
func (r *run) sameAsOriginal() bool {
	if r.bufs.same == 0 {
		r.bufs.same = -1
		if bytes.Equal(r.call.Input, r.call.Original) {
			r.bufs.same = 1
		}
	}
	return r.bufs.same > 0
}

// exact says where in the original a buffer starts, if it is a part of it.
func (r *run) exact(b *buffer) (at int, ok bool) {
	switch b.origin {
	case inOriginal:
		return b.base, true
	case inInput:
		return b.base, r.sameAsOriginal()
	}
	return 0, false
}

// add makes a handle of b, or LIMIT. Numbers are not used again.
func (r *run) add(b buffer) int32 {
	s := &r.bufs
	switch {
	case len(s.handles) >= abi.LimitHandles:
		return r.refuse(abi.CodeLimit, "%d handles alive, limit %d: free some", len(s.handles), abi.LimitHandles)
	case s.put+b.put > abi.LimitPutBytes:
		return r.refuse(abi.CodeLimit, "%s bytes in buf_put, limit %s", fault.Group(s.put+b.put), fault.Group(abi.LimitPutBytes))
	case s.owned+b.owned > s.most:
		return r.refuse(abi.CodeLimit, "%s bytes kept for handles, limit %s", fault.Group(s.owned+b.owned), fault.Group(s.most))
	}
	if s.handles == nil {
		s.handles = make(map[int32]*buffer)
	}
	id := abi.FirstHandle + s.made
	s.made++
	s.owned += b.owned
	s.put += b.put
	s.handles[id] = &b
	return id
}

func (r *run) free(id int32) {
	s := &r.bufs
	b := s.handles[id]
	delete(s.handles, id)
	s.owned -= b.owned
	s.put -= b.put
	if b.index != nil {
		s.nodes -= len(b.index.nodes)
	}
}

// span gives a buffer and the span of it that starts at an offset and has a
// length (-1: to the end).
func (r *run) span(id, off, n int32) (b *buffer, start, end int, ok bool) {
	if b = r.buf(id); b == nil {
		return nil, 0, 0, false
	}
	size := len(b.data)
	start, end = int(off), int(off)+int(n)
	if n == -1 {
		end = size
	}
	if off < 0 || n < -1 || start > size || end > size {
		r.refuse(abi.CodeBadArg, "span %d,%d of %d bytes", off, n, size)
		return nil, 0, 0, false
	}
	return b, start, end, true
}
