//! Reads JSON that the host has written. With thousands of prompts, an import for each field
//! would take most of the time.

/// Reads JSON from left to right. A method that returns false found something else than it
/// expected; the rest must not be read then.
pub struct Scanner {
    text: Vec<u8>,
    pub at: usize,
}

impl Scanner {
    pub fn new(text: Vec<u8>) -> Scanner {
        Scanner { text, at: 0 }
    }

    pub fn peek(&mut self) -> Option<u8> {
        while let Some(&c) = self.text.get(self.at) {
            if c > b' ' {
                return Some(c);
            }
            self.at += 1;
        }
        None
    }

    /// Skips blanks and c, if c is next, and reports whether it was.
    pub fn eat(&mut self, c: u8) -> bool {
        let there = self.peek() == Some(c);
        if there {
            self.at += 1;
        }
        there
    }

    /// Advances to the next element of the array that the text consists of.
    pub fn element(&mut self, first: bool) -> bool {
        if first {
            return self.eat(b'[') && self.peek() != Some(b']');
        }
        self.eat(b',')
    }

    /// Reads an object. member reads the value of a key.
    pub fn object(&mut self, mut member: impl FnMut(&mut Scanner, &str) -> bool) -> bool {
        if !self.eat(b'{') {
            return false;
        }
        if self.eat(b'}') {
            return true;
        }
        loop {
            match self.literal() {
                Some(key) if self.eat(b':') && member(self, &key) => {}
                _ => return false,
            }
            if !self.eat(b',') {
                return self.eat(b'}');
            }
        }
    }

    /// Reads a string. If there is another value, v is unchanged.
    pub fn string(&mut self, v: &mut String) -> bool {
        if self.peek() != Some(b'"') {
            return self.skip();
        }
        match self.literal() {
            Some(text) => {
                *v = text;
                true
            }
            None => false,
        }
    }

    /// Reads an array of strings; see string.
    pub fn strings(&mut self, v: &mut Vec<String>) -> bool {
        if self.peek() != Some(b'[') {
            return self.skip();
        }
        self.at += 1;
        if self.eat(b']') {
            return true;
        }
        loop {
            let mut one = String::new();
            if !self.string(&mut one) {
                return false;
            }
            v.push(one);
            if !self.eat(b',') {
                return self.eat(b']');
            }
        }
    }

    /// Reads an integer; see string.
    pub fn int(&mut self, v: &mut i64) -> bool {
        match self.scalar() {
            Some(text) => {
                if let Some(n) = std::str::from_utf8(text).ok().and_then(|t| t.parse().ok()) {
                    *v = n;
                }
                true
            }
            None => self.skip(),
        }
    }

    /// Reads true or false; see string.
    pub fn bool(&mut self, v: &mut bool) -> bool {
        match self.scalar() {
            Some(b"true") => *v = true,
            Some(b"false") => *v = false,
            Some(_) => {}
            None => return self.skip(),
        }
        true
    }

    /// Reads a number, true, false or null.
    fn scalar(&mut self) -> Option<&[u8]> {
        self.peek();
        let from = self.at;
        while self.text.get(self.at).map_or(false, |c| c.is_ascii_alphanumeric() || b"+-.".contains(c)) {
            self.at += 1;
        }
        self.text.get(from..self.at).filter(|text| !text.is_empty())
    }

    /// Skips any value. It does not recurse.
    pub fn skip(&mut self) -> bool {
        let mut depth = 0;
        loop {
            match self.peek() {
                Some(b'{' | b'[') => {
                    depth += 1;
                    self.at += 1;
                }
                Some(b'}' | b']') if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                Some(b',' | b':') if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                Some(b'"') if self.quoted() => {}
                _ if self.scalar().is_some() => {}
                _ => return false,
            }
            if depth == 0 {
                return true;
            }
        }
    }

    /// Skips a string literal.
    fn quoted(&mut self) -> bool {
        let mut i = self.at + 1;
        while let Some(c) = self.text.get(i) {
            match c {
                b'"' => {
                    self.at = i + 1;
                    return true;
                }
                b'\\' => i += 2,
                _ => i += 1,
            }
        }
        false
    }

    /// Reads a string literal and decodes it.
    fn literal(&mut self) -> Option<String> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let from = self.at + 1;
        if !self.quoted() {
            return None;
        }
        let inner = self.text.get(from..self.at - 1)?;
        if !inner.contains(&b'\\') {
            return String::from_utf8(inner.to_vec()).ok();
        }
        decode_string(inner)
    }
}

/// Decodes the text between the quotes of a literal. Half of a surrogate pair becomes U+FFFD.
pub fn decode_string(inner: &[u8]) -> Option<String> {
    let mut to = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((&c, after)) = rest.split_first() {
        rest = after;
        if c != b'\\' {
            to.push(c);
            continue;
        }
        let (&kind, after) = rest.split_first()?;
        rest = after;
        let plain = match kind {
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let (c, after) = character(rest)?;
                rest = after;
                to.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            other => other,
        };
        to.push(plain);
    }
    String::from_utf8(to).ok()
}

/// Decodes the character of an escape, which starts with four digits.
fn character(at: &[u8]) -> Option<(char, &[u8])> {
    let (high, rest) = unit(at)?;
    if (0xd800..0xdc00).contains(&high) {
        if let Some((low, after)) = rest.strip_prefix(b"\\u").and_then(unit) {
            if (0xdc00..0xe000).contains(&low) {
                let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                return Some((char::from_u32(code)?, after));
            }
        }
    }
    Some((char::from_u32(high).unwrap_or('\u{fffd}'), rest))
}

fn unit(at: &[u8]) -> Option<(u32, &[u8])> {
    let digits = std::str::from_utf8(at.get(..4)?).ok()?;
    Some((u32::from_str_radix(digits, 16).ok()?, at.get(4..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_members_are_read_and_others_skipped() {
        let text =
            r#" [ {"a" : "x\ud83d\ude00\n","skip":{"b":[1,{"c":"]}"}]},"n":-12,"yes":true,"l":["p","q\"r"]} , {} ] "#;
        let mut s = Scanner::new(text.into());
        let (mut a, mut n, mut yes, mut l) = (String::new(), 0, false, Vec::new());
        assert!(s.element(true));
        assert!(s.object(|s, key| match key {
            "a" => s.string(&mut a),
            "n" => s.int(&mut n),
            "yes" => s.bool(&mut yes),
            "l" => s.strings(&mut l),
            _ => s.skip(),
        }));
        assert_eq!((a.as_str(), n, yes, l), ("x😀\n", -12, true, vec!["p".to_string(), "q\"r".to_string()]));
        assert!(s.element(false));
        assert!(s.object(|s, _| s.skip()));
        assert!(!s.element(false));
    }

    #[test]
    fn value_of_another_kind_leaves_the_field_unchanged() {
        let mut s = Scanner::new(br#"{"a":[1,2],"n":"x","b":null}"#.to_vec());
        let (mut a, mut n, mut b) = (String::from("kept"), 7, true);
        assert!(s.object(|s, key| match key {
            "a" => s.string(&mut a),
            "n" => s.int(&mut n),
            _ => s.bool(&mut b),
        }));
        assert_eq!((a.as_str(), n, b), ("kept", 7, true));
    }

    #[test]
    fn broken_text_is_rejected() {
        for text in ["", "{", "{\"a\"", "{\"a\":}", "{\"a\":\"x}", "{\"a\":[}", "{\"a\":1 \"b\":2}"] {
            assert!(!Scanner::new(text.into()).object(|s, _| s.skip()), "{text}");
        }
    }
}
