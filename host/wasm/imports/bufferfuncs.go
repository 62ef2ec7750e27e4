package imports

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/search"
)

var bufferFuncs = map[string]run{
	abi.FuncBufLen:    bufLen,
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

func bufLen(c *Call, a Args) int32 {
	b := c.buffer(a.I32(0))
	if b == nil {
		return badArg
	}
	return int32(len(b.data))
}

func bufRead(c *Call, a Args) int32 {
	out := c.text(a, 2)
	data, ok := c.tail(a.I32(0), a.I32(1))
	if !ok {
		return badArg
	}
	return int32(copy(out, data))
}

func bufFind(c *Call, a Args) int32 {
	needle := c.text(a, 2)
	data, ok := c.tail(a.I32(0), a.I32(1))
	if !ok {
		return badArg
	}
	if len(needle) == 0 || len(needle) > abi.LimitNeedleBytes {
		return c.refuse(abi.CodeBadArg, "needle of %d bytes, want 1 to %d", len(needle), abi.LimitNeedleBytes)
	}
	at := search.Index(data, needle)
	if at < 0 {
		return c.refuseNotFound()
	}
	return a.I32(1) + int32(at)
}

func bufLines(c *Call, a Args) int32 {
	out := c.text(a, 2)
	data, ok := c.tail(a.I32(0), a.I32(1))
	if !ok {
		return badArg
	}
	n, at := 0, 0
	for at < len(data) && len(out) >= abi.LineRecordSize {
		binary.LittleEndian.PutUint32(out, a.U32(1)+uint32(at))
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

func bufGrep(c *Call, a Args) int32 {
	pattern, out := c.text(a, 2), c.text(a, 5)
	data, ok := c.tail(a.I32(0), a.I32(1))
	if !ok {
		return badArg
	}
	p, err := c.config.Patterns.Compile(pattern, a.I32(4))
	if err != nil {
		return c.refuse(abi.CodeBadArg, "%v", err)
	}
	matches := search.NewMatches(out, a.I32(1))
	if err := p.Search(data, matches, c.check); err != nil {
		return c.refuse(abi.CodeBadArg, "%v", err)
	}
	return matches.Len()
}

func bufHash(c *Call, a Args) int32 {
	out := c.bytes(a.U32(3), abi.HashSize)
	data, ok := c.part(a.I32(0), a.I32(1), a.I32(2))
	if !ok {
		return badArg
	}
	sum := sha256.Sum256(data)
	return int32(copy(out, sum[:]))
}

func bufTokens(c *Call, a Args) int32 {
	data, ok := c.part(a.I32(0), a.I32(1), a.I32(2))
	if !ok {
		return badArg
	}
	return int32(abi.EstimateTokens(data))
}

func bufPut(c *Call, a Args) int32 {
	b := c.text(a, 0)
	if size := c.buffers.put + len(b); size > abi.LimitPutBytes { // before copying
		return c.refuse(abi.CodeLimit, "%s bytes in buf_put, limit %s", fault.Group(size), fault.Group(abi.LimitPutBytes))
	}
	return c.buffers.add(buffer{data: bytes.Clone(b), owned: len(b), put: len(b)})
}

func bufView(c *Call, a Args) int32 {
	b, start, end, ok := c.span(a.I32(0), a.I32(1), a.I32(2))
	if !ok {
		return badArg
	}
	return c.buffers.add(b.view(start, end))
}

func bufFree(c *Call, a Args) int32 {
	id := a.I32(0)
	if id < abi.FirstHandle {
		return c.refuse(abi.CodeBadArg, "buffer %d cannot be freed", id)
	}
	b := c.buffers.handle(id)
	if b == nil {
		return badArg
	}
	c.buffers.free(id, b)
	return 0
}
