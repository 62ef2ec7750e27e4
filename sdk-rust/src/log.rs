use crate::error::Error;
use crate::raw;
use crate::text::{decimal, quoted};
use std::borrow::Cow;

/// Writes to the log of the call: a constant message, followed by keys and values.
///
/// ```
/// # use mcpctl_stage::{Ctx, Outcome, PASS};
/// fn f(c: &mut Ctx) -> Outcome {
///     c.log.warn("no LLM, headings only", &[("sections", &c.sections.len())]);
///     c.log.debug("nothing to add", &[]);
///     PASS
/// }
/// # let r = mcpctl_stage::testing::run("f", f, &Default::default());
/// # assert_eq!(r.log[0], "warn no LLM, headings only sections=0");
/// ```
///
/// Limits: 1,000 lines, 256 KiB. Further lines are counted and dropped.
#[derive(Debug)]
pub struct Log(pub(crate) ());

impl Log {
    /// Logs details for the author.
    pub fn debug(&self, message: &str, fields: &[(&str, &dyn Value)]) {
        line(raw::LOG_DEBUG, message, fields);
    }

    /// Logs an action.
    pub fn info(&self, message: &str, fields: &[(&str, &dyn Value)]) {
        line(raw::LOG_INFO, message, fields);
    }

    /// Logs an action that was done in part or differently.
    pub fn warn(&self, message: &str, fields: &[(&str, &dyn Value)]) {
        line(raw::LOG_WARN, message, fields);
    }

    /// Logs an action that failed.
    pub fn error(&self, message: &str, fields: &[(&str, &dyn Value)]) {
        line(raw::LOG_ERROR, message, fields);
    }
}

fn line(level: i32, message: &str, fields: &[(&str, &dyn Value)]) {
    let mut text = String::from(message);
    for (key, value) in fields {
        text.push(' ');
        text.push_str(key);
        text.push('=');
        let value = value.text();
        if value.is_empty() || value.bytes().any(|c| b" \t\r\n=\"".contains(&c)) {
            text.push_str(&quoted(&value));
        } else {
            text.push_str(&value);
        }
    }
    raw::log(level, text.as_bytes());
}

/// A value of a line of the [`Log`]. Use `format!` for other types.
pub trait Value {
    /// Returns the value as text.
    fn text(&self) -> Cow<'_, str>;
}

impl Value for str {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

impl Value for &str {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

impl Value for String {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

impl Value for bool {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(if *self { "true" } else { "false" })
    }
}

impl Value for Error {
    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_string())
    }
}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl Value for $t {
            fn text(&self) -> Cow<'_, str> {
                Cow::Owned(decimal(*self as i64))
            }
        }
    )*};
}

numbers!(u8 u16 u32 usize i8 i16 i32 i64 isize);
