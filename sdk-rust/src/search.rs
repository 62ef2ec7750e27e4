use crate::buf::Buf;
use crate::error::{check, count, Result};
use crate::raw;
use std::ops::{BitOr, Range};

/// A range of bytes, [start, end).
pub type Span = Range<usize>;

/// The size of memory for records: a multiple of every record's size.
const PAGE: usize = 4096;

/// Returns memory that the host can write records to.
pub(crate) fn page(n: usize) -> Vec<u8> {
    raw::filled(n, |to| to.len())
}

/// Returns the i-th number of a page.
#[inline]
pub(crate) fn number(page: &[u8], i: usize) -> usize {
    match page.get(4 * i..4 * i + 4) {
        Some(&[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]) as usize,
        _ => 0,
    }
}

impl Buf {
    /// Iterates over the lines from an offset on, each with its newline. Together they are
    /// the rest of the Buf.
    pub fn lines(self, off: usize) -> Lines {
        Lines { buf: self, off, page: page(PAGE), next: 0, have: 0, last: false }
    }

    /// Returns all matches of an RE2 pattern of up to 4 KiB from an offset on, which do not
    /// overlap. For the pattern the text begins at the offset.
    ///
    /// Errors: BadArg if the pattern is invalid.
    pub fn grep(self, off: usize, pattern: &str, flags: Grep) -> Result<Vec<Span>> {
        let mut most = PAGE / raw::MATCH_RECORD_SIZE;
        loop {
            let found = self.grep_n(off, most, pattern, flags)?;
            if found.len() < most {
                return Ok(found);
            }
            most *= 8;
        }
    }

    /// Like [`grep`](Buf::grep), for at most n matches.
    pub fn grep_n(self, off: usize, n: usize, pattern: &str, flags: Grep) -> Result<Vec<Span>> {
        let mut page = page(n.saturating_mul(raw::MATCH_RECORD_SIZE));
        let found = check(raw::buf_grep(self.0, raw::word(off), pattern.as_bytes(), flags.0, &mut page))?;
        Ok((0..found as usize).map(|i| number(&page, 2 * i)..number(&page, 2 * i + 1)).collect())
    }
}

/// Flags of [`Buf::grep`], which can be joined with `|`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grep(pub(crate) i32);

impl Grep {
    /// No flag.
    pub const PLAIN: Grep = Grep(0);
    /// Letters match in upper and lower case.
    pub const IGNORE_CASE: Grep = Grep(raw::GREP_IGNORE_CASE);
    /// `^` and `$` match at line ends.
    pub const BY_LINE: Grep = Grep(raw::GREP_LINES);
    /// The dot matches a newline.
    pub const DOT_ALL: Grep = Grep(raw::GREP_DOT_ALL);
    /// The pattern is plain text.
    pub const LITERAL: Grep = Grep(raw::GREP_LITERAL);

    /// Returns the flags of a number in the ABI.
    pub fn from_bits(bits: i32) -> Grep {
        Grep(bits)
    }
}

impl BitOr for Grep {
    type Output = Grep;

    fn bitor(self, other: Grep) -> Grep {
        Grep(self.0 | other.0)
    }
}

/// The lines of a Buf; see [`Buf::lines`].
pub struct Lines {
    buf: Buf,
    off: usize, // of the next line
    page: Vec<u8>,
    next: usize, // position in the page of the start after it
    have: usize, // number of starts in the page
    last: bool,  // the page has the start of the last line
}

impl Iterator for Lines {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        if self.next >= self.have {
            if self.last {
                return self.rest();
            }
            self.have = count(raw::buf_lines(self.buf.0, raw::word(self.off), &mut self.page));
            self.last = self.have < PAGE / raw::LINE_RECORD_SIZE;
            self.next = 1;
            if self.have < 2 {
                self.last = true;
                return self.rest();
            }
        }
        let line = self.off..number(&self.page, self.next);
        self.next += 1;
        self.off = line.end;
        Some(line)
    }
}

impl Lines {
    /// Returns the last line, which ends at the end of the Buf.
    fn rest(&mut self) -> Option<Span> {
        if self.have == 0 {
            return None;
        }
        self.have = 0;
        Some(self.off..self.buf.len())
    }
}
