//! Buffers and what is asked of them.

use super::host::{shown, utf8, Host, Part};
use super::jsonimport::Values;
use super::pattern::Refusal;
use super::regex::Regex;
use super::{sha256, tokens};
use crate::raw;
use crate::section::SectionKind;
use std::rc::Rc;

/// Bytes that a guest can name.
#[derive(Clone)]
pub struct Buffer {
    pub bytes: Rc<[u8]>,
    pub from: Source,
    pub values: Option<Values>, // once a json function has asked
}

/// What a Section of a buffer is.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    pub kind: SectionKind,       // exact, decoded or derived
    pub off: usize,              // where the buffer begins in the original, the input or the decoded string
    pub input: bool,             // the input, or a view of it
    pub literal: (usize, usize), // decoded only
}

impl Source {
    /// Of what the guest or the host has written.
    pub fn own() -> Source {
        Source::of(SectionKind::Derived)
    }

    pub fn of(kind: SectionKind) -> Source {
        Source { kind, off: 0, input: false, literal: (0, 0) }
    }
}

impl Buffer {
    /// A buffer of what nothing else is known about.
    pub fn text(bytes: impl AsRef<[u8]>) -> Buffer {
        Buffer::from(bytes, Source::own())
    }

    pub fn from(bytes: impl AsRef<[u8]>, from: Source) -> Buffer {
        Buffer { bytes: bytes.as_ref().into(), from, values: None }
    }

    /// A span as a buffer; what this one is a span of, it is as well.
    pub fn view(&self, start: usize, end: usize) -> Buffer {
        let mut v = Buffer::from(&self.bytes[start..end], self.from.clone());
        v.from.off += start;
        v
    }
}

impl Host {
    /// A buffer; those below the first handle that are not there are empty.
    pub fn buf(&mut self, id: i32) -> Result<Buffer, i32> {
        if id == raw::BUF_SESSION {
            self.private = true;
        }
        if let (raw::BUF_SECTIONS, Part::Stage(stage)) = (id, &self.part) {
            return Ok(Buffer::text(stage.tree.records()));
        }
        match self.buffers.get(&id) {
            Some(b) => Ok(b.clone()),
            None if (0..raw::FIRST_HANDLE).contains(&id) => Ok(Buffer::text("")),
            None => Err(self.bad(format!("no buffer {id}"))),
        }
    }

    /// A buffer with start and end of a span of it; a length of -1 means to the end.
    pub fn span(&mut self, id: i32, off: i32, len: i32) -> Result<(Buffer, usize, usize), i32> {
        let b = self.buf(id)?;
        let size = b.bytes.len();
        let start = usize::try_from(off).ok().filter(|at| *at <= size);
        let end = match (start, usize::try_from(len)) {
            (Some(_), Err(_)) if len == -1 => Some(size),
            (Some(start), Ok(n)) => Some(start + n).filter(|end| *end <= size),
            _ => None,
        };
        match (start, end) {
            (Some(start), Some(end)) => Ok((b, start, end)),
            _ => Err(self.bad(format!("span {off}, length {len} of a buffer of {size}"))),
        }
    }

    /// Makes a new buffer.
    pub fn handle(&mut self, b: Buffer) -> i32 {
        if self.alive == raw::LIMIT_HANDLES {
            return self.refuse(raw::CODE_LIMIT, "more than 1,024 handles alive");
        }
        let id = self.next;
        self.next += 1;
        self.alive += 1;
        self.buffers.insert(id, b);
        id
    }

    pub fn buf_len(&mut self, buf: i32) -> i32 {
        self.buf(buf).map_or_else(|code| code, |b| b.bytes.len() as i32)
    }

    pub fn buf_read(&mut self, buf: i32, off: i32, out: &mut [u8]) -> i32 {
        match self.span(buf, off, -1) {
            Err(code) => code,
            Ok((b, start, end)) => {
                let n = out.len().min(end - start);
                out[..n].copy_from_slice(&b.bytes[start..start + n]);
                n as i32
            }
        }
    }

    pub fn buf_find(&mut self, buf: i32, off: i32, needle: &[u8]) -> i32 {
        let (b, start, _) = match self.span(buf, off, -1) {
            Err(code) => return code,
            Ok(span) => span,
        };
        if needle.is_empty() || needle.len() > raw::LIMIT_NEEDLE_BYTES {
            return self.bad(format!("needle of {} bytes, want 1 to 4,096", needle.len()));
        }
        match b.bytes[start..].windows(needle.len()).position(|w| w == needle) {
            Some(at) => (start + at) as i32,
            None => self.refuse(raw::CODE_NOT_FOUND, "needle not found"),
        }
    }

