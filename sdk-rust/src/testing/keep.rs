//! Metadata and log.

use super::host::{commas, shown, utf8, Host};
use crate::raw;

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// debug, info, warn, error
    pub level: &'static str,
    /// What was logged.
    pub text: String,
}

/// Keeps the lines of one call within their limits.
#[derive(Default)]
pub struct LogBook {
    lines: Vec<LogLine>,
    bytes: usize,
    dropped: usize,
}

impl LogBook {
    fn add(&mut self, level: &'static str, mut text: String) -> bool {
        if text.len() > raw::LIMIT_LOG_LINE_BYTES {
            text.truncate(boundary(&text, raw::LIMIT_LOG_LINE_BYTES));
            text += "...";
        }
        if self.lines.len() == raw::LIMIT_LOG_LINES || self.bytes + text.len() > raw::LIMIT_LOG_BYTES {
            self.dropped += 1;
            return false;
        }
        self.bytes += text.len();
        self.lines.push(LogLine { level, text });
        true
    }

    /// The lines, with a last one that says how many are missing.
    pub fn all(&self) -> Vec<LogLine> {
        let mut lines = self.lines.clone();
        if self.dropped > 0 {
            lines.push(LogLine { level: "warn", text: format!("dropped {} lines", commas(self.dropped)) });
        }
        lines
    }
}

/// The last boundary of a character that is not beyond an offset.
pub fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl Host {
    pub fn meta_set(&mut self, key: &[u8], value: &[u8]) -> i32 {
        let (key, value) = match (utf8(key), utf8(value)) {
            (Some(key), Some(value)) if !key.is_empty() => (key, value),
            _ => return self.bad("metadata key is empty, or text is not UTF-8"),
        };
        let others = self.meta.iter().filter(|(k, _)| *k != key);
        let size = key.len() + value.len() + others.map(|(k, v)| k.len() + v.len()).sum::<usize>();
        let many = !self.meta.contains_key(key) && self.meta.len() == raw::LIMIT_META_KEYS;
        if many || size > raw::LIMIT_META_BYTES {
            return self.refuse(raw::CODE_LIMIT, "metadata over 64 keys or 16 KiB");
        }
        self.meta.insert(key.into(), value.into());
        0
    }

    pub fn log(&mut self, level: i32, line: &[u8]) -> i32 {
        let name = match level {
            raw::LOG_DEBUG => "debug",
            raw::LOG_INFO => "info",
            raw::LOG_WARN => "warn",
            raw::LOG_ERROR => "error",
            _ => return self.bad(format!("log level {level}")),
        };
        if !self.log.add(name, shown(line)) {
            return self.refuse(raw::CODE_LIMIT, "log over 1,000 lines or 256 KiB");
        }
        0
    }
}
