//! sections_add: many Sections at once, all of them or none.

use super::host::{utf8, Host};
use super::id;
use crate::raw;

/// A record of sections_add.
struct Addition {
    parent: i32,
    start: i32,
    end: i32,
    id: usize, // bytes of its texts
    title: usize,
}

impl Addition {
    fn read(record: &[u8]) -> Addition {
        let field = |k: usize| {
            let word = [record[4 * k], record[4 * k + 1], record[4 * k + 2], record[4 * k + 3]];
            i32::from_le_bytes(word)
        };
        let size = |k| field(k) as u32 as usize;
        Addition { parent: field(0), start: field(1), end: field(2), id: size(3), title: size(4) }
    }
}

impl Host {
    pub fn sections_add(&mut self, buf: i32, records: &[u8], texts: &[u8]) -> i32 {
        self.add_sections(buf, records, texts).unwrap_or_else(|code| code)
    }

    fn add_sections(&mut self, buf: i32, records: &[u8], mut texts: &[u8]) -> Result<i32, i32> {
        let first = self.tree()?.sections.len();
        if buf != raw::BUF_NONE {
            self.span(buf, 0, 0)?;
        }
        if records.len() % raw::ADDITION_RECORD_SIZE != 0 {
            let each = raw::ADDITION_RECORD_SIZE;
            return Err(self.bad(format!("{} bytes of records, of {each} each", records.len())));
        }
        let added: Vec<Addition> = records.chunks(raw::ADDITION_RECORD_SIZE).map(Addition::read).collect();
        let want: usize = added.iter().map(|a| a.id + a.title).sum();
        if want != texts.len() {
            return Err(self.bad(format!("{} bytes of texts, records say {want}", texts.len())));
        }
        for (n, a) in added.iter().enumerate() {
            let (own, rest) = texts.split_at(a.id + a.title);
            texts = rest;
            if let Err(code) = self.add_named(a, buf, own) {
                self.tree()?.truncate(first);
                let why = format!("record {n}: {}", self.last_error);
                return Err(self.refuse(code, why));
            }
        }
        Ok(first as i32)
    }

    fn add_named(&mut self, a: &Addition, buf: i32, texts: &[u8]) -> Result<i32, i32> {
        let (given, title) = texts.split_at(a.id);
        let given = match utf8(given) {
            Some("") => String::new(),
            Some(given) => id::segment(given),
            None => return Err(self.bad("id is not UTF-8")),
        };
        let buf = if (a.start, a.end) == (0, 0) { raw::BUF_NONE } else { buf };
        self.add_section(a.parent, buf, a.start, a.end, given, title)
    }
}
