package mapping

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestUnreadablePageTable verifies that all pages count as written if the page table cannot be read.
func TestUnreadablePageTable(t *testing.T) {
	if !IsSupported() {
		t.Skip("this system has no page table that a process can read")
	}
	if got := readWritten(-1, nil, make([]byte, 3*PageBytes)); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("got pages %v, want all", got)
	}
}

// TestZerosTakeNoMemory verifies that an image has memory only for pages that are not zeros.
func TestZerosTakeNoMemory(t *testing.T) {
	memory := make([]byte, 100*PageBytes)
	memory[7*PageBytes] = 1
	im := NewImage(memory)
	if im == nil {
		t.Skip("this system has no files in memory")
	}
	defer im.Close()
	var stat unix.Stat_t
	if err := unix.Fstat(im.file, &stat); err != nil {
		t.Fatal(err)
	}
	if used := stat.Blocks * 512; used > int64(max(PageBytes, os.Getpagesize())) {
		t.Errorf("%d bytes for one page", used)
	}
	if !bytes.Equal(im.Bytes, memory) {
		t.Error("the image differs from the memory")
	}
}
