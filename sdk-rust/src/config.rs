use crate::base::Base;
use crate::error::misused;
use crate::json::Kind;
use crate::raw;
use crate::state;
use crate::text::decimal;

impl Base {
    /// Reports whether the config has a key.
    pub fn has(&self, key: &str) -> bool {
        raw::json_kind(raw::BUF_CONFIG, raw::segment(key).as_bytes()) >= 0
    }

    /// Returns a config value, or the default if the key is missing or null. A value that
    /// is not a string is a misuse: the call fails.
    pub fn str(&self, key: &str, default: &str) -> String {
        match value(key, raw::JSON_STRING, NO_STRING, |at| raw::json_get(raw::BUF_CONFIG, at)) {
            Some(handle) if handle >= 0 => return raw::take_text(handle),
            Some(_) => misused(),
            None => (),
        }
        raw::copied(default)
    }

    /// Returns a config value, or the default; see [`str`](Base::str).
    pub fn int(&self, key: &str, default: i64) -> i64 {
        let mut v = default.to_le_bytes();
        value(key, raw::JSON_NUMBER, NO_INTEGER, |at| {
            if raw::json_i64(raw::BUF_CONFIG, at, &mut v) < 0 {
                wrong(key, NO_INTEGER);
            }
        });
        i64::from_le_bytes(v)
    }

    /// Returns a config value, or the default; see [`str`](Base::str).
    pub fn float(&self, key: &str, default: f64) -> f64 {
        let mut v = default.to_le_bytes();
        value(key, raw::JSON_NUMBER, NO_NUMBER, |at| {
            if raw::json_f64(raw::BUF_CONFIG, at, &mut v) < 0 {
                wrong(key, OUT_OF_RANGE);
            }
        });
        f64::from_le_bytes(v)
    }

    /// Returns a config value, or the default; see [`str`](Base::str).
    pub fn bool(&self, key: &str, default: bool) -> bool {
        let mut v = i64::from(default).to_le_bytes();
        value(key, raw::JSON_BOOL, NO_BOOL, |at| raw::json_i64(raw::BUF_CONFIG, at, &mut v));
        i64::from_le_bytes(v) != 0
    }

    /// Returns a list of strings in the config, or the default; see [`str`](Base::str).
    pub fn strings(&self, key: &str, default: &[&str]) -> Vec<String> {
        if value(key, raw::JSON_ARRAY, NO_STRINGS, |_| ()).is_none() {
            return default.iter().map(|s| s.to_string()).collect();
        }
        let list = raw::segment(key);
        let json = self.config.json();
        let element = |i: usize| {
            let at = raw::joined(&[&list, "/", &decimal(i as i64)]);
            if json.kind(&at) != Ok(Kind::String) {
                wrong(key, NO_STRINGS);
            }
            json.str(&at).unwrap_or_default()
        };
        (0..json.len(&list).unwrap_or(0)).map(element).collect()
    }
}

// The ends of the sentence "config "key" is no ...".
const NO_STRING: &str = "\" is no string";
const NO_INTEGER: &str = "\" is no integer";
const NO_NUMBER: &str = "\" is no number";
const OUT_OF_RANGE: &str = "\" is no number in range";
const NO_BOOL: &str = "\" is no bool";
const NO_STRINGS: &str = "\" is no list of strings";

/// Calls read with the pointer to a config value of a kind. Another kind is a misuse; null
/// counts as missing.
fn value<T>(key: &str, kind: i32, what: &str, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
    let at = raw::segment(key);
    let is = raw::json_kind(raw::BUF_CONFIG, at.as_bytes());
    if is == kind {
        return Some(read(at.as_bytes()));
    }
    if is > raw::JSON_NULL {
        wrong(key, what);
    }
    None
}

/// Fails the call because a config value has the wrong type.
#[cold]
#[inline(never)]
fn wrong(key: &str, what: &str) {
    if state::first_misuse() {
        let reason = raw::joined3("config \"", key, what);
        raw::fail(reason.as_bytes());
        state::leave(reason);
    }
}
