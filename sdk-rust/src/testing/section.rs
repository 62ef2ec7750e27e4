//! The Sections of the stub.

use super::stub::Stub;
use crate::raw;
use crate::section::SectionKind;

/// A Section of the drill-down tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The position of its parent; None at the top level.
    pub parent: Option<usize>,
    /// Its kind.
    pub kind: SectionKind,
    /// Where it starts in the original or the decoded string; 0 in text of the stage.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The id that the stage set. The stub derives none from the title.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its summary.
    pub summary: String,
    /// Its text; empty for a group.
    pub body: String,
}

impl Stub {
    /// Adds a Section and returns its position; a buffer of BUF_NONE adds a group.
    pub fn add_section(&mut self, parent: i32, buf: i32, start: i32, end: i32, title: &[u8]) -> Result<i32, i32> {
        if parent < -1 || parent >= self.sections.len() as i32 {
            return Err(self.refuse(raw::CODE_BAD_ARG, format!("no section {parent}")));
        }
        let mut section = Section {
            parent: usize::try_from(parent).ok(),
            kind: SectionKind::Group,
            start: 0,
            end: 0,
            id: String::new(),
            title: text(title),
            summary: String::new(),
            body: String::new(),
        };
        if buf != raw::BUF_NONE {
            let buffer = self.span(buf, start, end.wrapping_sub(start))?;
            section.kind = buffer.kind;
            if buffer.kind != SectionKind::Derived {
                section.start = buffer.offset;
                section.end = buffer.offset + buffer.bytes.len();
            }
            section.body = match String::from_utf8(buffer.bytes) {
                Ok(body) if !body.is_empty() => body,
                _ => return Err(self.refuse(raw::CODE_BAD_ARG, format!("span {start} to {end} is not text"))),
            };
        }
        self.sections.push(section);
        Ok(self.sections.len() as i32 - 1)
    }

    /// Adds the Sections of a batch. If one of them is invalid, none is added.
    pub fn add_sections(&mut self, buf: i32, records: &[u8], texts: &[u8]) -> Result<i32, i32> {
        let first = self.sections.len();
        let mut texts = texts;
        for record in records.chunks_exact(raw::ADDITION_RECORD_SIZE) {
            let word = |i: usize| i32::from_le_bytes([record[i], record[i + 1], record[i + 2], record[i + 3]]);
            let (id, rest) = texts.split_at(word(12) as usize);
            let (title, rest) = rest.split_at(word(16) as usize);
            texts = rest;
            let buf = if word(8) == 0 { raw::BUF_NONE } else { buf };
            if let Err(code) = self.add_section(word(0), buf, word(4), word(8), title) {
                self.sections.truncate(first);
                return Err(code);
            }
            if let Some(last) = self.sections.last_mut() {
                last.id = text(id);
            }
        }
        Ok(first as i32)
    }

    /// Lets f change a Section.
    pub fn change_section(&mut self, section: i32, f: impl FnOnce(&mut Section)) -> Result<i32, i32> {
        let found = usize::try_from(section).ok().and_then(|i| self.sections.get_mut(i));
        found.map(f).ok_or(raw::CODE_NOT_FOUND)?;
        Ok(0)
    }

    pub fn section_string(&mut self, section: i32, field: i32) -> Result<i32, i32> {
        let mut string = String::new();
        self.change_section(section, |s| {
            string = match field {
                raw::SECTION_TEXT_ID => &s.id,
                raw::SECTION_TEXT_TITLE => &s.title,
                raw::SECTION_TEXT_SUMMARY => &s.summary,
                _ => &s.body,
            }
            .clone();
        })?;
        Ok(self.keep(string.into_bytes()))
    }

    /// Returns the records of the buffer of Sections.
    pub fn section_records(&self) -> Vec<u8> {
        let mut records = Vec::new();
        for (i, s) in self.sections.iter().enumerate() {
            let depth = std::iter::successors(s.parent, |p| self.sections[*p].parent).count();
            let children = self.sections.iter().filter(|c| c.parent == Some(i)).count();
            let kind = match s.kind {
                SectionKind::Exact => raw::SECTION_EXACT,
                SectionKind::Group => raw::SECTION_GROUP,
                SectionKind::Decoded => raw::SECTION_DECODED,
                SectionKind::Derived => raw::SECTION_DERIVED,
            };
            let parent = s.parent.map_or(-1, |p| p as i32);
            let flags = if s.summary.is_empty() { 0 } else { raw::SECTION_HAS_SUMMARY };
            for word in [parent, kind, s.start as i32, s.end as i32, depth as i32, children as i32, flags, 0] {
                records.extend_from_slice(&word.to_le_bytes());
            }
        }
        records
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
