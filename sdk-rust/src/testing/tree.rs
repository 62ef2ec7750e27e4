//! The drill-down tree of a call, with the checks of the host.

use super::buffer::{Buffer, Source};
use super::host::{commas, utf8, Host, Part};
use super::keep::boundary;
use super::{id, json};
use crate::raw;
use crate::section::SectionKind;

/// One Section of the drill-down tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Position of its parent; None at the top.
    pub parent: Option<usize>,
    /// What it is.
    pub kind: SectionKind,
    /// Where it starts.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Of a decoded one: where its literal stands in the original.
    pub literal: (usize, usize),
    /// As a path has it: escaped, unique among its siblings.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its summary.
    pub summary: String,
    /// Its bytes; of a group empty.
    pub text: String,
}

impl Section {
    /// An exact Section at the top, for a [`Call`](super::Call).
    pub fn exact(span: std::ops::Range<usize>, id: &str, title: &str) -> Section {
        Section {
            parent: None,
            kind: SectionKind::Exact,
            start: span.start,
            end: span.end,
            literal: (0, 0),
            id: id.into(),
            title: title.into(),
            summary: String::new(),
            text: String::new(),
        }
    }
}

/// The Sections of one call and what is known about each.
pub struct Tree {
    pub sections: Vec<Section>,
    pub earlier: usize, // how many an earlier stage left
    facts: Vec<Fact>,
    text_bytes: usize, // ids, titles, summaries, derived bodies
    top_end: usize,    // where the last exact Section at the top ends
}

#[derive(Clone, Default)]
struct Fact {
    depth: usize,
    children: usize,
    exact: Option<usize>, // nearest exact ancestor
    last_end: usize,      // where the last of its ordered children ends
}

impl Tree {
    pub fn new(sections: &[Section], original: &str) -> Tree {
        let mut tree =
            Tree { sections: Vec::new(), earlier: sections.len(), facts: Vec::new(), text_bytes: 0, top_end: 0 };
        for s in sections {
            let mut s = s.clone();
            s.text = match s.kind {
                SectionKind::Exact => original[s.start..s.end].into(),
                SectionKind::Decoded => {
                    json::unquote(&original.as_bytes()[s.literal.0..s.literal.1])[s.start..s.end].into()
                }
                SectionKind::Group => String::new(),
                SectionKind::Derived => s.text,
            };
            tree.append(s);
        }
        tree
    }

    fn append(&mut self, s: Section) {
        let mut fact = Fact { exact: self.exact_ancestor(s.parent), ..Fact::default() };
        if let Some(p) = s.parent {
            self.facts[p].children += 1;
            fact.depth = self.facts[p].depth + 1;
        }
        if self.ordered(&s) {
            *self.last_end(s.parent) = s.end;
        }
        self.text_bytes += s.id.len() + s.title.len() + s.summary.len();
        if s.kind == SectionKind::Derived {
            self.text_bytes += s.text.len();
        }
        self.sections.push(s);
        self.facts.push(fact);
    }

    /// Drops all Sections but the first ones.
    pub fn truncate(&mut self, kept: usize) {
        let sections = std::mem::take(&mut self.sections);
        self.facts.clear();
        self.text_bytes = 0;
        self.top_end = 0;
        for s in sections.into_iter().take(kept) {
            self.append(s);
        }
    }

    /// Whether it must come after its siblings: an exact one at the top or under one.
    fn ordered(&self, s: &Section) -> bool {
        let below_exact = s.parent.map_or(true, |p| self.sections[p].kind == SectionKind::Exact);
        s.kind == SectionKind::Exact && below_exact
    }

    fn last_end(&mut self, parent: Option<usize>) -> &mut usize {
        match parent {
            None => &mut self.top_end,
            Some(p) => &mut self.facts[p].last_end,
        }
    }

    /// The parent, or the nearest exact Section above it.
    fn exact_ancestor(&self, parent: Option<usize>) -> Option<usize> {
        let p = parent?;
        if self.sections[p].kind == SectionKind::Exact {
            return Some(p);
        }
        self.facts[p].exact
    }

