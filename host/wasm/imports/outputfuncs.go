package imports

import "github.com/mcpctl/mcpctl/abi"

var outputFuncs = map[string]run{
	abi.FuncOutWrite: outWrite,
	abi.FuncOutSpan:  outSpan,
	abi.FuncOutIndex: outIndex,
}

// isInBlock reports whether output is written to a block of a hook.
func isInBlock(c *Call) bool { return c.hook != nil && c.hook.blocks.open }

func writeBlock(c *Call, b []byte) int32 {
	if err := c.hook.blocks.write(b); err != nil {
		return c.refuse(abi.CodeLimit, "%v", err)
	}
	return 0
}

func outWrite(c *Call, a Args) int32 {
	b := c.text(a, 0)
	if isInBlock(c) {
		return writeBlock(c, b)
	}
	return c.output.write(b)
}

func outSpan(c *Call, a Args) int32 {
	b, start, end, ok := c.span(a.I32(0), a.I32(1), a.I32(2))
	if !ok {
		return badArg
	}
	if isInBlock(c) {
		return writeBlock(c, b.data[start:end])
	}
	if code := c.output.reserve(end - start); code < 0 {
		return code
	}
	if b.origin == inInput {
		request := c.Request()
		if code := c.output.copyMarks(request.Marks, b.base+start, b.base+end, len(request.Input)); code < 0 {
			return code
		}
	}
	return c.output.write(b.data[start:end])
}

func outIndex(c *Call, a Args) int32 {
	section, lines, size := a.I32(0), a.I32(1), a.I32(2)
	if code := c.requireStage(abi.FuncOutIndex); code < 0 {
		return code
	}
	switch {
	case section != -1 && !c.sections.tree.Has(section):
		return c.refuseNotFound()
	case lines < 0 || size < 0:
		return c.refuse(abi.CodeBadArg, "index of %d lines and %d bytes", lines, size)
	}
	c.output.written = true
	return c.output.addMark(abi.Mark{Offset: len(c.output.bytes), Section: int(section), Lines: int(lines), Bytes: int(size)})
}
