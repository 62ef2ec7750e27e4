package wasm

import (
	"syscall"
	"unsafe"
)

// adviseHugePages asks for pages of 2 MiB for those parts of b that can have them, which
// need 512 times fewer faults. b is a memory that is too large to be pooled.
func adviseHugePages(b []byte) {
	const huge = 2 << 20
	start := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) % huge
	if end := uintptr(len(b)) - (uintptr(len(b))-start)%huge; start < uintptr(len(b)) && end > start {
		_ = syscall.Madvise(b[start:end], syscall.MADV_HUGEPAGE) // only advice
	}
}