    /// Buffer 5.
    pub fn records(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.sections.len() * raw::SECTION_RECORD_SIZE);
        for (s, fact) in self.sections.iter().zip(&self.facts) {
            let flags = if s.summary.is_empty() { 0 } else { raw::SECTION_HAS_SUMMARY };
            let parent = s.parent.map_or(-1, |p| p as i32);
            let sizes = [s.start, s.end, fact.depth, fact.children].map(|v| v as i32);
            for v in [parent, s.kind as i32].into_iter().chain(sizes).chain([flags, 0]) {
                bytes.extend_from_slice(&v.to_le_bytes());
            }
        }
        bytes
    }

    /// Why a Section cannot stand below its parent, empty if it can.
    fn misplaced(&mut self, s: &Section) -> String {
        match s.kind {
            SectionKind::Exact => {
                if let Some(a) = self.exact_ancestor(s.parent).map(|a| &self.sections[a]) {
                    if s.start < a.start || s.end > a.end {
                        return "leaves its nearest exact ancestor".into();
                    }
                }
                if self.ordered(s) && s.start < *self.last_end(s.parent) {
                    let end = commas(*self.last_end(s.parent));
                    return format!("starts at {}, before its sibling ends at {end}", commas(s.start));
                }
                String::new()
            }
            SectionKind::Decoded => self.misplaced_decoded(s).into(),
            _ => String::new(),
        }
    }

    /// A Section, or the nearest one above it that is no group.
    fn holder(&self, mut at: Option<usize>) -> Option<usize> {
        while let Some(i) = at.filter(|&i| self.sections[i].kind == SectionKind::Group) {
            at = self.sections[i].parent;
        }
        at
    }

    fn misplaced_decoded(&self, s: &Section) -> &'static str {
        let holder = match (s.parent, self.holder(s.parent)) {
            (None, _) => return "a decoded section needs the section that holds its string as parent",
            (_, None) => return "a group at the top holds no string",
            (_, Some(i)) => &self.sections[i],
        };
        match holder.kind {
            SectionKind::Exact if s.literal.0 < holder.start || s.literal.1 > holder.end => {
                "its string is not inside its parent"
            }
            SectionKind::Decoded if holder.literal != s.literal => "its parent is of another string",
            SectionKind::Decoded if s.start < holder.start || s.end > holder.end => "leaves its decoded parent",
            SectionKind::Derived => "its parent is neither exact nor decoded",
            _ => "",
        }
    }

    /// Gives added Sections their final ids as the host does.
    pub fn settle(&mut self) {
        id::settle(&mut self.sections, self.earlier);
    }

    /// Why the tree cannot stand, empty if it can: two Sections claim the same bytes, of
    /// their nearest exact ancestor or of a string, whatever groups and derived ones stand
    /// between.
    pub fn overlap(&self) -> String {
        let mut claims = Vec::new();
        for (i, s) in self.sections.iter().enumerate() {
            match s.kind {
                SectionKind::Exact => claims.push(((0, 0), self.facts[i].exact, s)),
                SectionKind::Decoded => {
                    let holder = self.holder(s.parent).filter(|&h| self.sections[h].kind == SectionKind::Decoded);
                    claims.push((s.literal, holder, s));
                }
                _ => {}
            }
        }
        claims.sort_by_key(|(literal, around, s)| (*literal, *around, s.start));
        for pair in claims.windows(2) {
            let (a, b) = (&pair[0], &pair[1]);
            if (a.0, a.1) == (b.0, b.1) && b.2.start < a.2.end {
                return format!("sections {:?} and {:?} overlap at byte {}", a.2.id, b.2.id, commas(b.2.start));
            }
        }
        String::new()
    }
}

impl Host {
    /// The tree, where the role may have one.
    pub fn tree(&mut self) -> Result<&mut Tree, i32> {
        if !matches!(&self.part, Part::Stage(stage) if !stage.filter) {
            return Err(self.refuse(raw::CODE_UNSUPPORTED, "sections in a filter or a hook"));
        }
        match &mut self.part {
            Part::Stage(stage) => Ok(&mut stage.tree),
            Part::Hook(_) => Err(raw::CODE_UNSUPPORTED),
        }
    }

    pub fn section_add(&mut self, parent: i32, buf: i32, start: i32, end: i32, title: &[u8]) -> i32 {
        self.add_section(parent, buf, start, end, String::new(), title).unwrap_or_else(|code| code)
    }

    /// Adds a Section, with an id unless that is empty.
    pub fn add_section(
        &mut self,
        parent: i32,
        buf: i32,
        start: i32,
        end: i32,
        id: String,
        title: &[u8],
    ) -> Result<i32, i32> {
        let parent = self.room_below(parent)?;
        let mut s = self.new_section(buf, start, end)?;
        s.parent = parent;
        let why = self.tree()?.misplaced(&s);
        if !why.is_empty() {
            return Err(self.bad(why));
        }
        let body = if s.kind == SectionKind::Derived { s.text.len() } else { 0 };
        s.title = self.fitting(title, raw::LIMIT_TITLE_BYTES, body + id.len(), 0)?;
        s.id = id;
        let tree = self.tree()?;
        tree.append(s);
        Ok(tree.sections.len() as i32 - 1)
    }

    /// Checks that a Section may have one more child.
    fn room_below(&mut self, parent: i32) -> Result<Option<usize>, i32> {
        let most = self.limits.sections;
        let tree = self.tree()?;
        let count = tree.sections.len();
        let position = usize::try_from(parent).ok();
        let deep = position.and_then(|p| tree.facts.get(p)).map_or(false, |f| f.depth + 1 >= raw::LIMIT_SECTION_DEPTH);
        if parent < -1 || position.map_or(false, |p| p >= count) {
            return Err(self.bad(format!("no parent {parent}")));
        }
        if count >= most {
            return Err(self.refuse(raw::CODE_LIMIT, format!("more than {} sections", commas(most))));
        }
        if deep {
            return Err(self.refuse(raw::CODE_LIMIT, "sections deeper than 64"));
        }
        Ok(position)
    }

