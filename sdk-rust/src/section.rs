use crate::batch::Batch;
use crate::buf::{bounds, Buf};
use crate::error::{check, count, Result};
use crate::raw;
use crate::search::{number, page, Span};
use std::ops::{Bound, RangeBounds};

/// The position of a Section in the tree, in which parents come before children. It never
/// changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Section(pub(crate) i32);

/// The parent of Sections at the top level.
pub const TOP: Section = Section(-1);

impl Section {
    /// Returns the Section at a position.
    pub fn at(position: usize) -> Section {
        Section(raw::word(position))
    }

    /// Returns the position; None for [`TOP`].
    pub fn position(self) -> Option<usize> {
        usize::try_from(self.0).ok()
    }
}

/// The kind of a Section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SectionKind {
    /// Bytes of the original.
    Exact,
    /// No bytes of its own.
    Group,
    /// Bytes of a decoded JSON string.
    Decoded,
    /// Text of the stage.
    Derived,
}

impl SectionKind {
    fn of(number: usize) -> SectionKind {
        match number as i32 {
            raw::SECTION_EXACT => SectionKind::Exact,
            raw::SECTION_GROUP => SectionKind::Group,
            raw::SECTION_DECODED => SectionKind::Decoded,
            _ => SectionKind::Derived,
        }
    }
}

/// The properties of a Section; see [`Sections::list`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionInfo {
    /// Its parent, or [`TOP`].
    pub parent: Section,
    /// Its kind.
    pub kind: SectionKind,
    /// Its span in the original or in a decoded string.
    pub span: Span,
    /// 0 at the top.
    pub depth: usize,
    /// The number of direct children.
    pub children: usize,
    /// Whether it has a summary.
    pub has_summary: bool,
}

/// The drill-down tree: Sections of earlier stages and of this one.
///
/// A filter cannot add Sections: Unsupported.
#[derive(Debug)]
pub struct Sections(pub(crate) ());

impl Sections {
    /// Returns a batch, which adds many Sections at once. A stage needs at most one.
    pub fn batch(&self) -> Batch {
        Batch::from(self.len())
    }

    /// Returns the number of Sections.
    pub fn len(&self) -> usize {
        count(raw::buf_len(raw::BUF_SECTIONS)) / raw::SECTION_RECORD_SIZE
    }

    /// Reports whether there are no Sections.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the current tree.
    pub fn list(&self) -> Vec<SectionInfo> {
        let mut page = page(self.len() * raw::SECTION_RECORD_SIZE);
        let n = count(raw::buf_read(raw::BUF_SECTIONS, 0, &mut page));
        (0..n / raw::SECTION_RECORD_SIZE)
            .map(|i| {
                let field = |k| number(&page, 8 * i + k);
                SectionInfo {
                    parent: Section(field(0) as u32 as i32),
                    kind: SectionKind::of(field(1)),
                    span: field(2)..field(3),
                    depth: field(4),
                    children: field(5),
                    has_summary: field(6) as i32 & raw::SECTION_HAS_SUMMARY != 0,
                }
            })
            .collect()
    }

    /// Adds a span of a Buf as a child of a Section.
    ///
    /// The Buf determines the kind. A span of the original, of an input that equals the
    /// original, or of a view of them is Exact. A span of a string that
    /// [`Json::get`](crate::Json::get) or [`Json::text`](crate::Json::text) decoded from
    /// such a Buf is Decoded. Any other span is Derived: the host copies the text and marks
    /// it as text of the stage.
    ///
    /// Without an id (see [`set_id`](Sections::set_id)) the host derives one from the title.
    ///
    /// Limits: 65,536 Sections, 64 levels; a title is cut at 256 bytes.
    /// Errors: BadArg if the span is empty or out of range, cuts a character, is not within
    /// the nearest exact ancestor, or starts before the end of the previous sibling; Limit.
    /// Then nothing is added.
    pub fn add(&self, parent: Section, buf: Buf, span: impl RangeBounds<usize>, title: &str) -> Result<Section> {
        let (start, end) = ends(buf, span);
        added(raw::section_add(parent.0, buf.0, start, end, title.as_bytes()))
    }

