//! Finds JSON values by pointer. Text is checked less than the host does.

use crate::controller::{decode_string, Scanner};
use crate::raw;
use std::ops::Range;

/// Returns the kind and the position of the value at a pointer.
pub fn find(text: &str, pointer: &str) -> Result<(i32, Range<usize>), i32> {
    let mut s = Scanner::new(text.into());
    let root = skip(&mut s).filter(|_| s.peek().is_none());
    let mut span = root.ok_or(raw::CODE_BAD_ARG)?;
    for segment in pointer.split('/').skip(1) {
        let key = segment.replace("~1", "/").replace("~0", "~");
        let children = children(text, &span).ok_or(raw::CODE_NOT_FOUND)?;
        let is_child = |(i, c): &(usize, &[Range<usize>; 2])| match c[0].is_empty() {
            true => i.to_string() == key,
            false => decode(&text[c[0].clone()]).as_ref() == Some(&key),
        };
        let found = children.iter().enumerate().find(is_child);
        span = found.map(|(_, c)| c[1].clone()).ok_or(raw::CODE_NOT_FOUND)?;
    }
    let kind = match text.as_bytes()[span.start] {
        b'{' => raw::JSON_OBJECT,
        b'[' => raw::JSON_ARRAY,
        b'"' => raw::JSON_STRING,
        b't' | b'f' => raw::JSON_BOOL,
        b'n' => raw::JSON_NULL,
        _ => raw::JSON_NUMBER,
    };
    Ok((kind, span))
}

/// Returns the positions of the key literals, which are empty in an array, and of the values
/// of an object or array.
pub fn children(text: &str, span: &Range<usize>) -> Option<Vec<[Range<usize>; 2]>> {
    let open = text.as_bytes()[span.start];
    if open != b'{' && open != b'[' {
        return None;
    }
    let mut s = Scanner::new(text.as_bytes()[..span.end - 1].to_vec());
    s.at = span.start + 1;
    let mut children = Vec::new();
    while s.peek().is_some() {
        let mut key = 0..0;
        if open == b'{' {
            key = skip(&mut s)?;
            s.eat(b':').then_some(())?;
        }
        children.push([key, skip(&mut s)?]);
        s.eat(b',');
    }
    Some(children)
}

/// Returns the text of a string literal.
pub fn decode(literal: &str) -> Option<String> {
    decode_string(literal.strip_prefix('"')?.strip_suffix('"')?.as_bytes())
}

fn skip(s: &mut Scanner) -> Option<Range<usize>> {
    s.peek()?;
    let start = s.at;
    s.skip().then(|| start..s.at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_to_values() {
        let text = r#" {"a/b": [1, "x\"\u00e9", {"c": null}], "d": {} } "#;
        for (pointer, want) in [
            ("/a~1b/0", Some("1")),
            ("/a~1b/1", Some(r#""x\"\u00e9""#)),
            ("/a~1b/2/c", Some("null")),
            ("/d", Some("{}")),
            ("/a~1b/3", None),
            ("/d/e", None),
            ("/a~1b/0/e", None),
        ] {
            assert_eq!(find(text, pointer).ok().map(|v| &text[v.1]), want, "{pointer}");
        }
        assert_eq!(decode(r#""x\"\u00e9""#), Some("x\"é".to_string()));
    }
}
