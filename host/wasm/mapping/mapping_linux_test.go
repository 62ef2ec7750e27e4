package mapping

import (
	"bytes"
	"os"
	"slices"
	"testing"
	"unsafe"

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

// TestNoHugePages verifies that Written reports each write after the system was asked to make a huge
// page of the memory, which it also does by itself.
func TestNoHugePages(t *testing.T) {
	if !IsSupported() {
		t.Skip("this system has no page table that a process can read")
	}
	const huge, adviceCollapse = 2 << 20, 25
	im, m := NewImage(make([]byte, 16*PageBytes)), New(3*huge)
	if im == nil || m == nil || !m.Share(im) {
		t.Fatal("no mapping")
	}
	defer im.Close()
	defer m.Close()
	start := uintptr(unsafe.Pointer(unsafe.SliceData(m.Bytes)))
	first := int((start+huge+huge-1)&^(huge-1) - start) // of a huge page after the image
	m.Bytes[first] = 1
	for range 50 {
		m.Written(len(m.Bytes)) // no page fault at the end
	}
	_ = unix.Madvise(m.Bytes[first:first+huge], adviceCollapse)
	for n := 1; n < huge/PageBytes; n++ {
		m.Bytes[first+n*PageBytes] = 1
		if page := first/PageBytes + n; !slices.Contains(m.Written(len(m.Bytes)), page) {
			t.Fatalf("page %d was written and is not reported", page)
		}
	}
}
