package imports

import (
	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// MaxReasonBytes limits the reason of a FAIL and the message of an abort.
const MaxReasonBytes = 1000

// reportFuncs are messages, metadata and the cache.
var reportFuncs = map[string]run{
	abi.FuncLog:       logLine,
	abi.FuncFail:      fail,
	abi.FuncLastError: lastError,
	abi.FuncMetaSet:   metaSet,
	abi.FuncCacheGet:  cacheGet,
	abi.FuncCacheSet:  cacheSet,
}

func logLine(c *Call, a Args) int32 {
	line := c.text(a, 1)
	level := a.I32(0)
	if level < 0 || int(level) >= len(levels) {
		return c.refuse(abi.CodeBadArg, "log level %d", level)
	}
	if !c.log.add(int(level), line) {
		return c.refuse(abi.CodeLimit, "log of %d lines or %s bytes is full", abi.LimitLogLines, fault.Group(abi.LimitLogBytes))
	}
	return 0
}

func fail(c *Call, a Args) int32 {
	c.failure = fault.Printable(c.text(a, 0), MaxReasonBytes)
	return 0
}

func lastError(c *Call, _ Args) int32 {
	if c.refusals.text == "" {
		return c.refuseNotFound()
	}
	return c.buffers.add(buffer{data: []byte(c.refusals.text)})
}

func metaSet(c *Call, a Args) int32 { return c.meta.set(c.text(a, 0), c.text(a, 2)) }

func cacheGet(c *Call, a Args) int32 {
	value, code := c.Get(c.text(a, 0))
	if code < 0 {
		return code
	}
	return c.buffers.addOwned(value)
}

func cacheSet(c *Call, a Args) int32 { return c.Set(c.text(a, 0), c.text(a, 2)) }
