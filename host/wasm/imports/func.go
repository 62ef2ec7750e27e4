package imports

import "github.com/mcpctl/mcpctl/host/wasm/binary"

// Func is a function that guests import.
type Func struct {
	Namespace, Name string
	Signature       binary.Signature
	Early           bool // may be called by _initialize

	run run
}

// run is the implementation of a function with i32 parameters. A negative result is a
// code of the ABI.
type run func(c *Call, a Args) int32

// Args are the arguments of a function.
type Args []uint64

// I32 returns argument i as a signed number.
func (a Args) I32(i int) int32 { return int32(uint32(a[i])) }

// U32 returns argument i as an unsigned number or pointer.
func (a Args) U32(i int) uint32 { return uint32(a[i]) }

// encode converts a result for the guest's stack.
func encode(v int32) uint64 { return uint64(uint32(v)) }
