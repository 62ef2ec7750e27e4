// Package fuel rewrites modules that are not trusted so that the host can stop them.
//
// Guests run as machine code, which neither the garbage collector nor the scheduler of Go
// can interrupt. Rewrite adds a counter of instructions, the fuel: each function and each
// iteration of a loop pays for its instructions, and each bulk instruction for the bytes
// that it changes. A guest that has used up its fuel calls Yield, where the host ends it or
// refills the fuel. A second counter limits the stack.
//
// The same input uses the same fuel on every machine. A module computes the same as
// before, except that a recursion ends at another depth.
package fuel

import "time"

// The function that a rewritten module imports: (fuel i32, stack i32) -> i32. It gets both
// counters, one of which is negative, and returns the fuel to continue with.
const (
	Namespace = "mcpctl:fuel"
	Yield     = "yield"
)

// Exports of the counters, which are globals of type i32. Before a call the host sets the
// fuel to Slice and the stack to StackBytes; when an entry returns, the stack has that value
// again.
const (
	FuelGlobal  = "mcpctl_fuel"
	StackGlobal = "mcpctl_stack"
)

// Slice is the fuel between two calls of Yield, in instructions. A guest runs for about
// 0.1 ms with it, and for milliseconds if it copies memory or misses the caches.
const Slice = 1 << 18

// StackBytes limits the stack of a guest, in bytes as estimated by the rewriter.
const StackBytes = 1 << 20

// Refill returns the fuel to continue with after a debt, and the amount that was added.
func Refill(fuel int32) (refilled int32, added int64) {
	added = (-int64(fuel)/Slice + 1) * Slice
	return int32(int64(fuel) + added), added
}

// LeastTime returns about the least time in which a guest uses the fuel that it owes. One
// instruction that copies all memory owes much, and cannot be interrupted.
func LeastTime(fuel int32) time.Duration { return -time.Duration(min(fuel, 0)) * time.Nanosecond }
