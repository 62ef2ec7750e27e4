//! The imports and the only unsafe code of the crate: calls of the host, memory, and text
//! that the host guarantees to be UTF-8.
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
use std::mem::{align_of, forget, replace, size_of};

/// An argument that every import refuses.
pub const REFUSED: i32 = i32::MIN;

/// Returns a value as a number of the ABI. A value that does not fit becomes REFUSED.
#[inline]
pub fn word(v: usize) -> i32 {
    if v > i32::MAX as usize {
        return REFUSED;
    }
    v as i32
}

/// Returns an empty Vec with a capacity of n bytes.
///
/// `Vec::with_capacity` would add its panics to the module, a third of a small one.
#[inline(always)]
fn with_capacity(n: usize) -> Vec<u8> {
    // SAFETY: the allocation has n bytes, and the Vec owns it.
    unsafe { Vec::from_raw_parts(allocate(n, 1), 0, n) }
}

/// Returns a value on the heap.
pub fn boxed<T>(value: T) -> Box<T> {
    // SAFETY: the allocation fits a T, and the Box owns it.
    unsafe {
        let p = allocate(size_of::<T>(), align_of::<T>()) as *mut T;
        p.write(value);
        Box::from_raw(p)
    }
}

/// Allocates n bytes with the global allocator. For 0 bytes it returns the dangling pointer
/// that Vec and Box use.
#[inline(never)]
fn allocate(n: usize, align: usize) -> *mut u8 {
    if n == 0 {
        return align as *mut u8;
    }
    if n <= MAX_ALLOCATION {
        // SAFETY: the layout has 1 to isize::MAX bytes.
        let p = unsafe { alloc(Layout::from_size_align_unchecked(n, align)) };
        if !p.is_null() {
            return p;
        }
    }
    out_of_memory(n)
}

/// The largest allocation: isize::MAX without a page for the heap.
const MAX_ALLOCATION: usize = isize::MAX as usize - 0xffff;

#[cold]
fn out_of_memory(_bytes: usize) -> ! {
    #[cfg(target_arch = "wasm32")]
    std::arch::wasm32::unreachable();
    #[cfg(not(target_arch = "wasm32"))]
    panic!("no memory for {_bytes} bytes")
}

/// Returns n bytes, filled by f, which returns how many it wrote.
#[inline]
pub fn filled(n: usize, f: impl FnOnce(&mut [u8]) -> usize) -> Vec<u8> {
    let mut to = with_capacity(n);
    // SAFETY: the Vec owns the n bytes, and they are initialised before f reads them.
    unsafe {
        std::ptr::write_bytes(to.as_mut_ptr(), 0, n);
        let written = f(std::slice::from_raw_parts_mut(to.as_mut_ptr(), n));
        to.set_len(if written < n { written } else { n });
    }
    to
}

/// Returns the concatenated parts.
#[inline(never)]
pub fn joined(parts: &[&str]) -> String {
    let mut to = with_capacity(parts.iter().fold(0, |n, p| n.saturating_add(p.len())));
    for part in parts {
        // SAFETY: the capacity is the sum of all parts.
        unsafe { add(&mut to, part) };
    }
    text_of(to)
}

/// Returns three concatenated parts. It is smaller than [`joined`].
#[inline(never)]
pub fn joined3(a: &str, b: &str, c: &str) -> String {
    let mut to = with_capacity(a.len().saturating_add(b.len()).saturating_add(c.len()));
    // SAFETY: the capacity is the sum of the parts.
    unsafe {
        add(&mut to, a);
        add(&mut to, b);
        add(&mut to, c);
    }
    text_of(to)
}

/// Returns a copy.
#[inline]
pub fn copied(text: &str) -> String {
    let mut to = with_capacity(text.len());
    // SAFETY: the capacity is the length of the text.
    unsafe { add(&mut to, text) };
    text_of(to)
}

/// Appends a text within the capacity.
#[inline(always)]
unsafe fn add(to: &mut Vec<u8>, text: &str) {
    let n = to.len();
    std::ptr::copy_nonoverlapping(text.as_ptr(), to.as_mut_ptr().add(n), text.len());
    to.set_len(n + text.len());
}

/// Returns a segment of a JSON pointer: `/a~1b` for `a/b`.
pub fn segment(key: &str) -> String {
    let mut to = with_capacity(key.len().saturating_mul(2).saturating_add(1));
    let mut end = to.as_mut_ptr();
    let mut add = |c| {
        // SAFETY: the capacity is a slash and two bytes per byte of the key.
        unsafe {
            *end = c;
            end = end.add(1);
        }
    };
    add(b'/');
    for &c in key.as_bytes() {
        match c {
            b'~' | b'/' => {
                add(b'~');
                add(b'0' + (c == b'/') as u8);
            }
            _ => add(c),
        }
    }
    // SAFETY: the bytes up to end are initialised.
    unsafe {
        let n = end as usize - to.as_ptr() as usize;
        to.set_len(n);
    }
    text_of(to)
}

/// Returns a copy of a buffer.
pub fn read(buf: i32) -> Vec<u8> {
    filled(buf_len(buf).max(0) as usize, |to| buf_read(buf, 0, to) as usize)
}

/// Returns the bytes of a handle and frees it. For a refusal there are none.
#[inline(always)]
pub fn take(handle: i32) -> Vec<u8> {
    let bytes = read(handle);
    buf_free(handle);
    bytes
}

/// Returns the text of a handle that the host has decoded or written, and frees it.
#[inline]
pub fn take_text(handle: i32) -> String {
    let mut text = String::new();
    take_to(&mut text, handle);
    text
}

/// Like [`take_text`], into a string. The old value must be empty: it is not dropped.
#[inline(never)]
pub fn take_to(text: &mut String, handle: i32) {
    forget(replace(text, text_of(take(handle))));
}

/// Returns bytes that are known to be UTF-8 as text. The host returns decoded strings, labels
/// and sentences only as UTF-8.
fn text_of(bytes: Vec<u8>) -> String {
    // SAFETY: every caller has text of the host or concatenates strings.
    unsafe { String::from_utf8_unchecked(bytes) }
}
