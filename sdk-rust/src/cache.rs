use crate::error::{check, Result};
use crate::log::Log;
use crate::raw;

/// Keeps values between calls. Keys are arbitrary strings, private to the module's build,
/// the role, its config and the project. The host may drop a value, so the result of a
/// stage must not depend on it. The manifest must list the capability `cache`.
#[derive(Debug)]
pub struct Cache(pub(crate) ());

impl Cache {
    /// Returns a value, if there is one.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let handle = raw::cache_get(key.as_bytes());
        if handle < 0 {
            return None;
        }
        Some(raw::take(handle))
    }

    /// Stores a value of up to 4 MiB, whatever the outcome of the call.
    ///
    /// Errors: Denied without the capability, Limit, Unavailable.
    pub fn set(&self, key: &str, value: impl AsRef<[u8]>) -> Result<()> {
        check(raw::cache_set(key.as_bytes(), value.as_ref())).map(drop)
    }

    /// Returns the value of a key; if there is none, computes and stores it. If the value
    /// cannot be stored, that is logged and not returned.
    ///
    /// Errors: those of compute.
    pub fn get_or_compute(&self, key: &str, compute: impl FnOnce() -> Result<Vec<u8>>) -> Result<Vec<u8>> {
        if let Some(value) = self.get(key) {
            return Ok(value);
        }
        let value = compute()?;
        if let Err(e) = self.set(key, &value) {
            Log(()).debug("cache: value not kept", &[("why", &e)]);
        }
        Ok(value)
    }
}
