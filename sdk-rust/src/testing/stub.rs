//! Answers the imports from memory and records the effects of a call.

use super::json;
use super::section::{text, Section};
use super::Call;
use crate::controller::Kind;
use crate::raw::{self, Host};
use crate::section::SectionKind;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// The buffers and the recorded effects of one call.
#[derive(Default)]
pub struct Stub {
    buffers: HashMap<i32, Buffer>,
    handles: i32, // given out so far
    last_error: String,
    target: i32, // of output

    pub missing_import: Option<&'static str>,
    pub reason: String,
    pub wrote: bool,
    pub output: Vec<u8>,
    pub kind: Kind,
    pub blocks: Vec<(i32, Vec<u8>)>, // with their targets
    pub effects: Vec<String>,
    pub indexes: Vec<usize>,
    pub sections: Vec<Section>,
    pub meta: BTreeMap<String, String>,
    pub log: Vec<String>,
    pub cache: BTreeMap<String, Vec<u8>>,
    pub state: BTreeMap<String, Vec<u8>>,
}

/// Bytes that the call can name.
#[derive(Clone)]
pub struct Buffer {
    pub bytes: Vec<u8>,
    /// The kind of a Section of this buffer.
    pub kind: SectionKind,
    /// Where the bytes start in the original or the decoded string.
    pub offset: usize,
}

fn ok(result: Result<i32, i32>) -> i32 {
    result.unwrap_or_else(|code| code)
}

impl Stub {
    pub fn new(role: &str, call: &Call) -> Stub {
        let original = if call.original.is_empty() { &call.input } else { &call.original };
        let input_kind = if *original == call.input { SectionKind::Exact } else { SectionKind::Derived };
        let config = if call.config.is_empty() { "{}" } else { &call.config };
        let mut stub = Stub {
            sections: call.sections.clone(),
            cache: call.cache.clone(),
            state: call.state.clone(),
            ..Stub::default()
        };
        for (id, text, kind) in [
            (raw::BUF_INPUT, call.input.as_str(), input_kind),
            (raw::BUF_ORIGINAL, original, SectionKind::Exact),
            (raw::BUF_CONFIG, config, SectionKind::Derived),
            (raw::BUF_CONTEXT, &context(role, &call.context), SectionKind::Derived),
            (raw::BUF_NAME, &call.source, SectionKind::Derived),
            (raw::BUF_SESSION, "session", SectionKind::Derived),
            (raw::BUF_ARGUMENTS, &call.arguments, SectionKind::Derived),
            (raw::BUF_CALL, &call.client, SectionKind::Derived),
            (TOOLS, if call.tools.is_empty() { "[]" } else { &call.tools }, SectionKind::Derived),
        ] {
            stub.buffers.insert(id, Buffer { bytes: text.into(), kind, offset: 0 });
        }
        stub
    }

    /// Records a sentence for last_error and returns the code.
    pub fn refuse(&mut self, code: i32, sentence: impl Into<String>) -> i32 {
        self.last_error = sentence.into();
        code
    }

    fn buffer(&mut self, id: i32) -> Result<Buffer, i32> {
        if id == raw::BUF_SECTIONS {
            return Ok(Buffer { bytes: self.section_records(), kind: SectionKind::Derived, offset: 0 });
        }
        match self.buffers.get(&id) {
            Some(buffer) => Ok(buffer.clone()),
            None => Err(self.refuse(raw::CODE_BAD_ARG, format!("no buffer {id}"))),
        }
    }

    /// Returns a span of a buffer; a length of -1 means to the end.
    pub fn span(&mut self, id: i32, offset: i32, len: i32) -> Result<Buffer, i32> {
        let mut buffer = self.buffer(id)?;
        let size = buffer.bytes.len();
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = if len == -1 { size } else { start.saturating_add(usize::try_from(len).unwrap_or(usize::MAX)) };
        if start > end || end > size {
            let sentence = format!("span {offset}, length {len} of a buffer of {size}");
            return Err(self.refuse(raw::CODE_BAD_ARG, sentence));
        }
        buffer.bytes = buffer.bytes[start..end].to_vec();
        buffer.offset += start;
        Ok(buffer)
    }

    /// Keeps text that is not content as a buffer and returns its handle.
    pub fn keep(&mut self, bytes: Vec<u8>) -> i32 {
        self.handle(Buffer { bytes, kind: SectionKind::Derived, offset: 0 })
    }

    fn handle(&mut self, buffer: Buffer) -> i32 {
        let id = raw::FIRST_HANDLE + self.handles;
        self.handles += 1;
        self.buffers.insert(id, buffer);
        id
    }

