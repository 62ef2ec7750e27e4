//! What is asked of a buffer as JSON.

use super::buffer::{put_u32, Buffer, Source};
use super::host::{shown, Host};
use super::json::{self, Node};
use crate::raw;
use crate::section::SectionKind;
use std::rc::Rc;

/// The values of a buffer, or the offset at which it is no JSON.
pub type Values = Rc<Result<Vec<Node>, usize>>;

impl Host {
    /// The values of a buffer, and the position of what a pointer leads to.
    fn value_at(&mut self, buf: i32, pointer: &[u8]) -> Result<(Buffer, Values, usize), i32> {
        let b = self.buf(buf)?;
        let nodes = b.values.clone().unwrap_or_else(|| Rc::new(json::parse(&b.bytes)));
        if let Some(kept) = self.buffers.get_mut(&buf) {
            kept.values = Some(Rc::clone(&nodes));
        }
        let list = match nodes.as_ref() {
            Ok(list) => list,
            Err(at) => return Err(self.bad(format!("not JSON at byte {at}"))),
        };
        let pointer = shown(pointer);
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return Err(self.bad("JSON pointer does not begin with /"));
        }
        match json::lookup(&b.bytes, list, &pointer) {
            Some(at) => Ok((b, nodes, at)),
            None => Err(self.refuse(raw::CODE_NOT_FOUND, format!("nothing at {pointer}"))),
        }
    }

    fn value(&mut self, buf: i32, pointer: &[u8]) -> Result<(Buffer, Node), i32> {
        let (b, nodes, at) = self.value_at(buf, pointer)?;
        let node = nodes.as_ref().as_ref().map_or_else(|_| Node::default(), |list| list[at].clone());
        Ok((b, node))
    }

    pub fn json_kind(&mut self, buf: i32, pointer: &[u8]) -> i32 {
        self.value(buf, pointer).map_or_else(|code| code, |(_, n)| n.kind)
    }

    pub fn json_get(&mut self, buf: i32, pointer: &[u8]) -> i32 {
        match self.value(buf, pointer) {
            Err(code) => code,
            Ok((b, n)) if n.kind == raw::JSON_STRING => self.decoded(&b, n.start, n.end),
            Ok((b, n)) => self.handle(b.view(n.start, n.end)),
        }
    }

    /// Makes a buffer of the string literal at a span.
    fn decoded(&mut self, b: &Buffer, start: usize, end: usize) -> i32 {
        let literal = &b.bytes[start..end];
        if json::lone_surrogate(literal) {
            return self.bad(format!("string at {start} holds a lone surrogate"));
        }
        let mut from = Source::own();
        if b.from.kind == SectionKind::Exact {
            from.kind = SectionKind::Decoded;
            from.literal = (b.from.off + start, b.from.off + end);
        }
        self.handle(Buffer::from(json::unquote(literal), from))
    }

    pub fn json_span(&mut self, buf: i32, pointer: &[u8], out: &mut [u8; 8]) -> i32 {
        match self.value(buf, pointer) {
            Err(code) => code,
            Ok((_, n)) => {
                put_u32(out, 0, n.start);
                put_u32(out, 1, n.end);
                n.kind
            }
        }
    }

    pub fn json_text(&mut self, buf: i32, start: i32, end: i32) -> i32 {
        let (b, from, to) = match self.span(buf, start, if end < start { i32::MIN } else { end - start }) {
            Err(code) => return code,
            Ok(span) => span,
        };
        if !json::is_string(&b.bytes[from..to]) {
            return self.bad(format!("no string literal at {start} to {end}"));
        }
        self.decoded(&b, from, to)
    }

    pub fn json_each(&mut self, buf: i32, pointer: &[u8], from: i32, out: &mut [u8]) -> i32 {
        let (_, nodes, of) = match self.value_at(buf, pointer) {
            Err(code) => return code,
            Ok(value) => value,
        };
        let nodes = match nodes.as_ref() {
            Ok(nodes) if nodes[of].kind >= raw::JSON_ARRAY && from >= 0 => nodes,
            _ => return self.bad(format!("no array or object, or position {from}")),
        };
        let records = out.chunks_exact_mut(raw::CHILD_RECORD_SIZE);
        for (record, i) in records.zip(json::children(nodes, of).skip(from as usize)) {
            let n = &nodes[i];
            for (k, v) in [n.key.0, n.key.1, n.start, n.end].into_iter().enumerate() {
                put_u32(record, k, v);
            }
        }
        nodes[of].children as i32
    }

    pub fn json_i64(&mut self, buf: i32, pointer: &[u8], out: &mut [u8; 8]) -> i32 {
        match self.scalar(buf, pointer) {
            Err(code) => code,
            Ok(text) => match text.parse::<i64>() {
                Ok(v) => {
                    *out = v.to_le_bytes();
                    0
                }
                Err(_) => self.bad(format!("{text} is no integer of 64 bits")),
            },
        }
    }

    pub fn json_f64(&mut self, buf: i32, pointer: &[u8], out: &mut [u8; 8]) -> i32 {
        match self.scalar(buf, pointer) {
            Err(code) => code,
            Ok(text) => match text.parse::<f64>() {
                Ok(v) if v.is_finite() => {
                    *out = v.to_le_bytes();
                    0
                }
                _ => self.bad(format!("{text} is no number in range")),
            },
        }
    }

    /// The text of a number, 0 or 1 of a bool.
    fn scalar(&mut self, buf: i32, pointer: &[u8]) -> Result<String, i32> {
        let (b, n) = self.value(buf, pointer)?;
        match &b.bytes[n.start..n.end] {
            b"true" => Ok("1".into()),
            b"false" => Ok("0".into()),
            text if n.kind == raw::JSON_NUMBER => Ok(shown(text)),
            _ => Err(self.bad(format!("{} is no number", shown(pointer)))),
        }
    }
}