    /// Adds a child without bytes of its own. A group is not part of the paths of its
    /// children.
    pub fn group(&self, parent: Section, title: &str) -> Result<Section> {
        added(raw::section_add(parent.0, raw::BUF_NONE, 0, 0, title.as_bytes()))
    }

    /// Adds a child with text of the stage, of up to 1 MiB.
    pub fn derived(&self, parent: Section, text: &str, title: &str) -> Result<Section> {
        with(text, |b| added(raw::section_add(parent.0, b.0, 0, raw::word(text.len()), title.as_bytes())))
    }

    /// Sets the id of a Section that was added in this call. Derive ids from names in the
    /// content, never from config or an LLM, so that paths are stable. The host escapes
    /// characters that a path cannot contain and numbers equal siblings.
    ///
    /// Errors: BadArg for a Section of an earlier stage or an empty id.
    pub fn set_id(&self, section: Section, id: &str) -> Result<()> {
        check(raw::section_id(section.0, id.as_bytes())).map(drop)
    }

    /// Sets or replaces the title.
    pub fn set_title(&self, section: Section, title: &str) -> Result<()> {
        with(title, |b| self.set_title_span(section, b, ..))
    }

    /// Like [`set_title`](Sections::set_title), from a span of a Buf, for example a heading.
    pub fn set_title_span(&self, section: Section, buf: Buf, span: impl RangeBounds<usize>) -> Result<()> {
        let (off, len) = bounds(span);
        check(raw::section_title(section.0, buf.0, off, len)).map(drop)
    }

    /// Sets or replaces the summary. It is cut at 2 KiB.
    pub fn set_summary(&self, section: Section, summary: &str) -> Result<()> {
        with(summary, |b| self.set_summary_span(section, b, ..))
    }

    /// Like [`set_summary`](Sections::set_summary), from a span of a Buf, for example an
    /// LLM's answer.
    pub fn set_summary_span(&self, section: Section, buf: Buf, span: impl RangeBounds<usize>) -> Result<()> {
        let (off, len) = bounds(span);
        check(raw::section_summary(section.0, buf.0, off, len)).map(drop)
    }

    /// Returns the id, which is empty for a new Section without one.
    ///
    /// Errors: NotFound if there is no such Section.
    pub fn id(&self, section: Section) -> Result<String> {
        own_text(section, raw::SECTION_TEXT_ID)
    }

    /// Returns the title; see [`id`](Sections::id).
    pub fn title(&self, section: Section) -> Result<String> {
        own_text(section, raw::SECTION_TEXT_TITLE)
    }

    /// Returns the summary; see [`id`](Sections::id).
    pub fn summary(&self, section: Section) -> Result<String> {
        own_text(section, raw::SECTION_TEXT_SUMMARY)
    }

    /// Returns the bytes, which are empty for a group; see [`id`](Sections::id).
    pub fn body(&self, section: Section) -> Result<Buf> {
        Buf::of(raw::section_text(section.0, raw::SECTION_TEXT_BODY))
    }
}

/// Returns the start and the end of a span of a Buf.
pub(crate) fn ends(buf: Buf, span: impl RangeBounds<usize>) -> (i32, i32) {
    let end = match span.end_bound() {
        Bound::Included(&at) => at.saturating_add(1),
        Bound::Excluded(&at) => at,
        Bound::Unbounded => buf.len(),
    };
    (bounds(span).0, raw::word(end))
}

fn added(result: i32) -> Result<Section> {
    Ok(Section(check(result)?))
}

fn own_text(section: Section, what: i32) -> Result<String> {
    Ok(raw::take_text(check(raw::section_text(section.0, what))?))
}

/// Calls f with a Buf of the text and frees it.
fn with<T>(text: &str, f: impl FnOnce(Buf) -> Result<T>) -> Result<T> {
    let buf = Buf::of(raw::buf_put(text.as_bytes()))?;
    let result = f(buf);
    buf.free();
    result
}