    /// Returns the kind and the position of a JSON value.
    fn json(&mut self, buf: i32, pointer: &[u8]) -> Result<(i32, Range<usize>), i32> {
        let content = text(&self.buffer(buf)?.bytes);
        json::find(&content, &text(pointer)).map_err(|code| self.refuse(code, "not JSON"))
    }

    fn decoded(&mut self, buf: i32, span: Range<usize>) -> Result<i32, i32> {
        let literal = self.span(buf, span.start as i32, span.len() as i32)?;
        let kind = if literal.kind == SectionKind::Exact { SectionKind::Decoded } else { SectionKind::Derived };
        match json::decode(&text(&literal.bytes)) {
            Some(string) => Ok(self.handle(Buffer { bytes: string.into(), kind, offset: 0 })),
            None => Err(self.refuse(raw::CODE_BAD_ARG, "not a string literal")),
        }
    }

    /// Returns the text of a number, or 0 or 1 for a bool.
    fn number(&mut self, buf: i32, pointer: &[u8]) -> Result<String, i32> {
        let (kind, span) = self.json(buf, pointer)?;
        let word = text(&self.span(buf, span.start as i32, span.len() as i32)?.bytes);
        match kind {
            raw::JSON_NUMBER => Ok(word),
            raw::JSON_BOOL => Ok(if word == "true" { "1" } else { "0" }.into()),
            _ => Err(self.refuse(raw::CODE_BAD_ARG, format!("{word} is not a number"))),
        }
    }

    fn keep_found(&mut self, found: Option<Vec<u8>>) -> i32 {
        found.map_or(raw::CODE_NOT_FOUND, |bytes| self.keep(bytes))
    }

    fn effect(&mut self, parts: &[&[u8]]) -> i32 {
        let parts: Vec<String> = parts.iter().map(|p| text(p)).collect();
        self.effects.push(parts.join(" ").trim_end().into());
        0
    }

    fn write(&mut self, bytes: &[u8]) -> i32 {
        self.wrote = true;
        match self.blocks.last_mut() {
            Some(block) if self.target != raw::OUT_ANSWER => block.1.extend_from_slice(bytes),
            _ => self.output.extend_from_slice(bytes),
        }
        0
    }
}

/// The buffer of the list of tools, which the ABI has no number for.
const TOOLS: i32 = i32::MAX;

/// Returns the context of a call with the fields that the test did not set.
fn context(role: &str, fields: &str) -> String {
    let fields = fields.trim();
    let fields = fields.strip_prefix('{').and_then(|f| f.strip_suffix('}')).unwrap_or(fields);
    let comma = if fields.is_empty() { "" } else { "," };
    format!(
        r#"{{{fields}{comma}"role":"{role}","project":"test","contentType":"toolResult","part":{{"kind":"text","index":0,"count":1}},"stage":{{"index":0,"count":1}}}}"#
    )
}

/// Writes records of little-endian numbers and returns how many fit.
fn put_records<const N: usize>(out: &mut [u8], records: impl Iterator<Item = [usize; N]>) -> i32 {
    let places = out.chunks_exact_mut(4 * N).zip(records);
    let write = |(place, record): (&mut [u8], [usize; N])| {
        for (bytes, v) in place.chunks_exact_mut(4).zip(record) {
            bytes.copy_from_slice(&(v as u32).to_le_bytes());
        }
    };
    places.map(write).count() as i32
}

impl Host for Stub {
    fn missing(&mut self, import: &'static str) -> i32 {
        self.missing_import.get_or_insert(import);
        raw::CODE_UNSUPPORTED
    }

    fn buf_len(&mut self, buf: i32) -> i32 {
        ok(self.buffer(buf).map(|b| b.bytes.len() as i32))
    }

    fn buf_read(&mut self, buf: i32, off: i32, out: &mut [u8]) -> i32 {
        ok(self.span(buf, off, -1).map(|b| {
            let n = out.len().min(b.bytes.len());
            out[..n].copy_from_slice(&b.bytes[..n]);
            n as i32
        }))
    }

    fn buf_find(&mut self, buf: i32, off: i32, needle: &[u8]) -> i32 {
        ok(self.span(buf, off, -1).and_then(|b| {
            let at = b.bytes.windows(needle.len().max(1)).position(|w| w == needle);
            at.map(|at| off + at as i32).ok_or(raw::CODE_NOT_FOUND)
        }))
    }

