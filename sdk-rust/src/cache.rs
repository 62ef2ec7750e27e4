use crate::error::{check, Result};
use crate::log::Log;
use crate::raw;

/// Keeps values from call to call. Keys are free strings, private to the module's
/// build, the role, its config and the project. A value may vanish, so the result of a
/// stage must not depend on whether there is one. It needs the capability `cache` in
/// the manifest.
#[derive(Debug)]
pub struct Cache(pub(crate) ());

impl Cache {
    /// A value, if there is one.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let handle = raw::cache_get(key.as_bytes());
        if handle < 0 {
            return None;
        }
        Some(raw::take(handle))
    }

    /// Keeps a value of up to 4 MiB, whatever the stage ends with.
    ///
    /// Errors: Denied without the capability, Limit, Unavailable.
    pub fn set(&self, key: &str, value: impl AsRef<[u8]>) -> Result<()> {
        check(raw::cache_set(key.as_bytes(), value.as_ref())).map(drop)
    }

    /// The value of a key, computed and kept if there is none. That a value could not
    /// be kept is logged, not returned.
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
