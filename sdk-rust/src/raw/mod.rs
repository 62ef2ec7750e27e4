//! The imports, and the only unsafe code of the crate: calls of the host, memory,
//! and text that the host has promised to be UTF-8.
#![allow(unsafe_code)]

#[cfg(target_arch = "wasm32")]
mod memory;
#[cfg(not(target_arch = "wasm32"))]
pub mod native;

#[allow(dead_code, missing_docs, clippy::all)]
#[rustfmt::skip]
mod zz_raw;
pub use zz_raw::*;

use std::alloc::{alloc, Layout};

/// An argument that no import takes.
pub const REFUSED: i32 = i32::MIN;

/// A value as the ABI takes it. What does not fit becomes one that every import
/// refuses.
#[inline]
pub fn word(v: usize) -> i32 {
    if v > i32::MAX as usize {
        return REFUSED;
    }
    v as i32
}

/// An empty Vec with room for n bytes.
///
/// The way of Vec itself would bring its panics with it, a third of a small module.
#[inline(never)]
fn room(n: usize) -> Vec<u8> {
    if n == 0 || n > isize::MAX as usize {
        return Vec::new();
    }
    // SAFETY: n is not 0 and at most isize::MAX; the memory is of n bytes of alignment 1
    // and belongs to the Vec from then on.
    unsafe {
        let layout = Layout::from_size_align_unchecked(n, 1);
        let p = alloc(layout);
        if p.is_null() {
            out_of_memory(layout);
        }
        Vec::from_raw_parts(p, 0, n)
    }
}

#[cold]
fn out_of_memory(_layout: Layout) -> ! {
    #[cfg(target_arch = "wasm32")]
    std::arch::wasm32::unreachable();
    #[cfg(not(target_arch = "wasm32"))]
    std::alloc::handle_alloc_error(_layout)
}

/// Memory of n bytes, filled by f, which says how many it has written.
#[inline]
pub fn filled(n: usize, f: impl FnOnce(&mut [u8]) -> usize) -> Vec<u8> {
    let mut to = room(n);
    let n = to.capacity();
    // SAFETY: the n bytes belong to the Vec and are written before they are lent.
    unsafe {
        std::ptr::write_bytes(to.as_mut_ptr(), 0, n);
        let written = f(std::slice::from_raw_parts_mut(to.as_mut_ptr(), n));
        to.set_len(if written < n { written } else { n });
    }
    to
}

/// Text that is put together of bytes of other texts, within its room.
pub struct Builder(Vec<u8>);

impl Builder {
    pub fn new(room_for: usize) -> Builder {
        Builder(room(room_for))
    }

    /// Adds part of a text, or of the character that a caller is in the midst of.
    pub fn put(&mut self, part: &[u8]) {
        let n = self.0.len();
        if part.len() <= self.0.capacity() - n {
            // SAFETY: the memory of the Vec has room for the part behind its n bytes.
            unsafe {
                std::ptr::copy_nonoverlapping(part.as_ptr(), self.0.as_mut_ptr().add(n), part.len());
                self.0.set_len(n + part.len());
            }
        }
    }

    pub fn text(self) -> String {
        text_of(self.0)
    }
}

/// The parts, one behind the other.
#[inline(never)]
pub fn joined(parts: &[&str]) -> String {
    let mut to = Builder::new(parts.iter().map(|p| p.len()).sum());
    for part in parts {
        to.put(part.as_bytes());
    }
    to.text()
}

/// A copy of a buffer.
pub fn read(buf: i32) -> Vec<u8> {
    let n = buf_len(buf);
    if n <= 0 {
        return Vec::new();
    }
    filled(n as usize, |to| buf_read(buf, 0, to).max(0) as usize)
}

/// The bytes of a handle, which is freed.
pub fn take(handle: i32) -> Vec<u8> {
    let bytes = read(handle);
    buf_free(handle);
    bytes
}

/// The text of a handle that the host has decoded or written, which is freed.
pub fn take_text(handle: i32) -> String {
    text_of(take(handle))
}

/// Bytes of which it is known that they are UTF-8: the host gives decoded strings,
/// labels and sentences in no other form.
fn text_of(bytes: Vec<u8>) -> String {
    // SAFETY: said above; every caller has text of the host, or joins strings.
    unsafe { String::from_utf8_unchecked(bytes) }
}