    /// Reads off a buffer and a span what the Section is.
    fn new_section(&mut self, buf: i32, start: i32, end: i32) -> Result<Section, i32> {
        let mut s = Section::exact(0..0, "", "");
        if buf == raw::BUF_NONE {
            if (start, end) != (0, 0) {
                return Err(self.bad("a group has no span"));
            }
            s.kind = SectionKind::Group;
            return Ok(s);
        }
        let (b, from, to) = self.span(buf, start, if end < start { i32::MIN } else { end - start })?;
        let text = match std::str::from_utf8(&b.bytes[from..to]) {
            Ok(text) if from < to => text,
            _ => return Err(self.bad(format!("span {start} to {end} is empty or cuts a character"))),
        };
        s.kind = b.from.kind;
        s.text = text.into();
        if s.kind == SectionKind::Derived {
            if text.len() > raw::LIMIT_DERIVED_BYTES {
                return Err(self.refuse(raw::CODE_LIMIT, "derived body over 1 MiB"));
            }
            s.end = text.len();
            return Ok(s);
        }
        s.start = b.from.off + from;
        s.end = b.from.off + to;
        s.literal = b.from.literal;
        Ok(s)
    }

    /// A text cut at a boundary, if there is room for it, and for more, in place of one.
    fn fitting(&mut self, text: &[u8], limit: usize, more: usize, old: usize) -> Result<String, i32> {
        let text = match utf8(text) {
            Some(text) => &text[..boundary(text, text.len().min(limit))],
            None => return Err(self.bad("text is not UTF-8")),
        };
        let full = self.tree()?.text_bytes + text.len() + more - old > raw::LIMIT_SECTION_TEXT_BYTES;
        if full {
            return Err(self.refuse(raw::CODE_LIMIT, "titles, summaries and derived bodies over 8 MiB"));
        }
        Ok(text.into())
    }

    fn section(&mut self, i: i32) -> Result<&mut Section, i32> {
        let count = self.tree()?.sections.len();
        match usize::try_from(i) {
            Ok(i) if i < count => Ok(&mut self.tree()?.sections[i]),
            _ => Err(self.refuse(raw::CODE_NOT_FOUND, format!("no section {i}"))),
        }
    }

    pub fn section_title(&mut self, section: i32, buf: i32, off: i32, len: i32) -> i32 {
        let set = self.set_text(section, (buf, off, len), raw::LIMIT_TITLE_BYTES, |s| &mut s.title);
        set.err().unwrap_or(0)
    }

    pub fn section_summary(&mut self, section: i32, buf: i32, off: i32, len: i32) -> i32 {
        let set = self.set_text(section, (buf, off, len), raw::LIMIT_SUMMARY_BYTES, |s| &mut s.summary);
        set.err().unwrap_or(0)
    }

    fn set_text(
        &mut self,
        section: i32,
        from: (i32, i32, i32),
        limit: usize,
        field: impl Fn(&mut Section) -> &mut String,
    ) -> Result<(), i32> {
        self.tree()?;
        let (b, start, end) = self.span(from.0, from.1, from.2)?;
        let old = field(self.section(section)?).len();
        let text = self.fitting(&b.bytes[start..end], limit, 0, old)?;
        let tree = self.tree()?;
        tree.text_bytes = tree.text_bytes + text.len() - old;
        *field(self.section(section)?) = text;
        Ok(())
    }

    pub fn section_id(&mut self, section: i32, given: &[u8]) -> i32 {
        self.set_id(section, given).err().unwrap_or(0)
    }

    fn set_id(&mut self, section: i32, given: &[u8]) -> Result<(), i32> {
        let old = self.section(section)?.id.len();
        if (section as usize) < self.tree()?.earlier {
            return Err(self.bad(format!("section {section} is of an earlier stage")));
        }
        let given = match utf8(given) {
            Some(given) if !given.is_empty() => id::segment(given),
            _ => return Err(self.bad("id is empty or not UTF-8")),
        };
        let given = self.fitting(given.as_bytes(), usize::MAX, 0, old)?;
        let tree = self.tree()?;
        tree.text_bytes = tree.text_bytes + given.len() - old;
        self.section(section)?.id = given;
        Ok(())
    }

    pub fn section_text(&mut self, section: i32, what: i32) -> i32 {
        let s = match self.section(section) {
            Ok(s) => s.clone(),
            Err(code) => return code,
        };
        let text = match what {
            raw::SECTION_TEXT_ID => s.id,
            raw::SECTION_TEXT_TITLE => s.title,
            raw::SECTION_TEXT_SUMMARY => s.summary,
            raw::SECTION_TEXT_BODY => {
                let mut from = Source::own();
                if matches!(s.kind, SectionKind::Exact | SectionKind::Decoded) {
                    from = Source { kind: s.kind, off: s.start, input: false, literal: s.literal };
                }
                return self.handle(Buffer::from(s.text, from));
            }
            _ => return self.bad(format!("section_text {what}, want 0 to 3")),
        };
        self.handle(Buffer::text(text))
    }
}
