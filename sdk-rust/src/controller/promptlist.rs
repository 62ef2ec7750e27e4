use super::ctx::Ctx;
use super::prompts::Prompt;
use crate::buf::Buf;
use crate::error::Result;
use crate::raw;
use crate::search::{number, page, Span};

/// A snapshot of the visible prompts, in the order of [`Ctx::prompts`]. It stays in the host:
/// a controller reads single prompts, or searches all of them page by page. With thousands of
/// prompts that is much faster than to read each one.
///
/// It is a handle until the hook ends or [`free`](PromptList::free) is called.
#[derive(Clone, Copy, Debug)]
pub struct PromptList {
    buf: Buf,
    len: usize,
    size: usize, // of a record; a later host may have made it larger
}

/// The size of the header: the number of records and the size of a record.
const HEAD: usize = 8;

/// The number of prompts on a page, which is about 32 KB.
const PER_PAGE: usize = 128;

// The fields of a record in words of 4 bytes. A span is two words.
const NAME: usize = 0;
const SUMMARY: usize = 2;
const CHAPTERS: usize = 4;
const PROJECT: usize = 6;
const LINK: usize = 8;
const REF: usize = 10;
const PRIORITY: usize = 12;
const BYTES: usize = 13;
const LINK_STATUS: usize = 14;
const HASH_AT: usize = 64;

impl Ctx {
    /// Returns a snapshot of the visible prompts. The host must support ABI 1.1.
    ///
    /// Errors: Denied without the capability session, Limit.
    pub fn prompt_list(&self) -> Result<PromptList> {
        let buf = Buf::of(raw::prompt_records())?;
        let mut head = [0; HEAD];
        buf.read(0, &mut head)?;
        Ok(PromptList { buf, len: number(&head, 0), size: number(&head, 1).max(raw::PROMPT_RECORD_SIZE) })
    }
}

impl PromptList {
    /// Returns the number of prompts.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Reports whether there are no prompts.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns a prompt by position.
    pub fn get(&self, i: usize) -> Option<Prompt> {
        let mut record = [0; raw::PROMPT_RECORD_SIZE];
        self.record(i, &mut record)?;
        let text = |field| self.text(span(&record, field));
        let chapters = text(CHAPTERS);
        Some(Prompt {
            name: text(NAME),
            project: text(PROJECT),
            priority: number(&record, PRIORITY) as i64,
            summary: text(SUMMARY),
            chapters: if chapters.is_empty() { Vec::new() } else { chapters.split('\n').map(String::from).collect() },
            bytes: number(&record, BYTES) as i64,
            hash: hex(&record[HASH_AT..HASH_AT + raw::HASH_SIZE]),
            link: text(LINK),
            link_status: link_status(number(&record, LINK_STATUS) as i32).into(),
            content_ref: text(REF),
        })
    }

    /// Returns the name of a prompt by position.
    pub fn name(&self, i: usize) -> Option<String> {
        let mut record = [0; HEAD];
        self.record(i, &mut record)?;
        Some(self.text(span(&record, NAME)))
    }

    /// Iterates over all prompts in pages.
    pub fn pages(&self) -> Pages {
        Pages { list: *self, next: 0 }
    }

    /// Frees the handle before the hook ends.
    pub fn free(self) {
        self.buf.free();
    }

    /// Reads the beginning of a record.
    fn record(&self, i: usize, to: &mut [u8]) -> Option<()> {
        if i >= self.len {
            return None;
        }
        let n = self.buf.read(HEAD + i * self.size, to).ok()?;
        (n == to.len()).then_some(())
    }

    fn text(&self, at: Span) -> String {
        if at.end <= at.start {
            return String::new();
        }
        let bytes = raw::filled(at.end - at.start, |to| self.buf.read(at.start, to).unwrap_or(0));
        String::from_utf8(bytes).unwrap_or_default()
    }
}

fn span(record: &[u8], field: usize) -> Span {
    number(record, field)..number(record, field + 1)
}

fn link_status(number: i32) -> &'static str {
    match number {
        raw::LINK_ALIVE => "alive",
        raw::LINK_DEAD => "dead",
        raw::LINK_UNKNOWN => "unknown",
        _ => "",
    }
}

/// Returns a hash in hexadecimal digits; empty if it is all zero, which means unknown.
fn hex(hash: &[u8]) -> String {
    if hash.iter().all(|&b| b == 0) {
        return String::new();
    }
    let digit = |n: u8| char::from(b"0123456789abcdef"[usize::from(n & 15)]);
    hash.iter().flat_map(|b| [digit(b >> 4), digit(*b)]).collect()
}

/// Iterates over the pages of a list; see [`PromptList::pages`].
#[derive(Debug)]
pub struct Pages {
    list: PromptList,
    next: usize,
}

