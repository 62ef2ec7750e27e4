//! Who answers the imports where there is no WebAssembly host.

use super::zz_raw::{Host, CODE_UNSUPPORTED};
use std::cell::RefCell;

thread_local! {
    static HOST: RefCell<Option<Box<dyn Host>>> = RefCell::new(None);
}

/// Asks the host of this thread; without one all imports are UNSUPPORTED.
pub fn ask(question: impl FnOnce(&mut dyn Host) -> i32) -> i32 {
    HOST.with(|host| match host.borrow_mut().as_mut() {
        Some(host) => question(host.as_mut()),
        None => CODE_UNSUPPORTED,
    })
}

/// Makes a host answer on this thread, or nobody; gives the one that did.
pub fn swap(host: Option<Box<dyn Host>>) -> Option<Box<dyn Host>> {
    HOST.with(|now| std::mem::replace(&mut *now.borrow_mut(), host))
}
