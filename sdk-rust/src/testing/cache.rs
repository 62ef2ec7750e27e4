//! The cache of a test, and what archives say of it.

use super::buffer::Buffer;
use super::host::{commas, shown, Host};
use super::{json, sha256};
use crate::raw;
use std::collections::BTreeMap;

/// How the cache of a test works. A result must not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheWay {
    /// It keeps what it is given.
    #[default]
    Works,
    /// It gives what it holds; `set` is refused with [`Code::Limit`](crate::Code::Limit).
    Full,
    /// There is none; `set` is refused with [`Code::Unavailable`](crate::Code::Unavailable).
    Off,
}

/// Values by their keys.
pub type Values = BTreeMap<String, Vec<u8>>;

/// The cache of one call.
#[derive(Default)]
pub struct Cache {
    pub way: CacheWay,
    pub held: Values,
    pub kept: Values, // by this call
}

impl Host {
    pub fn cache_get(&mut self, key: &[u8]) -> i32 {
        if self.cache.way == CacheWay::Off {
            return self.refuse(raw::CODE_UNAVAILABLE, "no cache configured");
        }
        match self.cache.held.get(&cache_key(key)).cloned() {
            Some(value) => self.handle(Buffer::text(value)),
            None => self.refuse(raw::CODE_NOT_FOUND, format!("nothing cached under {}", shown(key))),
        }
    }

    pub fn cache_set(&mut self, key: &[u8], value: &[u8]) -> i32 {
        if value.len() > raw::LIMIT_CACHE_VALUE_BYTES {
            return self.refuse(raw::CODE_LIMIT, format!("value of {} bytes, limit 4 MiB", commas(value.len())));
        }
        match self.cache.way {
            CacheWay::Off => self.refuse(raw::CODE_UNAVAILABLE, "no cache configured"),
            CacheWay::Full => {
                let over = format!("cache values of the module are over {} bytes", raw::LIMIT_CACHE_MODULE_BYTES);
                self.refuse(raw::CODE_LIMIT, format!("limit reached: {over} (set limits.cache)"))
            }
            CacheWay::Works => {
                self.cache.held.insert(cache_key(key), value.into());
                self.cache.kept.insert(cache_key(key), value.into());
                0
            }
        }
    }
}

fn cache_key(key: &[u8]) -> String {
    if key.len() > raw::LIMIT_CACHE_KEY_BYTES {
        return sha256::hex(&sha256::sum(key));
    }
    shown(key)
}

/// Reads what an archive says of a cache.
pub fn parse(text: &str) -> Result<(CacheWay, Values), String> {
    let (mut way, mut held) = (CacheWay::Works, Values::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line {
            "full" => way = CacheWay::Full,
            "off" => way = CacheWay::Off,
            _ => {
                let (key, value) = pair(line).ok_or(format!("{line:?} is not KEY: VALUE, full or off"))?;
                held.insert(key, value);
            }
        }
    }
    if way == CacheWay::Off && !held.is_empty() {
        return Err("a cache that is off holds nothing".into());
    }
    Ok((way, held))
}

/// Reads what an archive says was put into a cache.
pub fn parse_kept(text: &str) -> Result<Values, String> {
    match parse(text)? {
        (CacheWay::Works, kept) => Ok(kept),
        _ => Err("full or off is not KEY: VALUE".into()),
    }
}

/// Reads KEY: VALUE, each as it stands there or as a string of JSON, or a value as `hex `
/// and its bytes.
fn pair(line: &str) -> Option<(String, Vec<u8>)> {
    let (key, value) = if line.starts_with('"') {
        let ends = line.match_indices('"').map(|(at, _)| at + 1);
        let end = ends.skip(1).find(|&end| json::is_string(line[..end].as_bytes()))?;
        (json::unquote(line[..end].as_bytes()), line[end..].strip_prefix(": ")?)
    } else {
        let (key, value) = line.split_once(": ")?;
        (key.into(), value)
    };
    if let Some(digits) = value.strip_prefix("hex ") {
        return Some((key, unhex(digits)?));
    }
    if value.starts_with('"') {
        return json::is_string(value.as_bytes()).then(|| (key, json::unquote(value.as_bytes()).into_bytes()));
    }
    Some((key, value.into()))
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let nibbles: Option<Vec<u32>> = digits.chars().map(|c| c.to_digit(16)).collect();
    let nibbles = nibbles.filter(|n| n.len() % 2 == 0)?;
    Some(nibbles.chunks(2).map(|two| (two[0] << 4 | two[1]) as u8).collect())
}

/// Writes values as archives have them.
pub fn text(values: &Values) -> String {
    let line = |(key, value): (&String, &Vec<u8>)| {
        let key = if !plain(key) || key.contains(": ") { json::quote(key) } else { key.clone() };
        let value = match std::str::from_utf8(value) {
            Err(_) => format!("hex {}", sha256::hex(value)),
            Ok(value) if !plain(value) || value.starts_with("hex ") => json::quote(value),
            Ok(value) => value.into(),
        };
        format!("{key}: {value}\n")
    };
    values.iter().map(line).collect()
}

/// Whether a text can stand in a line as it is.
fn plain(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('"') && text.trim() == text && !text.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::{parse, parse_kept, text, CacheWay, Values};

    // As mcpctl stage test has it: one archive serves both.
    #[test]
    fn a_cache_is_read_as_it_is_written() {
        let held: Values = [
            ("k", &b"v"[..]),
            ("", b""),
            ("a: b", b"a: b"),
            ("\"quoted\"", b"\"v\""),
            (" blank ", b" v "),
            ("lines\n", b"a\nb\n"),
            ("hex", b"hex 00"),
            ("binary", b"\x00\xff"),
            ("full", b"off"),
        ]
        .iter()
        .map(|(key, value)| (key.to_string(), value.to_vec()))
        .collect();
        assert_eq!(parse(&text(&held)), Ok((CacheWay::Works, held)));
        assert_eq!(parse("off\n"), Ok((CacheWay::Off, Values::new())));
        assert_eq!(parse("k: v\n\nfull\n").map(|(way, held)| (way, held.len())), Ok((CacheWay::Full, 1)));
        for wrong in ["empty", "off\nk: v", "\"k: v", "\"k\"x: v", "k: \"v", "k: hex 0", "k: hex 0g"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(parse_kept("full").is_err());
    }
}
