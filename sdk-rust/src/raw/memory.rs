//! Memory of a guest. The host throws all of it away after each call, so what
//! matters is that little code gives it out fast.

use std::alloc::{GlobalAlloc, Layout};
use std::arch::wasm32::{memory_grow, memory_size};
use std::ptr::null_mut;

const PAGE: usize = 1 << 16;

/// Blocks of up to 32 KiB have a size that is a power of two, and a list of freed
/// ones for each; larger ones are of any size, the freed ones in one list.
const SMALLEST: usize = 16;
const CLASSES: usize = 12;
const LARGEST: usize = SMALLEST << (CLASSES - 1);

struct Memory;

#[global_allocator]
static MEMORY: Memory = Memory;

struct Heap {
    used: usize, // bytes behind the linker's own data that were ever given out
    small: [*mut Freed; CLASSES],
    large: *mut Freed,
}

/// What lies at the start of a freed block.
struct Freed {
    next: *mut Freed,
    size: usize,
}

static mut HEAP: Heap = Heap { used: 0, small: [null_mut(); CLASSES], large: null_mut() };

extern "C" {
    /// Where the linker's own data ends, on 16 bytes.
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
    /// The list of freed blocks that are as large as a rounded size, or larger.
    #[inline(never)]
    unsafe fn list(&mut self, size: usize) -> *mut *mut Freed {
        if size > LARGEST {
            return &mut self.large;
        }
        let class = size.trailing_zeros() - SMALLEST.trailing_zeros();
        self.small.as_mut_ptr().add(class as usize)
    }

    /// A block for n bytes, null if there is none.
    #[inline(never)]
    unsafe fn give(&mut self, n: usize) -> *mut u8 {
        let size = rounded(n);
        let mut link = self.list(size);
        loop {
            let block = *link;
            if block.is_null() {
                return self.cut(size);
            }
            if (*block).size >= size {
                *link = (*block).next;
                let rest = (*block).size - size;
                if rest > LARGEST {
                    self.take_back((block as *mut u8).add(size), rest);
                }
                return block as *mut u8;
            }
            link = &mut (*block).next;
        }
    }

    /// Where the next block begins that was never in use.
    unsafe fn end(&self) -> usize {
        std::ptr::addr_of!(__heap_base) as usize + self.used
    }

    /// A block behind all that were ever in use.
    unsafe fn cut(&mut self, size: usize) -> *mut u8 {
        let p = self.end();
        if !reach(p + size) {
            return null_mut();
        }
        self.used += size;
        p as *mut u8
    }

    /// Takes the block of n bytes at p.
    #[inline(never)]
    unsafe fn take_back(&mut self, p: *mut u8, n: usize) {
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

/// Makes sure that there is memory up to end.
fn reach(end: usize) -> bool {
    let have = memory_size::<0>() * PAGE;
    end <= have || memory_grow::<0>((end - have + PAGE - 1) / PAGE) != usize::MAX
}

// SAFETY: a guest has one thread, so HEAP is used by one call at a time. Blocks do
// not overlap: they are cut one behind the other, and one is in a list only while
// it is free. All are aligned to 16 bytes; who wants more gets none.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > SMALLEST || layout.size() > isize::MAX as usize - PAGE {
            return null_mut();
        }
        let heap = &mut *std::ptr::addr_of_mut!(HEAP);
        heap.give(layout.size())
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        let heap = &mut *std::ptr::addr_of_mut!(HEAP);
        heap.take_back(p, layout.size());
    }

    /// The last block grows where it is: a text that is built up is not copied.
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let heap = &mut *std::ptr::addr_of_mut!(HEAP);
        let (old, new) = (rounded(layout.size()), rounded(size));
        if old == new {
            return p;
        }
        if p as usize + old == heap.end() && new > old && reach(p as usize + new) {
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
