//! JSON as the host reads it: values by their place in the text, of any depth.

use crate::raw;

/// One value. The children of a container follow it; next is the first node behind all
/// of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    pub kind: i32,
    pub key: (usize, usize), // 0, 0 in an array and for the whole
    pub start: usize,
    pub end: usize,
    pub children: usize,
    pub next: usize,
}

/// Lists the values of one JSON text in the order of their start, or gives the offset at
/// which it is none.
pub fn parse(text: &[u8]) -> Result<Vec<Node>, usize> {
    let mut s = Scanner { text, at: 0 };
    let mut nodes: Vec<Node> = Vec::new();
    let mut open: Vec<usize> = Vec::new(); // containers, the innermost last
    loop {
        let in_object = open.last().map_or(false, |&i| nodes[i].kind == raw::JSON_OBJECT);
        let n = s.member(in_object).ok_or(s.at)?;
        let (me, kind) = (nodes.len(), n.kind);
        nodes.push(n);
        if let Some(&parent) = open.last() {
            nodes[parent].children += 1;
        }
        if kind >= raw::JSON_ARRAY && !s.closes(kind) {
            open.push(me);
            continue;
        }
        nodes[me].end = if kind >= raw::JSON_ARRAY { s.at } else { nodes[me].end };
        nodes[me].next = nodes.len();
        loop {
            match open.last() {
                Some(_) if s.eat(b',') => break,
                Some(&top) if s.closes(nodes[top].kind) => {
                    nodes[top].end = s.at;
                    nodes[top].next = nodes.len();
                    open.pop();
                }
                Some(_) => return Err(s.at),
                None => {
                    s.blank();
                    return if s.at < text.len() { Err(s.at) } else { Ok(nodes) };
                }
            }
        }
    }
}

/// Whether text is one string literal and nothing else.
pub fn is_string(text: &[u8]) -> bool {
    let mut s = Scanner { text, at: 0 };
    s.string().is_some() && s.at == text.len()
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, c: u8) -> bool {
        self.blank();
        let there = self.peek() == Some(c);
        self.at += usize::from(there);
        there
    }

    fn closes(&mut self, kind: i32) -> bool {
        self.eat(if kind == raw::JSON_ARRAY { b']' } else { b'}' })
    }

    /// Reads a key, in an object, and the value, or the beginning of a container.
    fn member(&mut self, in_object: bool) -> Option<Node> {
        let mut n = Node::default();
        self.blank();
        if in_object {
            let from = self.at;
            self.string()?;
            n.key = (from, self.at);
            if !self.eat(b':') {
                return None;
            }
            self.blank();
        }
        n.start = self.at;
        n.kind = self.value()?;
        n.end = self.at;
        Some(n)
    }

    fn value(&mut self) -> Option<i32> {
        match self.peek()? {
            b'{' => self.skip(raw::JSON_OBJECT),
            b'[' => self.skip(raw::JSON_ARRAY),
            b'"' => self.string().map(|_| raw::JSON_STRING),
            b't' => self.word("true", raw::JSON_BOOL),
            b'f' => self.word("false", raw::JSON_BOOL),
            b'n' => self.word("null", raw::JSON_NULL),
            _ => self.number(),
        }
    }

    fn skip(&mut self, kind: i32) -> Option<i32> {
        self.at += 1;
        Some(kind)
    }

    fn word(&mut self, word: &str, kind: i32) -> Option<i32> {
        let there = self.text[self.at..].starts_with(word.as_bytes());
        self.at += if there { word.len() } else { 0 };
        there.then_some(kind)
    }

    fn string(&mut self) -> Option<()> {
        if self.peek() != Some(b'"') {
            return None;
        }
        self.at += 1;
        let from = self.at;
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return std::str::from_utf8(&self.text[from..self.at]).ok().map(drop);
                }
                b'\\' => self.escape()?,
                c if c < b' ' => return None,
                _ => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        self.at += 1;
        let kind = self.peek()?;
        self.at += 1;
        match kind {
            b'u' => {
                for _ in 0..4 {
                    self.peek().filter(u8::is_ascii_hexdigit)?;
                    self.at += 1;
                }
                Some(())
            }
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(()),
            _ => None,
        }
    }

    fn number(&mut self) -> Option<i32> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let zero = self.peek() == Some(b'0');
        let whole = self.digits();
        if whole == 0 || zero && whole > 1 {
            return None;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return None;
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return None;
            }
        }
        Some(raw::JSON_NUMBER)
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while self.peek().map_or(false, |c| c.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - from
    }
}