/// Consecutive prompts of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptPage {
    /// The position of the first prompt.
    pub first: usize,
    /// For each prompt, a line with its name, one with its summary, and one for each chapter.
    pub text: String,
    /// The offset in the text of each prompt's lines, and the end of the text.
    pub starts: Vec<usize>,
    /// The priority of each prompt.
    pub priorities: Vec<i64>,
}

impl PromptPage {
    /// Returns the number of prompts on the page.
    pub fn len(&self) -> usize {
        self.priorities.len()
    }

    /// Reports whether there are no prompts. A page of a list is never empty.
    pub fn is_empty(&self) -> bool {
        self.priorities.is_empty()
    }

    /// Returns the lines of the i-th prompt of the page.
    pub fn lines(&self, i: usize) -> &str {
        match self.starts.get(i..i + 2) {
            Some(&[start, end]) => self.text.get(start..end).unwrap_or(""),
            _ => "",
        }
    }

    /// Returns the name of the i-th prompt of the page.
    pub fn name(&self, i: usize) -> &str {
        self.lines(i).split('\n').next().unwrap_or("")
    }
}

impl Iterator for Pages {
    type Item = PromptPage;

    fn next(&mut self) -> Option<PromptPage> {
        let list = self.list;
        let n = PER_PAGE.min(list.len.saturating_sub(self.next));
        if n == 0 {
            return None;
        }
        let mut records = page(n * list.size);
        list.record(self.next, &mut records)?;
        let field = |i: usize, field| number(records.get(i * list.size..).unwrap_or(&[]), field);
        let start = field(0, NAME);
        let text = list.text(start..field(n - 1, CHAPTERS + 1) + 1);
        let mut starts: Vec<usize> = (0..n).map(|i| field(i, NAME).saturating_sub(start)).collect();
        starts.push(text.len());
        let first = self.next;
        self.next += n;
        Some(PromptPage { first, text, starts, priorities: (0..n).map(|i| field(i, PRIORITY) as i64).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{run, Call};
    use crate::{Ctx, Outcome, PASS};

    /// Returns the buffer of n prompts as the host writes it: name, summary and chapters of
    /// all prompts are one run of lines.
    fn records(n: usize) -> Vec<u8> {
        let text_at = HEAD + n * raw::PROMPT_RECORD_SIZE;
        let (mut head, mut text) = (Vec::new(), String::new());
        for word in [n, raw::PROMPT_RECORD_SIZE] {
            head.extend_from_slice(&(word as u32).to_le_bytes());
        }
        for i in 0..n {
            let mut record = [0_u32; raw::PROMPT_RECORD_SIZE / 4];
            let lines = [(NAME, format!("p{i}")), (SUMMARY, "é".repeat(i % 3)), (CHAPTERS, "a\nb"[..i % 2 * 3].into())];
            for (field, line) in lines {
                record[field] = (text_at + text.len()) as u32;
                text += &line;
                record[field + 1] = (text_at + text.len()) as u32;
                text.push('\n');
            }
            (record[PRIORITY], record[BYTES], record[LINK_STATUS]) = (i as u32 % 11, 7, (i % 2) as u32);
            head.extend(record.iter().flat_map(|word| word.to_le_bytes()));
        }
        [head, text.into_bytes()].concat()
    }

    fn read(c: &mut Ctx) -> Outcome {
        let len = c.int("n", 0) as usize;
        let list = PromptList { buf: c.put(records(len))?, len, size: raw::PROMPT_RECORD_SIZE };
        let mut seen = 0;
        for page in list.pages() {
            assert_eq!((page.first, page.is_empty()), (seen, false));
            for i in 0..page.len() {
                let p = list.get(seen).unwrap_or_default();
                assert_eq!((p.name.as_str(), p.summary.len()), (format!("p{seen}").as_str(), seen % 3 * 2));
                let mut lines = format!("{}\n{}\n{}", p.name, p.summary, p.chapters.join("\n"));
                lines.push('\n');
                assert_eq!((page.lines(i), page.name(i), page.priorities[i]), (lines.as_str(), p.name.as_str(), p.priority));
                seen += 1;
            }
            assert_eq!((page.lines(page.len()), page.starts.len()), ("", page.len() + 1));
        }
        assert_eq!((seen, list.get(len), list.name(usize::MAX)), (len, None, None));
        PASS
    }

    #[test]
    fn pages_agree_with_single_prompts() {
        for n in [0, 1, 2, 127, 128, 129, 300] {
            let got = run("s", read, &Call::of("").with_config(format!(r#"{{"n":{n}}}"#)));
            assert_eq!(got.reason, "", "{n} prompts");
        }
    }
}
