use crate::error::{check, count, misuse, misused, Result};
use crate::json::Json;
use crate::raw;
use std::ops::{Bound, RangeBounds};

/// Bytes that the host keeps; copying a Buf copies the name. Offsets are bytes;
/// spans are ranges, `..` is the whole.
///
/// Most of what a stage does with content needs no copy of it: [`find`](Buf::find),
/// [`grep`](Buf::grep), [`json`](Buf::json), [`Out::span`](crate::Out::span) and
/// [`Sections::add`](crate::Sections::add) work on the host's side.
///
/// A Buf is valid until the call ends, or [`free`](Buf::free).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buf(pub(crate) i32);

/// A range as offset and length, of which -1 means to the end. One that ends before
/// it starts becomes what every import refuses.
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
    /// A Buf of an import's result.
    #[inline]
    pub(crate) fn of(result: i32) -> Result<Buf> {
        Ok(Buf(check(result)?))
    }

    /// The length in bytes.
    pub fn len(self) -> usize {
        count(raw::buf_len(self.0))
    }

    /// Whether there are no bytes.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// A copy of the whole. A guest has 64 MiB of memory by default.
    pub fn bytes(self) -> Vec<u8> {
        let n = self.len();
        raw::filled(n, |to| count(raw::buf_read(self.0, 0, to)))
    }

    /// A copy of the whole as text. Input, original and what JSON holds always are;
    /// of other bytes than UTF-8, such as a view that cuts a character, it is empty,
    /// and the call fails.
    pub fn text(self) -> String {
        String::from_utf8(self.bytes()).unwrap_or_else(|_| {
            misuse("text of a buffer that is not UTF-8");
            String::new()
        })
    }

    /// Fills a slice from an offset on, as far as there are bytes, and gives how many:
    /// for reading in parts.
    ///
    /// Errors: BadArg if the offset is beyond the end.
    pub fn read(self, off: usize, to: &mut [u8]) -> Result<usize> {
        Ok(check(raw::buf_read(self.0, raw::word(off), to))? as usize)
    }

    /// The offset of the first occurrence of 1 to 4,096 bytes.
    #[inline]
    pub fn find(self, needle: impl AsRef<[u8]>) -> Option<usize> {
        self.find_from(0, needle)
    }

    /// [`find`](Buf::find) from an offset on.
    #[inline]
    pub fn find_from(self, off: usize, needle: impl AsRef<[u8]>) -> Option<usize> {
        let at = raw::buf_find(self.0, raw::word(off), needle.as_ref());
        if at < raw::CODE_NOT_FOUND {
            misused();
        }
        drop(needle); // once, on all paths
        (at >= 0).then_some(at as usize)
    }

    /// The SHA-256 of a span.
    pub fn hash(self, span: impl RangeBounds<usize>) -> [u8; 32] {
        let mut sum = [0; 32];
        let (off, len) = bounds(span);
        count(raw::buf_hash(self.0, off, len, &mut sum));
        sum
    }

    /// The estimated tokens of a span.
    pub fn tokens(self, span: impl RangeBounds<usize>) -> usize {
        let (off, len) = bounds(span);
        count(raw::buf_tokens(self.0, off, len))
    }

    /// A Buf on a span; nothing is copied. A Section or output from a view counts as
    /// one from what it views.
    ///
    /// Errors: BadArg if the span is outside, Limit beyond 1,024 handles.
    pub fn view(self, span: impl RangeBounds<usize>) -> Result<Buf> {
        let (off, len) = bounds(span);
        Buf::of(raw::buf_view(self.0, off, len))
    }

    /// Reads the bytes as JSON. Nothing happens before the first question.
    pub fn json(self) -> Json {
        Json(self)
    }

    /// Gives back, before the call ends, what `view`, `put`, `json` or `llm` made. It
    /// is needed only where there are over a thousand of them.
    pub fn free(self) {
        if self.0 >= raw::FIRST_HANDLE {
            raw::buf_free(self.0);
        }
    }
}
