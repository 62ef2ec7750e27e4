// Package mapping provides memory that guests share copy-on-write, and finds out which of its
// pages they have written.
//
// An Image is the memory of a guest that has just started. A Mapping is the memory of one guest:
// its first pages are those of an image until the guest writes to them. A written page stays the
// guest's own, because a fault for each page takes more time than to copy its content back.
//
// This requires Linux, where a process can read its page table. Elsewhere New and NewImage return
// nil.
package mapping

// PageBytes is the size of a page, which divides the pages of WebAssembly's memory.
const PageBytes = 4 << 10

// IsSupported reports whether New and NewImage work. It opens a file when it is called for the
// first time, so a process must call it before it gives up the right to open files.
func IsSupported() bool { return pageTable() >= 0 }
