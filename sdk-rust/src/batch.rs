use crate::buf::Buf;
use crate::error::{check, Code, Error, Result};
use crate::raw;
use crate::section::{ends, Section};
use std::ops::RangeBounds;

/// The sizes at which a batch is sent to the host.
const RECORDS: usize = 128 * raw::ADDITION_RECORD_SIZE;
const TEXTS: usize = 8 << 10;

/// Adds many Sections with few calls of the host, for a stage that has hundreds of them.
///
/// [`add`](Batch::add) and [`group`](Batch::group) return the position that the Section
/// will have, so that children can use it as their parent. The Section exists after
/// [`flush`](Batch::flush), or after an `add` that had to send the batch. Until then nothing
/// else may add Sections.
///
/// Errors are those of [`Sections::add`](crate::Sections::add) and
/// [`set_id`](crate::Sections::set_id), returned by `flush` or by a later `add`. Then none of
/// the waiting Sections is added, and their positions are free again.
///
/// ```
/// # use mcpctl_stage::{Ctx, Outcome, PASS, TOP};
/// fn lines(c: &mut Ctx) -> Outcome {
///     let mut batch = c.sections.batch();
///     for line in c.input.lines(0) {
///         batch.add(TOP, c.input, line, "", "a line")?;
///     }
///     batch.flush()?;
///     PASS
/// }
/// # use mcpctl_stage::testing::{run, Call};
/// # assert_eq!(run("lines", lines, &Call::of("a\nb\n")).sections.len(), 2);
/// ```
#[derive(Debug)]
pub struct Batch {
    next: i32, // position of the next Section
    buf: i32,  // of all spans; BUF_NONE if there are none yet
    records: Vec<u8>,
    texts: Vec<u8>,
}

impl Batch {
    pub(crate) fn from(next: usize) -> Batch {
        let (records, texts) = (Vec::with_capacity(RECORDS), Vec::with_capacity(TEXTS));
        Batch { next: raw::word(next), buf: raw::BUF_NONE, records, texts }
    }

    /// Adds a span of a Buf as a child of a Section, with an id unless that is empty.
    pub fn add(
        &mut self,
        parent: Section,
        buf: Buf,
        span: impl RangeBounds<usize>,
        id: &str,
        title: &str,
    ) -> Result<Section> {
        let (start, end) = ends(buf, span);
        if start >= end {
            return Err(Error::refused(Code::BadArg, &["empty span"])); // 0 to 0 would be a group
        }
        if self.buf != buf.0 {
            if self.buf != raw::BUF_NONE {
                self.flush()?;
            }
            self.buf = buf.0;
        }
        self.record([parent.0, start, end], id, title)
    }

    /// Adds a child without bytes of its own, with an id unless that is empty.
    pub fn group(&mut self, parent: Section, id: &str, title: &str) -> Result<Section> {
        self.record([parent.0, 0, 0], id, title)
    }

    fn record(&mut self, place: [i32; 3], id: &str, title: &str) -> Result<Section> {
        if self.records.len() == RECORDS || self.texts.len() + id.len() + title.len() > TEXTS {
            let buf = self.buf;
            self.flush()?;
            self.buf = buf;
        }
        for v in place.into_iter().chain([raw::word(id.len()), raw::word(title.len())]) {
            self.records.extend_from_slice(&v.to_le_bytes());
        }
        self.texts.extend_from_slice(id.as_bytes());
        self.texts.extend_from_slice(title.as_bytes());
        self.next += 1;
        Ok(Section(self.next - 1))
    }

    /// Adds the waiting Sections.
    pub fn flush(&mut self) -> Result<()> {
        if self.records.is_empty() {
            return Ok(());
        }
        let result = raw::sections_add(self.buf, &self.records, &self.texts);
        if result < 0 {
            self.next -= self.waiting();
        }
        self.buf = raw::BUF_NONE;
        self.records.clear();
        self.texts.clear();
        check(result).map(drop)
    }

    /// Reports whether a Section exists.
    pub fn has(&self, section: Section) -> bool {
        section.0 < self.next - self.waiting()
    }

    fn waiting(&self) -> i32 {
        raw::word(self.records.len() / raw::ADDITION_RECORD_SIZE)
    }
}
