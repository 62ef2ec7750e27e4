package wasm

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// badArg is the code whose sentence was kept by what found the fault.
const badArg = int32(abi.CodeBadArg)

var bufFuncs = map[string]importFunc{
	abi.FuncBufLen: func(r *run, a args) int32 {
		b := r.buf(a.i32(0))
		if b == nil {
			return badArg
		}
		return int32(len(b.data))
	},
	abi.FuncBufRead:   bufRead,
	abi.FuncBufFind:   bufFind,
	abi.FuncBufLines:  bufLines,
	abi.FuncBufGrep:   bufGrep,
	abi.FuncBufHash:   bufHash,
	abi.FuncBufTokens: bufTokens,
	abi.FuncBufPut:    bufPut,
	abi.FuncBufView:   bufView,
	abi.FuncBufFree:   bufFree,
}

// tail gives the bytes of a buffer from an offset on.
func (r *run) tail(id, off int32) ([]byte, bool) { return r.part(id, off, -1) }

// part gives a span of a buffer by offset and length.
func (r *run) part(id, off, n int32) ([]byte, bool) {
	b, start, end, ok := r.span(id, off, n)
	if !ok {
		return nil, false
	}
	return b.data[start:end], true
}

func bufRead(r *run, a args) int32 {
	out := r.text(a, 2)
	data, ok := r.tail(a.i32(0), a.i32(1))
	if !ok {
		return badArg
	}
	return int32(copy(out, data))
}

func bufFind(r *run, a args) int32 {
	needle := r.text(a, 2)
	data, ok := r.tail(a.i32(0), a.i32(1))
	if !ok {
		return badArg
	}
	if len(needle) == 0 || len(needle) > abi.LimitNeedleBytes {
		return r.refuse(abi.CodeBadArg, "needle of %d bytes, want 1 to %d", len(needle), abi.LimitNeedleBytes)
	}
	at := index(data, needle)
	if at < 0 {
		return r.notFound()
	}
	return a.i32(1) + int32(at)
}

func bufLines(r *run, a args) int32 {
	out := r.text(a, 2)
	data, ok := r.tail(a.i32(0), a.i32(1))
	if !ok {
		return badArg
	}
	n, at := 0, 0
	for at < len(data) && len(out) >= abi.LineRecordSize {
		binary.LittleEndian.PutUint32(out, a.u32(1)+uint32(at))
		out = out[abi.LineRecordSize:]
		n++
		next := bytes.IndexByte(data[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return int32(n)
}

func bufHash(r *run, a args) int32 {
	out := r.memory(a.u32(3), abi.HashSize)
	data, ok := r.part(a.i32(0), a.i32(1), a.i32(2))
	if !ok {
		return badArg
	}
	sum := sha256.Sum256(data)
	return int32(copy(out, sum[:]))
}

func bufTokens(r *run, a args) int32 {
	data, ok := r.part(a.i32(0), a.i32(1), a.i32(2))
	if !ok {
		return badArg
	}
	return int32(abi.EstimateTokens(data))
}

func bufPut(r *run, a args) int32 {
	b := r.text(a, 0)
	if r.bufs.put+len(b) > abi.LimitPutBytes { // before copying
		return r.refuse(abi.CodeLimit, "%s bytes in buf_put, limit %s", fault.Group(r.bufs.put+len(b)), fault.Group(abi.LimitPutBytes))
	}
	return r.add(buffer{data: bytes.Clone(b), owned: len(b), put: len(b)})
}

func bufView(r *run, a args) int32 {
	b, start, end, ok := r.span(a.i32(0), a.i32(1), a.i32(2))
	if !ok {
		return badArg
	}
	return r.add(b.view(start, end))
}

func bufFree(r *run, a args) int32 {
	id := a.i32(0)
	if id < abi.FirstHandle {
		return r.refuse(abi.CodeBadArg, "buffer %d cannot be freed", id)
	}
	if r.buf(id) == nil {
		return badArg
	}
	r.free(id)
	return 0
}