/// Follows a JSON pointer; of duplicate keys it takes the first.
pub fn lookup(text: &[u8], nodes: &[Node], pointer: &str) -> Option<usize> {
    let mut at = 0;
    for segment in pointer.split('/').skip(1) {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        at = match nodes[at].kind {
            raw::JSON_ARRAY => {
                let n: usize = segment.parse().ok().filter(|n: &usize| n.to_string() == segment)?;
                children(nodes, at).nth(n)?
            }
            raw::JSON_OBJECT => children(nodes, at).find(|&i| {
                let (from, to) = nodes[i].key;
                unquote(&text[from..to]) == segment
            })?,
            _ => return None,
        };
    }
    Some(at)
}

/// The positions of the children of a node.
pub fn children(nodes: &[Node], of: usize) -> impl Iterator<Item = usize> + '_ {
    let (mut at, end) = (of + 1, nodes[of].next);
    std::iter::from_fn(move || {
        let i = at;
        if i >= end {
            return None;
        }
        at = nodes[i].next;
        Some(i)
    })
}

/// Decodes a string literal that is one; half of a surrogate pair becomes U+FFFD.
pub fn unquote(literal: &[u8]) -> String {
    decode(literal).0
}

/// Whether a string literal holds half of a surrogate pair, which no text can hold.
pub fn lone_surrogate(literal: &[u8]) -> bool {
    decode(literal).1
}

fn decode(literal: &[u8]) -> (String, bool) {
    let text = String::from_utf8_lossy(&literal[1..literal.len() - 1]);
    let (mut units, mut chars) = (Vec::new(), text.chars());
    while let Some(c) = chars.next() {
        if c != '\\' {
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
            continue;
        }
        units.push(match chars.next() {
            Some('b') => 8,
            Some('f') => 12,
            Some('n') => 10,
            Some('r') => 13,
            Some('t') => 9,
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                u16::from_str_radix(&digits, 16).unwrap_or(0xfffd)
            }
            other => other.map_or(0xfffd, |c| c as u16),
        });
    }
    let mut lone = false;
    let decoded = char::decode_utf16(units).map(|c| {
        c.unwrap_or_else(|_| {
            lone = true;
            char::REPLACEMENT_CHARACTER
        })
    });
    (decoded.collect(), lone)
}

/// Text as a string literal, with as few escapes as there can be.
pub fn quote(text: &str) -> String {
    let mut to = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => to.push_str("\\\""),
            '\\' => to.push_str("\\\\"),
            '\n' => to.push_str("\\n"),
            '\r' => to.push_str("\\r"),
            '\t' => to.push_str("\\t"),
            c if c < ' ' => to.push_str(&format!("\\u{:04x}", c as u32)),
            c => to.push(c),
        }
    }
    to + "\""
}

/// A value that was read, to be looked into.
pub struct Value<'a> {
    text: &'a [u8],
    nodes: Vec<Node>,
}

