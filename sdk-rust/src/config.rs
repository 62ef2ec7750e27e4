use crate::base::Base;
use crate::error::{misuse, Code, Error};
use crate::json::{pointer, Kind};
use crate::raw;
use crate::text::decimal;

impl Base {
    /// Whether the config has a key.
    pub fn has(&self, key: &str) -> bool {
        raw::json_kind(raw::BUF_CONFIG, pointer(&[key]).as_bytes()) >= 0
    }

    /// A config value, or the default if the key is missing or null. A value that is
    /// no string is a misuse: the call fails.
    pub fn str(&self, key: &str, default: &str) -> String {
        if let Some(at) = value(key, raw::JSON_STRING, "string") {
            match self.config.json().str(&at) {
                Ok(text) => return text,
                Err(e) => misuse(e),
            }
        }
        raw::joined(&[default])
    }

    /// A config value, or the default; see [`str`](Base::str).
    pub fn int(&self, key: &str, default: i64) -> i64 {
        let read = value(key, raw::JSON_NUMBER, "integer").map(|at| self.config.json().int(&at));
        match read {
            Some(Ok(v)) => v,
            Some(Err(_)) => {
                wrong(key, "integer");
                default
            }
            None => default,
        }
    }

    /// A config value, or the default; see [`str`](Base::str).
    pub fn float(&self, key: &str, default: f64) -> f64 {
        let read = value(key, raw::JSON_NUMBER, "number").map(|at| self.config.json().float(&at));
        match read {
            Some(Ok(v)) => v,
            Some(Err(_)) => {
                wrong(key, "number in range");
                default
            }
            None => default,
        }
    }

    /// A config value, or the default; see [`str`](Base::str).
    pub fn bool(&self, key: &str, default: bool) -> bool {
        match value(key, raw::JSON_BOOL, "bool") {
            Some(at) => self.config.json().int(&at).map_or(default, |v| v != 0),
            None => default,
        }
    }

    /// A list of strings in the config, or the default; see [`str`](Base::str).
    pub fn strings(&self, key: &str, default: &[&str]) -> Vec<String> {
        let at = match value(key, raw::JSON_ARRAY, "list of strings") {
            Some(at) => at,
            None => return default.iter().map(|s| s.to_string()).collect(),
        };
        let json = self.config.json();
        let element = |i: usize| {
            let at = raw::joined(&[&at, "/", &decimal(i as i64)]);
            if json.kind(&at) != Ok(Kind::String) {
                wrong(key, "list of strings");
            }
            json.str(&at).unwrap_or_default()
        };
        (0..json.len(&at).unwrap_or(0)).map(element).collect()
    }
}

/// The pointer to a config value of a kind. Another kind is a misuse, null is as good as
/// missing.
#[inline(never)]
fn value(key: &str, kind: i32, what: &str) -> Option<String> {
    let at = pointer(&[key]);
    let is = raw::json_kind(raw::BUF_CONFIG, at.as_bytes());
    if is == kind {
        return Some(at);
    }
    if is != raw::CODE_NOT_FOUND && is != raw::JSON_NULL {
        wrong(key, what);
    }
    None
}

/// Notes that the config has a value that cannot be used.
#[cold]
#[inline(never)]
fn wrong(key: &str, what: &str) {
    misuse(Error::refused(Code::BadArg, &["config \"", key, "\" is no ", what]));
}
