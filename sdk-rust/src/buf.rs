use crate::error::{check, count, misuse, misused, Result};
use crate::json::Json;
use crate::raw;
use std::ops::{Bound, RangeBounds};

/// A handle to bytes that the host keeps. Copying a Buf copies the handle. Offsets are
/// bytes; spans are ranges, and `..` is the whole.
///
/// Most stages need no copy of the content: [`find`](Buf::find), [`grep`](Buf::grep),
/// [`json`](Buf::json), [`Out::span`](crate::Out::span) and
/// [`Sections::add`](crate::Sections::add) run in the host.
///
/// A Buf is valid until the call ends or [`free`](Buf::free) is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buf(pub(crate) i32);

/// Returns a range as offset and length; a length of -1 means to the end. A range that
/// ends before it starts becomes a length that every import refuses.
#[inline]
pub(crate) fn bounds(span: impl RangeBounds<usize>) -> (i32, i32) {
    let start = match span.start_bound() {
        Bound::Included(&at) => at,
        Bound::Excluded(&at) => at.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match span.end_bound() {
        Bound::Included(&at) => at.saturating_add(1),
        Bound::Excluded(&at) => at,
        Bound::Unbounded => return (raw::word(start), -1),
    };
    if end < start {
        return (raw::word(start), raw::REFUSED);
    }
    (raw::word(start), raw::word(end - start))
}

impl Buf {
    /// Returns the Buf that an import returned.
    #[inline]
    pub(crate) fn of(result: i32) -> Result<Buf> {
        Ok(Buf(check(result)?))
    }

    /// Returns the length in bytes.
    pub fn len(self) -> usize {
        count(raw::buf_len(self.0))
    }

    /// Reports whether there are no bytes.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns a copy of the whole. A guest has 64 MiB of memory by default.
    pub fn bytes(self) -> Vec<u8> {
        let n = self.len();
        raw::filled(n, |to| count(raw::buf_read(self.0, 0, to)))
    }

    /// Returns a copy of the whole as text. Input, original and strings of JSON are always
    /// UTF-8. If the bytes are not, as in a view that cuts a character, the text is empty
    /// and the call fails.
    pub fn text(self) -> String {
        String::from_utf8(self.bytes()).unwrap_or_else(|_| {
            misuse("text of a buffer that is not UTF-8");
            String::new()
        })
    }

    /// Reads bytes from an offset into a slice and returns how many were read.
    ///
    /// Errors: BadArg if the offset is beyond the end.
    pub fn read(self, off: usize, to: &mut [u8]) -> Result<usize> {
        Ok(check(raw::buf_read(self.0, raw::word(off), to))? as usize)
    }

    /// Returns the offset of the first occurrence of 1 to 4,096 bytes.
    #[inline]
    pub fn find(self, needle: impl AsRef<[u8]>) -> Option<usize> {
        self.find_from(0, needle)
    }

    /// Like [`find`](Buf::find), from an offset on.
    #[inline]
    pub fn find_from(self, off: usize, needle: impl AsRef<[u8]>) -> Option<usize> {
        let at = raw::buf_find(self.0, raw::word(off), needle.as_ref());
        if at < raw::CODE_NOT_FOUND {
            misused();
        }
        drop(needle); // once, on all paths
        (at >= 0).then_some(at as usize)
    }

    /// Returns the SHA-256 of a span.
    pub fn hash(self, span: impl RangeBounds<usize>) -> [u8; 32] {
        let mut sum = [0; 32];
        let (off, len) = bounds(span);
        count(raw::buf_hash(self.0, off, len, &mut sum));
        sum
    }

    /// Returns the estimated number of tokens of a span.
    pub fn tokens(self, span: impl RangeBounds<usize>) -> usize {
        let (off, len) = bounds(span);
        count(raw::buf_tokens(self.0, off, len))
    }

    /// Returns a Buf of a span without a copy. A Section or output from a view counts as
    /// one from the viewed Buf.
    ///
    /// Errors: BadArg if the span is outside, Limit beyond 1,024 handles.
    pub fn view(self, span: impl RangeBounds<usize>) -> Result<Buf> {
        let (off, len) = bounds(span);
        Buf::of(raw::buf_view(self.0, off, len))
    }

    /// Returns the bytes as JSON. The host parses them at the first access.
    pub fn json(self) -> Json {
        Json(self)
    }

    /// Frees the handle before the call ends. A call may have 1,024 handles from `view`,
    /// `put`, `json` and `llm`; below that there is no need to free them.
    pub fn free(self) {
        if self.0 >= raw::FIRST_HANDLE {
            raw::buf_free(self.0);
        }
    }
}
