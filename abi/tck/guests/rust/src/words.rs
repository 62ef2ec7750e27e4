//! The words of the kit for results and refusals.

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

/// Returns "ok" or the code of a result.
pub fn fate<T>(result: &Result<T>) -> String {
    match result {
        Ok(_) => "ok".into(),
        Err(e) => refusal(e),
    }
}

/// Returns the code of an error.
pub fn refusal(e: &Error) -> String {
    match e.code() {
        None => e.to_string(),
        Some(code) if e.text().is_empty() || code.number() == -1 => code.number().to_string(),
        Some(code) => format!("{} said", code.number()),
    }
}

/// Returns the value as text, or the fate of the call.
pub fn or_fate(result: Result<String>) -> String {
    result.unwrap_or_else(|e| refusal(&e))
}

/// Returns a float in thousandths, truncated.
pub fn thousandths(v: f64) -> i64 {
    (v * 1000.0) as i64
}

/// Returns a span as START-END.
pub fn place(s: &Span) -> String {
    format!("{}-{}", s.start, s.end)
}
