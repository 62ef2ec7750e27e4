//! The words of the tables.

use mcpctl_stage::{Buf, Ctx, Error, Result, Span};
use std::ops::RangeBounds;

/// Writes text and a newline.
pub fn line(c: &Ctx, text: impl AsRef<str>) -> Result<()> {
    c.out.write(text.as_ref())?;
    c.out.write("\n")
}

/// Writes bytes of a buffer and a newline.
pub fn span(c: &Ctx, b: Buf, span: impl RangeBounds<usize>) -> Result<()> {
    c.out.span(b, span)?;
    c.out.write("\n")
}

/// How something ended.
pub fn fate<T>(result: &Result<T>) -> String {
    match result {
        Ok(_) => "ok".into(),
        Err(e) => refusal(e),
    }
}

/// How something ended that was refused.
pub fn refusal(e: &Error) -> String {
    match e.code() {
        None => e.to_string(),
        Some(code) if e.text().is_empty() || code.number() == -1 => code.number().to_string(),
        Some(code) => format!("{} said", code.number()),
    }
}

/// The value as text, or the fate of what was to give it.
pub fn or_fate(result: Result<String>) -> String {
    result.unwrap_or_else(|e| refusal(&e))
}

/// 1000 times a float, cut.
pub fn thousandths(v: f64) -> i64 {
    (v * 1000.0) as i64
}

/// A span as START-END.
pub fn place(s: &Span) -> String {
    format!("{}-{}", s.start, s.end)
}
