package imports

import (
	"bytes"
	"encoding/json"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/jsonindex"
)

// origin is the relation of a buffer to the original.
type origin int8

const (
	noOrigin   origin = iota
	inInput           // at base in buffer 0, which may equal the original
	inOriginal        // at base in buffer 1
	inDecoded         // at base in a decoded string of the original
)

// buffer is one host buffer. Its bytes never change, except those of the section
// records.
type buffer struct {
	data    []byte
	origin  origin
	base    int
	literal [2]int // inDecoded: the string's literal in the original
	decoded []byte // inDecoded: the complete decoded string
	owned   int    // bytes that exist because of this handle
	put     int    // the part of owned that counts as buf_put

	index    *jsonindex.Index // created by the first JSON function
	indexErr error            // why there is no index
}

// view returns a part of b, with the same origin.
func (b *buffer) view(start, end int) buffer {
	return buffer{data: b.data[start:end:end], origin: b.origin, base: b.base + start, literal: b.literal, decoded: b.decoded}
}

func (b *buffer) dropIndexUnless(kept *buffer) {
	if b != kept {
		b.index = nil
	}
}

// ownedBuffer returns a buffer of bytes that exist only for the guest.
func ownedBuffer(data []byte) buffer { return buffer{data: data, owned: len(data)} }

// Limits on the bytes that handles of one call make the host keep, beside those of the
// ABI and jsonindex.MaxValues.
const (
	ownedFactor = 4        // times input and original
	ownedExtra  = 64 << 20 // in addition
)

// buffers are the buffers of one call: 0 to 15 by number, then handles.
type buffers struct {
	*refusals
	request *abi.Call
	hook    *hook // nil: a stage or filter

	readsArguments bool // the role may read the arguments of the call

	fixed       [abi.FirstHandle]buffer
	ready       [abi.FirstHandle]bool
	handles     map[int32]*buffer
	created     int32 // handles so far; numbers are not reused
	owned       int
	ownedLimit  int
	put         int
	values      int // of all JSON indexes
	isOriginal  int8
	readSession bool // the guest has read the session
}

func (s *buffers) init(r *refusals, request *abi.Call, h *hook) {
	s.refusals, s.request, s.hook = r, request, h
	s.ownedLimit = ownedExtra + ownedFactor*(len(request.Input)+len(request.Original))
}

// handle returns a handle, or nil after recording the refusal.
func (s *buffers) handle(id int32) *buffer {
	if b := s.handles[id]; b != nil {
		return b
	}
	s.refuse(abi.CodeBadArg, "buffer %d does not exist", id)
	return nil
}

// load creates a buffer of the call when it is first used.
func (s *buffers) load(id int32) *buffer {
	b := &s.fixed[id]
	if s.ready[id] {
		return b
	}
	s.ready[id] = true
	switch id {
	case abi.BufInput:
		*b = buffer{data: s.request.Input, origin: inInput}
	case abi.BufOriginal:
		*b = buffer{data: s.request.Original, origin: inOriginal}
	case abi.BufConfig:
		b.data = s.request.Config
	case abi.BufContext:
		if s.hook != nil {
			b.data = EncodeJSON(s.hook.context(s.request.Context))
		} else {
			b.data = EncodeJSON(s.request.Context)
		}
	case abi.BufName:
		b.data = []byte(s.request.Context.Source)
	case abi.BufSession:
		b.data = []byte(s.request.Session)
		s.readSession = true
	case abi.BufArguments:
		if s.readsArguments {
			b.data = s.request.Arguments
		}
	case abi.BufCall:
		if s.hook != nil {
			b.data = s.hook.Client
		}
	}
	return b
}

// EncodeJSON encodes a context for a guest.
func EncodeJSON(v any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil { // cannot happen: strings, numbers and lists only
		return nil
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

// exactOffset returns the offset of a buffer in the original, if it is part of it.
func (s *buffers) exactOffset(b *buffer) (offset int, ok bool) {
	switch b.origin {
	case inOriginal:
		return b.base, true
	case inInput:
		return b.base, s.inputIsOriginal()
	}
	return 0, false
}

// inputIsOriginal reports whether buffers 0 and 1 are equal.
func (s *buffers) inputIsOriginal() bool {
	if s.isOriginal == 0 {
		s.isOriginal = -1
		if bytes.Equal(s.request.Input, s.request.Original) {
			s.isOriginal = 1
		}
	}
	return s.isOriginal > 0
}

// add creates a handle of b, or refuses with LIMIT.
func (s *buffers) add(b buffer) int32 {
	switch {
	case len(s.handles) >= abi.LimitHandles:
		return s.refuse(abi.CodeLimit, "%d handles alive, limit %d: free some", len(s.handles), abi.LimitHandles)
	case s.put+b.put > abi.LimitPutBytes:
		return s.refuse(abi.CodeLimit, "%s bytes in buf_put, limit %s", fault.Group(s.put+b.put), fault.Group(abi.LimitPutBytes))
	case s.owned+b.owned > s.ownedLimit:
		return s.refuse(abi.CodeLimit, "%s bytes kept for handles, limit %s", fault.Group(s.owned+b.owned), fault.Group(s.ownedLimit))
	}
	if s.handles == nil {
		s.handles = make(map[int32]*buffer)
	}
	id := abi.FirstHandle + s.created
	s.created++
	s.owned += b.owned
	s.put += b.put
	s.handles[id] = &b
	return id
}

// addOwned creates a handle of bytes that exist only for the guest.
func (s *buffers) addOwned(data []byte) int32 { return s.add(ownedBuffer(data)) }

func (s *buffers) free(id int32, b *buffer) {
	delete(s.handles, id)
	s.owned -= b.owned
	s.put -= b.put
	if b.index != nil {
		s.values -= b.index.Len()
	}
}

// jsonIndex returns the index of a buffer, creating it if needed. If all indexes
// together are too large, the others are dropped; they are created again when needed.
func (s *buffers) jsonIndex(b *buffer) (*jsonindex.Index, error) {
	if b.index == nil && b.indexErr == nil {
		b.index, b.indexErr = jsonindex.New(b.data)
		if b.indexErr != nil {
			b.index = nil
			return nil, b.indexErr
		}
		s.values += b.index.Len()
		if s.values > jsonindex.MaxValues {
			s.dropIndexesExcept(b)
		}
	}
	return b.index, b.indexErr
}

func (s *buffers) dropIndexesExcept(kept *buffer) {
	for i := range s.fixed {
		s.fixed[i].dropIndexUnless(kept)
	}
	for _, b := range s.handles {
		b.dropIndexUnless(kept)
	}
	s.values = kept.index.Len()
}
