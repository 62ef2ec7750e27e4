package imports

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// envAbort ends the guest with its own message.
func envAbort(c *Call, a Args) int32 {
	text := "guest aborted"
	if m := scriptString(c, a.U32(0)); m != "" {
		text += ": " + m
	}
	if f := scriptString(c, a.U32(1)); f != "" {
		text += fmt.Sprintf(" in %s:%d:%d", f, a.U32(2), a.U32(3))
	}
	panic(&Trap{Text: text})
}

// scriptString reads a string of AssemblyScript: UTF-16 after its size in bytes. The
// pointer 0 means no string.
func scriptString(c *Call, p uint32) string {
	if p < 4 {
		return ""
	}
	size := min(binary.LittleEndian.Uint32(c.bytes(p-4, 4)), 2*MaxReasonBytes)
	b := c.bytes(p, size&^1)
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return fault.Printable([]byte(strings.TrimRight(string(utf16.Decode(units)), "\x00")), MaxReasonBytes)
}
