use crate::buf::{bounds, Buf};
use crate::error::{check, Result};
use crate::raw;
use crate::section::Section;
use std::fmt;
use std::ops::RangeBounds;

/// The output of a stage. It stays in the host and is the result if the stage returns
/// [`DONE`](crate::DONE). An empty result needs one `write("")`. `write!` and `writeln!`
/// work as well, with [`std::fmt::Write`].
///
/// Errors: Limit beyond [`Limits::output_bytes`](crate::Limits::output_bytes). The call
/// then fails even if the stage ignores the error, because the output would be incomplete.
#[derive(Debug)]
pub struct Out(pub(crate) ());

impl Out {
    /// Appends text or bytes.
    #[inline]
    pub fn write(&self, text: impl AsRef<[u8]>) -> Result<()> {
        check(raw::out_write(text.as_ref())).map(drop)
    }

    /// Appends a span of a Buf without copying it through the guest. Index marks in a span
    /// of [`Base::input`](crate::Base::input) are kept.
    #[inline]
    pub fn span(&self, buf: Buf, span: impl RangeBounds<usize>) -> Result<()> {
        let (off, len) = bounds(span);
        check(raw::out_span(buf.0, off, len)).map(drop)
    }

    /// Marks the position at which the host prints, after the last stage, the index of the
    /// children of a Section. A limit of 0 lines or bytes means the host's setting. The
    /// mark adds no bytes to the output.
    ///
    /// Errors: NotFound if there is no such Section, Unsupported in a filter.
    pub fn index(&self, section: Section, lines: usize, bytes: usize) -> Result<()> {
        check(raw::out_index(section.0, raw::word(lines), raw::word(bytes))).map(drop)
    }
}

impl fmt::Write for Out {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.write(s).map_err(|_| fmt::Error)
    }
}
