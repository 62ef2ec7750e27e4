use crate::buf::Buf;
use crate::error::{check, Result};
use crate::raw;
use crate::search::{number, page, Span};

/// The kind of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// null
    Null,
    /// true or false
    Bool,
    /// a number
    Number,
    /// a string
    String,
    /// an array
    Array,
    /// an object
    Object,
}

impl Kind {
    fn of(result: i32) -> Result<Kind> {
        Ok(match check(result)? {
            raw::JSON_NULL => Kind::Null,
            raw::JSON_BOOL => Kind::Bool,
            raw::JSON_NUMBER => Kind::Number,
            raw::JSON_STRING => Kind::String,
            raw::JSON_ARRAY => Kind::Array,
            _ => Kind::Object,
        })
    }

    /// Returns its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bool => "bool",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Array => "array",
            Kind::Object => "object",
        }
    }
}

/// A [`Buf`] that is one JSON value of any depth. The host parses it once per call.
/// Pointers follow RFC 6901 (`/items/0/name`; see [`pointer()`]); the empty pointer is the
/// whole. Of duplicate keys the first counts.
///
/// Errors of all methods: NotFound if there is no value at the pointer, BadArg if the Buf
/// is not JSON or the value is of another kind.
#[derive(Clone, Copy, Debug)]
pub struct Json(pub(crate) Buf);

impl Json {
    /// Reports whether the Buf is one JSON value.
    pub fn is_valid(self) -> bool {
        raw::json_kind(self.0 .0, b"") >= 0
    }

    /// Returns the kind of a value.
    pub fn kind(self, pointer: &str) -> Result<Kind> {
        Kind::of(raw::json_kind(self.0 .0, pointer.as_bytes()))
    }

    /// Returns a string decoded, and any other value as its exact text.
    pub fn get(self, pointer: &str) -> Result<Buf> {
        Buf::of(raw::json_get(self.0 .0, pointer.as_bytes()))
    }

    /// Like [`get`](Json::get), as a copy.
    #[inline]
    pub fn str(self, pointer: &str) -> Result<String> {
        Ok(raw::take_text(check(raw::json_get(self.0 .0, pointer.as_bytes()))?))
    }

    /// Returns the span of the exact text of a value, and its kind.
    pub fn span(self, pointer: &str) -> Result<(Span, Kind)> {
        let mut at = [0; 8];
        let kind = Kind::of(raw::json_span(self.0 .0, pointer.as_bytes(), &mut at))?;
        Ok((number(&at, 0)..number(&at, 1), kind))
    }

    /// Decodes the string literal at a span, which includes the quotes.
    pub fn text(self, span: Span) -> Result<Buf> {
        Buf::of(raw::json_text(self.0 .0, raw::word(span.start), raw::word(span.end)))
    }

    /// Returns the number of children of an array or object.
    pub fn len(self, pointer: &str) -> Result<usize> {
        Ok(check(raw::json_each(self.0 .0, pointer.as_bytes(), 0, &mut []))? as usize)
    }

    /// Iterates over the children of an array or object, duplicate keys included. If there
    /// is no such value, there are none: see [`len`](Json::len).
    pub fn each(self, pointer: &str) -> Children<'_> {
        Children { json: self, pointer, page: page(PAGE), at: 0, total: 1 }
    }

    /// Returns an integer of 64 bits; a bool reads as 0 or 1.
    pub fn int(self, pointer: &str) -> Result<i64> {
        let mut v = [0; 8];
        check(raw::json_i64(self.0 .0, pointer.as_bytes(), &mut v))?;
        Ok(i64::from_le_bytes(v))
    }

    /// Returns a number; a bool reads as 0 or 1.
    pub fn float(self, pointer: &str) -> Result<f64> {
        let mut v = [0; 8];
        check(raw::json_f64(self.0 .0, pointer.as_bytes(), &mut v))?;
        Ok(f64::from_le_bytes(v))
    }
}

/// A child of an array or object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// The span of the key literal with its quotes; empty in an array.
    pub key: Span,
    /// The span of the value's exact text.
    pub value: Span,
}

/// The children of an array or object; see [`Json::each`].
pub struct Children<'a> {
    json: Json,
    pointer: &'a str,
    page: Vec<u8>,
    at: usize,
    total: usize,
}

const RECORDS: usize = 64;
const PAGE: usize = RECORDS * raw::CHILD_RECORD_SIZE;

impl Iterator for Children<'_> {
    type Item = Child;

    fn next(&mut self) -> Option<Child> {
        if self.at >= self.total {
            return None;
        }
        let i = self.at % RECORDS;
        if i == 0 {
            let total = raw::json_each(self.json.0 .0, self.pointer.as_bytes(), raw::word(self.at), &mut self.page);
            self.total = total.max(0) as usize;
            if self.at >= self.total {
                return None;
            }
        }
        self.at += 1;
        let field = |k| number(&self.page, 4 * i + k);
        Some(Child { key: field(0)..field(1), value: field(2)..field(3) })
    }
}

/// Returns a JSON pointer of keys and positions: `pointer(&["a/b", "0"])` is `/a~1b/0`.
pub fn pointer(segments: &[&str]) -> String {
    segments.iter().map(|s| raw::segment(s)).collect()
}
