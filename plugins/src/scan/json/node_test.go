package json

import (
	"testing"
	"unsafe"
)

// Go sets memory of 8 KiB aside for a page of nodes: one byte more in a node and
// it is 9472, of which it keeps six together.
func TestAPageOfNodesFillsItsMemory(t *testing.T) {
	if got := unsafe.Sizeof([nodePage]Node{}); got != 6<<10 {
		t.Errorf("%d bytes", got)
	}
}
