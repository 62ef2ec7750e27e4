package json

import (
	"testing"
	"unsafe"
)

// A page of nodes has a size class of Go, so that no memory is lost.
func TestPageFillsSizeClass(t *testing.T) {
	if got := unsafe.Sizeof([nodePage]Node{}); got != 6<<10 {
		t.Errorf("a page has %d bytes, want 6144", got)
	}
}