    pub fn buf_lines(&mut self, buf: i32, off: i32, out: &mut [u8]) -> i32 {
        let (b, start, _) = match self.span(buf, off, -1) {
            Err(code) => return code,
            Ok(span) => span,
        };
        let mut at = start;
        let starts = b.bytes[start..].split_inclusive(|c| *c == b'\n').map(|line| {
            let from = at;
            at += line.len();
            from
        });
        let records = out.chunks_exact_mut(raw::LINE_RECORD_SIZE).zip(starts);
        records.map(|(record, start)| put_u32(record, 0, start)).count() as i32
    }

    pub fn buf_grep(&mut self, buf: i32, off: i32, pattern: &[u8], flags: i32, out: &mut [u8]) -> i32 {
        let (b, start, _) = match self.span(buf, off, -1) {
            Err(code) => return code,
            Ok(span) => span,
        };
        if pattern.len() > raw::LIMIT_PATTERN_BYTES || !(0..16).contains(&flags) {
            return self
                .bad(format!("pattern of {} bytes with flags {flags}, want up to 4,096 and 0 to 15", pattern.len()));
        }
        let (pattern, text) = match (utf8(pattern), utf8(&b.bytes[start..])) {
            (Some(pattern), Some(text)) => (pattern, text),
            (None, _) => return self.bad("pattern is not UTF-8"),
            _ => return self.unknown(format!("buf_grep of bytes from {start} on that are not UTF-8")),
        };
        match Regex::new(pattern, flags) {
            Err(Refusal::Wrong(why)) => self.bad(format!("error parsing regexp: {why}")),
            Err(Refusal::Unknown(what)) => self.unknown(format!("pattern {pattern:?}: {what}")),
            Ok(regex) => {
                let found = regex.find_all(text, out.len() / raw::MATCH_RECORD_SIZE);
                for (record, m) in out.chunks_exact_mut(raw::MATCH_RECORD_SIZE).zip(&found) {
                    put_u32(record, 0, start + m.0);
                    put_u32(record, 1, start + m.1);
                }
                found.len() as i32
            }
        }
    }

    /// Notes what the true host may be able to do.
    fn unknown(&mut self, what: String) -> i32 {
        self.unknown_pattern = what;
        self.bad("pattern unknown")
    }

    pub fn buf_hash(&mut self, buf: i32, off: i32, len: i32, out: &mut [u8; 32]) -> i32 {
        match self.span(buf, off, len) {
            Err(code) => code,
            Ok((b, start, end)) => {
                *out = sha256::sum(&b.bytes[start..end]);
                32
            }
        }
    }

    pub fn buf_tokens(&mut self, buf: i32, off: i32, len: i32) -> i32 {
        match self.span(buf, off, len) {
            Err(code) => code,
            Ok((b, start, end)) => tokens::estimate(&b.bytes[start..end]) as i32,
        }
    }

    pub fn buf_put(&mut self, bytes: &[u8]) -> i32 {
        if self.put_bytes + bytes.len() > raw::LIMIT_PUT_BYTES {
            return self.refuse(raw::CODE_LIMIT, "more than 16 MiB in buf_put");
        }
        let id = self.handle(Buffer::text(bytes));
        self.put_bytes += if id >= 0 { bytes.len() } else { 0 };
        id
    }

    pub fn buf_view(&mut self, buf: i32, off: i32, len: i32) -> i32 {
        match self.span(buf, off, len) {
            Err(code) => code,
            Ok((b, start, end)) => self.handle(b.view(start, end)),
        }
    }

    pub fn buf_free(&mut self, buf: i32) -> i32 {
        if buf < raw::FIRST_HANDLE || self.buffers.remove(&buf).is_none() {
            return self.bad(format!("no handle {buf}"));
        }
        self.alive -= 1;
        0
    }

    pub fn last_error(&mut self) -> i32 {
        if self.last_error.is_empty() {
            return raw::CODE_NOT_FOUND;
        }
        self.handle(Buffer::text(self.last_error.clone()))
    }

    pub fn fail(&mut self, reason: &[u8]) -> i32 {
        self.reason = shown(reason);
        0
    }
}

/// Writes the i-th number of a record.
pub fn put_u32(record: &mut [u8], i: usize, v: usize) {
    record[4 * i..4 * i + 4].copy_from_slice(&(v as u32).to_le_bytes());
}
