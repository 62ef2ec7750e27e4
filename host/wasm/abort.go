package wasm

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// envAbort ends the guest with its own message.
func envAbort(r *run, a args) int32 {
	text := "guest aborted"
	if m := r.scriptString(a.u32(0)); m != "" {
		text += ": " + m
	}
	if f := r.scriptString(a.u32(1)); f != "" {
		text += fmt.Sprintf(" in %s:%d:%d", f, a.u32(2), a.u32(3))
	}
	panic(&trap{text: text})
}

// scriptString reads a string of AssemblyScript: UTF-16, its size in bytes in
// front of it. A pointer of 0 is none.
func (r *run) scriptString(p uint32) string {
	if p < 4 {
		return ""
	}
	size := min(binary.LittleEndian.Uint32(r.memory(p-4, 4)), 2*reasonBytes)
	b := r.memory(p, size&^1)
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return fault.Printable([]byte(strings.TrimRight(string(utf16.Decode(units)), "\x00")), reasonBytes)
}
