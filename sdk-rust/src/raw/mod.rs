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
use std::mem::{align_of, forget, replace, size_of};

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
#[inline(always)]
fn room(n: usize) -> Vec<u8> {
    // SAFETY: the place is for n bytes and belongs to the Vec from then on.
    unsafe { Vec::from_raw_parts(place(n, 1), 0, n) }
}

/// A value on the heap.
pub fn boxed<T>(value: T) -> Box<T> {
    // SAFETY: the place is for a T and belongs to the Box from then on.
    unsafe {
        let p = place(size_of::<T>(), align_of::<T>()) as *mut T;
        p.write(value);
        Box::from_raw(p)
    }
}

/// Memory of n bytes as the global allocator gives it out; of none, what Vec and Box have
/// for that.
#[inline(never)]
fn place(n: usize, align: usize) -> *mut u8 {
    if n == 0 {
        return align as *mut u8;
    }
    if n <= MOST {
        // SAFETY: the layout is of 1 to isize::MAX bytes.
        let p = unsafe { alloc(Layout::from_size_align_unchecked(n, align)) };
        if !p.is_null() {
            return p;
        }
    }
    out_of_memory(n)
}

/// More bytes than there can be, of which a page is left to the heap.
const MOST: usize = isize::MAX as usize - 0xffff;

#[cold]
fn out_of_memory(_bytes: usize) -> ! {
    #[cfg(target_arch = "wasm32")]
    std::arch::wasm32::unreachable();
    #[cfg(not(target_arch = "wasm32"))]
    panic!("no memory for {_bytes} bytes")
}

/// Memory of n bytes, filled by f, which says how many it has written.
#[inline]
pub fn filled(n: usize, f: impl FnOnce(&mut [u8]) -> usize) -> Vec<u8> {
    let mut to = room(n);
    // SAFETY: the n bytes belong to the Vec and are written before they are lent.
    unsafe {
        std::ptr::write_bytes(to.as_mut_ptr(), 0, n);
        let written = f(std::slice::from_raw_parts_mut(to.as_mut_ptr(), n));
        to.set_len(if written < n { written } else { n });
    }
    to
}

/// The parts, one behind the other.
#[inline(never)]
pub fn joined(parts: &[&str]) -> String {
    let mut to = room(parts.iter().fold(0, |n, p| n.saturating_add(p.len())));
    for part in parts {
        // SAFETY: there is room for all parts, so for this one behind those before it.
        unsafe { add(&mut to, part) };
    }
    text_of(to)
}

/// Three parts, one behind the other: what a small module needs of [`joined`].
#[inline(never)]
pub fn joined3(a: &str, b: &str, c: &str) -> String {
    let mut to = room(a.len().saturating_add(b.len()).saturating_add(c.len()));
    // SAFETY: as above.
    unsafe {
        add(&mut to, a);
        add(&mut to, b);
        add(&mut to, c);
    }
    text_of(to)
}

/// A copy.
#[inline]
pub fn copied(text: &str) -> String {
    let mut to = room(text.len());
    // SAFETY: there is room for it.
    unsafe { add(&mut to, text) };
    text_of(to)
}

/// Adds a text that there is room for.
#[inline(always)]
unsafe fn add(to: &mut Vec<u8>, text: &str) {
    let n = to.len();
    std::ptr::copy_nonoverlapping(text.as_ptr(), to.as_mut_ptr().add(n), text.len());
    to.set_len(n + text.len());
}

/// A segment of a JSON pointer: `/a~1b` of `a/b`.
pub fn segment(key: &str) -> String {
    let mut to = room(key.len().saturating_mul(2).saturating_add(1));
    let mut end = to.as_mut_ptr();
    let mut add = |c| {
        // SAFETY: there is room for a slash and for two bytes of each.
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
    // SAFETY: the bytes up to end were written.
    unsafe {
        let n = end as usize - to.as_ptr() as usize;
        to.set_len(n);
    }
    text_of(to)
}

/// A copy of a buffer.
pub fn read(buf: i32) -> Vec<u8> {
    filled(buf_len(buf).max(0) as usize, |to| buf_read(buf, 0, to) as usize)
}

/// The bytes of a handle, which is freed; none of a refusal.
#[inline(always)]
pub fn take(handle: i32) -> Vec<u8> {
    let bytes = read(handle);
    buf_free(handle);
    bytes
}

/// The text of a handle that the host has decoded or written, which is freed.
#[inline]
pub fn take_text(handle: i32) -> String {
    let mut text = String::new();
    take_to(&mut text, handle);
    text
}

/// [`take_text`] to its place. What was there is not dropped: it is empty.
#[inline(never)]
pub fn take_to(text: &mut String, handle: i32) {
    forget(replace(text, text_of(take(handle))));
}

/// Bytes of which it is known that they are UTF-8: the host gives decoded strings,
/// labels and sentences in no other form.
fn text_of(bytes: Vec<u8>) -> String {
    // SAFETY: said above; every caller has text of the host, or joins strings.
    unsafe { String::from_utf8_unchecked(bytes) }
}