    fn buf_lines(&mut self, buf: i32, off: i32, out: &mut [u8]) -> i32 {
        ok(self.span(buf, off, -1).map(|b| {
            let mut next = off as usize;
            let starts = b.bytes.split_inclusive(|c| *c == b'\n').map(|line| {
                next += line.len();
                [next - line.len()]
            });
            put_records(out, starts)
        }))
    }

    fn buf_grep(&mut self, buf: i32, off: i32, pattern: &[u8], flags: i32, out: &mut [u8]) -> i32 {
        if flags != raw::GREP_LITERAL || pattern.is_empty() {
            return self.missing("buf_grep with a pattern that is not literal");
        }
        ok(self.span(buf, off, -1).map(|b| {
            let content = text(&b.bytes);
            let pattern = text(pattern);
            let found = content.match_indices(&pattern).map(|(at, m)| off as usize + at..off as usize + at + m.len());
            put_records(out, found.map(|m| [m.start, m.end]))
        }))
    }

    fn buf_hash(&mut self, buf: i32, off: i32, len: i32, out: &mut [u8; 32]) -> i32 {
        ok(self.span(buf, off, len).map(|b| {
            for (i, part) in out.chunks_exact_mut(8).enumerate() {
                let mut hasher = DefaultHasher::new();
                (i, &b.bytes).hash(&mut hasher);
                part.copy_from_slice(&hasher.finish().to_le_bytes());
            }
            out.len() as i32
        }))
    }

    fn buf_tokens(&mut self, buf: i32, off: i32, len: i32) -> i32 {
        ok(self.span(buf, off, len).map(|b| (b.bytes.len() as i32 + 3) / 4))
    }

    fn buf_put(&mut self, bytes: &[u8]) -> i32 {
        self.keep(bytes.into())
    }

    fn buf_view(&mut self, buf: i32, off: i32, len: i32) -> i32 {
        let view = self.span(buf, off, len);
        ok(view.map(|b| self.handle(b)))
    }

    fn buf_free(&mut self, buf: i32) -> i32 {
        self.buffers.remove(&buf).map_or(raw::CODE_BAD_ARG, |_| 0)
    }

    fn json_kind(&mut self, buf: i32, pointer: &[u8]) -> i32 {
        ok(self.json(buf, pointer).map(|v| v.0))
    }

    fn json_get(&mut self, buf: i32, pointer: &[u8]) -> i32 {
        ok(self.json(buf, pointer).and_then(|(kind, span)| match kind {
            raw::JSON_STRING => self.decoded(buf, span),
            _ => Ok(self.buf_view(buf, span.start as i32, span.len() as i32)),
        }))
    }

    fn json_span(&mut self, buf: i32, pointer: &[u8], out: &mut [u8; 8]) -> i32 {
        ok(self.json(buf, pointer).map(|(kind, span)| {
            put_records(out, [[span.start, span.end]].into_iter());
            kind
        }))
    }

    fn json_text(&mut self, buf: i32, start: i32, end: i32) -> i32 {
        ok(self.decoded(buf, start as usize..end as usize))
    }

    fn json_each(&mut self, buf: i32, pointer: &[u8], from: i32, out: &mut [u8]) -> i32 {
        ok(self.json(buf, pointer).and_then(|(_, span)| {
            let content = text(&self.buffer(buf)?.bytes);
            let children = json::children(&content, &span);
            let children = children.ok_or_else(|| self.refuse(raw::CODE_BAD_ARG, "not an array or object"))?;
            let record = |[key, value]: &[Range<usize>; 2]| [key.start, key.end, value.start, value.end];
            put_records(out, children.iter().skip(from as usize).map(record));
            Ok(children.len() as i32)
        }))
    }

    fn json_i64(&mut self, buf: i32, pointer: &[u8], out: &mut [u8; 8]) -> i32 {
        ok(self.number(buf, pointer).and_then(|word| match word.parse::<i64>() {
            Ok(v) => {
                *out = v.to_le_bytes();
                Ok(0)
            }
            Err(_) => Err(self.refuse(raw::CODE_BAD_ARG, format!("{word} is not an integer of 64 bits"))),
        }))
    }

    fn json_f64(&mut self, buf: i32, pointer: &[u8], out: &mut [u8; 8]) -> i32 {
        ok(self.number(buf, pointer).map(|word| {
            *out = word.parse::<f64>().unwrap_or_default().to_le_bytes();
            0
        }))
    }

    fn out_write(&mut self, bytes: &[u8]) -> i32 {
        self.write(bytes)
    }

    fn out_span(&mut self, buf: i32, off: i32, len: i32) -> i32 {
        let span = self.span(buf, off, len);
        ok(span.map(|b| self.write(&b.bytes)))
    }