impl<'a> Value<'a> {
    /// Errors: the offset at which the text is not JSON.
    pub fn parse(text: &'a str) -> Result<Value<'a>, usize> {
        Ok(Value { text: text.as_bytes(), nodes: parse(text.as_bytes())? })
    }

    fn node(&self, pointer: &str) -> Option<&Node> {
        Some(&self.nodes[lookup(self.text, &self.nodes, pointer)?])
    }

    /// The exact text at a pointer.
    pub fn exact(&self, pointer: &str) -> Option<String> {
        let n = self.node(pointer)?;
        Some(String::from_utf8_lossy(&self.text[n.start..n.end]).into_owned())
    }

    /// The string at a pointer.
    pub fn str(&self, pointer: &str) -> Option<String> {
        let n = self.node(pointer)?;
        (n.kind == raw::JSON_STRING).then(|| unquote(&self.text[n.start..n.end]))
    }

    pub fn is_true(&self, pointer: &str) -> bool {
        self.exact(pointer).as_deref() == Some("true")
    }

    pub fn kind(&self, pointer: &str) -> Option<i32> {
        Some(self.node(pointer)?.kind)
    }

    /// The number of children at a pointer.
    pub fn len(&self, pointer: &str) -> usize {
        self.node(pointer).map_or(0, |n| n.children)
    }

    /// The members of the object at a pointer: key and exact text.
    pub fn members(&self, pointer: &str) -> Vec<(String, String)> {
        let of = match lookup(self.text, &self.nodes, pointer) {
            Some(of) if self.nodes[of].kind == raw::JSON_OBJECT => of,
            _ => return Vec::new(),
        };
        let member = |i: usize| {
            let n = &self.nodes[i];
            let exact = String::from_utf8_lossy(&self.text[n.start..n.end]).into_owned();
            (unquote(&self.text[n.key.0..n.key.1]), exact)
        };
        children(&self.nodes, of).map(member).collect()
    }

    /// A key that an object in it has twice.
    pub fn duplicate(&self) -> Option<String> {
        (0..self.nodes.len()).find_map(|of| {
            let mut seen = std::collections::HashSet::new();
            let keys =
                children(&self.nodes, of).map(|i| unquote(&self.text[self.nodes[i].key.0..self.nodes[i].key.1.max(2)]));
            (self.nodes[of].kind == raw::JSON_OBJECT)
                .then(|| keys.into_iter().find(|key| !seen.insert(key.clone())))
                .flatten()
        })
    }

    /// How deep it is: 1 for a container of scalars.
    pub fn depth(&self) -> usize {
        let (mut open, mut deepest): (Vec<usize>, usize) = (Vec::new(), 0);
        for (i, n) in self.nodes.iter().enumerate() {
            while open.last().map_or(false, |&end| end <= i) {
                open.pop();
            }
            if n.kind >= raw::JSON_ARRAY {
                open.push(n.next);
                deepest = deepest.max(open.len());
            }
        }
        deepest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_pointer() {
        let text = r#" {"a":[1,{"b":"x\u00e9"}],"c":null,"a":2,"d/e":true} "#;
        let v = Value::parse(text).unwrap();
        assert_eq!(v.exact("/a/1").as_deref(), Some(r#"{"b":"x\u00e9"}"#));
        assert_eq!(v.str("/a/1/b").as_deref(), Some("xé"));
        assert_eq!(v.kind("/c"), Some(raw::JSON_NULL));
        assert!(v.is_true("/d~1e"));
        assert_eq!((v.len(""), v.len("/a")), (4, 2));
        assert_eq!((v.exact("/a/01"), v.exact("/x")), (None, None));
        assert_eq!(v.duplicate().as_deref(), Some("a"));
        assert_eq!(v.depth(), 3);
    }

    #[test]
    fn what_is_no_json_is_told_by_its_offset() {
        for (text, at) in [
            ("", 0),
            ("{", 1),
            ("[1,]", 3),
            ("01", 2),
            ("\"\x01\"", 1),
            ("{\"a\" 1}", 5),
            ("1 2", 2),
            ("\"\\x\"", 3),
            ("nul", 0),
        ] {
            assert_eq!(parse(text.as_bytes()).err(), Some(at), "{text}");
        }
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(parse(deep.as_bytes()).unwrap().len(), 100_000);
    }

    #[test]
    fn halves_of_surrogate_pairs_are_seen() {
        assert!(lone_surrogate(br#""\ud800""#));
        assert!(!lone_surrogate(br#""\ud83d\ude00""#));
        assert_eq!(unquote(br#""\ud83d\ude00\n\/""#), "😀\n/");
    }
}
