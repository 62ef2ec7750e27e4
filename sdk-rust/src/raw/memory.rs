//! The allocator of a guest. The host drops the memory after each call, so the allocator is
//! optimised for small code and fast allocation.

use std::alloc::{GlobalAlloc, Layout};
use std::arch::wasm32::{memory_grow, memory_size};
use std::ptr::null_mut;

const PAGE: usize = 1 << 16;

/// The size of a block of up to 32 KiB is a power of two, and each size has a list of freed
/// blocks. Larger blocks have any size and share one list.
const SMALLEST: usize = 16;
const CLASSES: usize = 12;
const LARGEST: usize = SMALLEST << (CLASSES - 1);

struct Memory;

#[global_allocator]
static MEMORY: Memory = Memory;

struct Heap {
    used: usize, // bytes allocated so far, from __heap_base on
    small: [*mut Freed; CLASSES],
    large: *mut Freed,
}

/// The header of a freed block.
struct Freed {
    next: *mut Freed,
    size: usize,
}

static mut HEAP: Heap = Heap { used: 0, small: [null_mut(); CLASSES], large: null_mut() };

extern "C" {
    /// The end of the linker's data, aligned to 16 bytes.
    static __heap_base: u8;
}

#[inline(never)]
fn rounded(n: usize) -> usize {
    if n > LARGEST {
        return (n + SMALLEST - 1) & !(SMALLEST - 1);
    }
    n.max(SMALLEST).next_power_of_two()
}

impl Heap {
    /// Returns the list of freed blocks for a rounded size.
    #[inline(never)]
    unsafe fn list(&mut self, size: usize) -> *mut *mut Freed {
        if size > LARGEST {
            return &mut self.large;
        }
        let class = size.trailing_zeros() - SMALLEST.trailing_zeros();
        self.small.as_mut_ptr().add(class as usize)
    }

    /// Allocates a block for n bytes. It returns null if there is no memory.
    #[inline(never)]
    unsafe fn allocate(&mut self, n: usize) -> *mut u8 {
        let size = rounded(n);
        let mut link = self.list(size);
        loop {
            let block = *link;
            if block.is_null() {
                return self.extend(size);
            }
            if (*block).size >= size {
                *link = (*block).next;
                let rest = (*block).size - size;
                if rest > LARGEST {
                    self.free((block as *mut u8).add(size), rest);
                }
                return block as *mut u8;
            }
            link = &mut (*block).next;
        }
    }

    /// Returns the end of the memory that was ever allocated.
    unsafe fn end(&self) -> usize {
        std::ptr::addr_of!(__heap_base) as usize + self.used
    }

    /// Allocates a block at the end. It returns null if there is no memory.
    unsafe fn extend(&mut self, size: usize) -> *mut u8 {
        let p = self.end();
        if !grow_to(p + size) {
            return null_mut();
        }
        self.used += size;
        p as *mut u8
    }

    /// Frees the block of n bytes at p.
    #[inline(never)]
    unsafe fn free(&mut self, p: *mut u8, n: usize) {
        let size = rounded(n);
        if p as usize + size == self.end() {
            self.used -= size;
            return;
        }
        let list = self.list(size);
        let block = p as *mut Freed;
        *block = Freed { next: *list, size };
        *list = block;
    }
}

/// Grows the memory up to end and reports whether that succeeded.
fn grow_to(end: usize) -> bool {
    let have = memory_size::<0>() * PAGE;
    end <= have || memory_grow::<0>((end - have + PAGE - 1) / PAGE) != usize::MAX
}

// SAFETY: a guest has one thread, so HEAP has one user at a time. Blocks do not overlap:
// each is allocated at the end, and only free blocks are in a list. All are aligned to 16
// bytes; an allocation with a larger alignment fails.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > SMALLEST || layout.size() > isize::MAX as usize - PAGE {
            return null_mut();
        }
        let heap = &mut *std::ptr::addr_of_mut!(HEAP);
        heap.allocate(layout.size())
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        let heap = &mut *std::ptr::addr_of_mut!(HEAP);
        heap.free(p, layout.size());
    }

    /// Grows the last block in place, so that appending to a string does not copy it.
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let heap = &mut *std::ptr::addr_of_mut!(HEAP);
        let (old, new) = (rounded(layout.size()), rounded(size));
        if old == new {
            return p;
        }
        if p as usize + old == heap.end() && new > old && grow_to(p as usize + new) {
            heap.used += new - old;
            return p;
        }
        let to = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
        if !to.is_null() {
            std::ptr::copy_nonoverlapping(p, to, layout.size().min(size));
            self.dealloc(p, layout);
        }
        to
    }
}