    fn out_index(&mut self, section: i32, _lines: i32, _bytes: i32) -> i32 {
        if section < -1 || section >= self.sections.len() as i32 {
            return raw::CODE_NOT_FOUND;
        }
        self.indexes.push(self.output.len());
        self.write(b"")
    }

    fn section_add(&mut self, parent: i32, buf: i32, start: i32, end: i32, title: &[u8]) -> i32 {
        ok(self.add_section(parent, buf, start, end, title))
    }

    fn sections_add(&mut self, buf: i32, records: &[u8], texts: &[u8]) -> i32 {
        ok(self.add_sections(buf, records, texts))
    }

    fn section_title(&mut self, section: i32, buf: i32, off: i32, len: i32) -> i32 {
        let span = self.span(buf, off, len);
        ok(span.and_then(|b| self.change_section(section, |s| s.title = text(&b.bytes))))
    }

    fn section_summary(&mut self, section: i32, buf: i32, off: i32, len: i32) -> i32 {
        let span = self.span(buf, off, len);
        ok(span.and_then(|b| self.change_section(section, |s| s.summary = text(&b.bytes))))
    }

    fn section_id(&mut self, section: i32, id: &[u8]) -> i32 {
        ok(self.change_section(section, |s| s.id = text(id)))
    }

    fn section_text(&mut self, section: i32, what: i32) -> i32 {
        ok(self.section_string(section, what))
    }

    fn meta_set(&mut self, key: &[u8], value: &[u8]) -> i32 {
        self.meta.insert(text(key), text(value));
        0
    }

    fn cache_get(&mut self, key: &[u8]) -> i32 {
        let found = self.cache.get(&text(key)).cloned();
        self.keep_found(found)
    }

    fn cache_set(&mut self, key: &[u8], value: &[u8]) -> i32 {
        self.cache.insert(text(key), value.into());
        0
    }

    fn log(&mut self, level: i32, line: &[u8]) -> i32 {
        let level = ["debug", "info", "warn", "error"].get(level as usize).unwrap_or(&"unknown");
        self.log.push(format!("{level} {}", text(line)));
        0
    }

    fn fail(&mut self, reason: &[u8]) -> i32 {
        self.reason = text(reason);
        0
    }

    fn last_error(&mut self) -> i32 {
        self.keep(self.last_error.clone().into_bytes())
    }

    fn llm_available(&mut self, _tier: i32) -> i32 {
        0
    }

    fn llm_begin(&mut self, _tier: i32, _max_tokens: i32, _flags: i32) -> i32 {
        self.refuse(raw::CODE_UNAVAILABLE, "no LLM provider configured")
    }

    fn llm_wait(&mut self, _req: i32, _timeout_ms: i32) -> i32 {
        raw::CODE_NOT_FOUND // no request was sent
    }

    fn state_get(&mut self, key: &[u8]) -> i32 {
        let found = self.state.get(&text(key)).cloned();
        self.keep_found(found)
    }

    fn state_set(&mut self, key: &[u8], value: &[u8]) -> i32 {
        self.state.insert(text(key), value.into());
        0
    }

    fn state_del(&mut self, key: &[u8]) -> i32 {
        self.state.remove(&text(key)).map_or(raw::CODE_NOT_FOUND, |_| 0)
    }

    fn tools(&mut self) -> i32 {
        self.buf_view(TOOLS, 0, -1)
    }

    fn tool_hide(&mut self, tool: &[u8]) -> i32 {
        self.effect(&[b"hide", tool])
    }

    fn tool_patch(&mut self, tool: &[u8], patch: &[u8]) -> i32 {
        self.effect(&[b"patch", tool, patch])
    }

    fn tool_add(&mut self, tool: &[u8]) -> i32 {
        self.effect(&[b"add", tool])
    }

    fn out_to(&mut self, target: i32) -> i32 {
        if target != raw::OUT_ANSWER {
            self.blocks.push((target, Vec::new()));
        }
        self.target = target;
        0
    }

    fn out_kind(&mut self, flags: i32) -> i32 {
        self.kind = Kind(flags);
        0
    }

    fn call_rewrite(&mut self, tool: &[u8], buf: i32, off: i32, len: i32) -> i32 {
        let span = self.span(buf, off, len);
        ok(span.map(|b| self.effect(&[b"rewrite", tool, &b.bytes])))
    }

    fn notify(&mut self, method: &[u8], params: &[u8]) -> i32 {
        self.effect(&[b"notify", method, params])
    }
}
