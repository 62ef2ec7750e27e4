//! Sends the imports of a native build to the test stub.

use super::zz_raw::CODE_UNSUPPORTED;
use crate::testing::Stub;
use std::cell::RefCell;

thread_local! {
    static STUB: RefCell<Option<Stub>> = RefCell::new(None);
}

/// Calls f with the stub of this thread. Without a stub all imports are UNSUPPORTED.
pub fn ask(f: impl FnOnce(&mut Stub) -> i32) -> i32 {
    STUB.with(|stub| stub.borrow_mut().as_mut().map_or(CODE_UNSUPPORTED, f))
}

/// Runs an entry of a module with a stub, and returns its return code and the stub.
pub fn run(stub: Stub, entry: impl FnOnce() -> i32) -> (i32, Stub) {
    let outer = STUB.with(|s| s.replace(Some(stub)));
    let code = entry();
    let stub = STUB.with(|s| s.replace(outer));
    (code, stub.unwrap_or_default())
}
