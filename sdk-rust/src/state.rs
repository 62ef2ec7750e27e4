//! The variables of one call. Each call has a new guest, and a test runs a call on one
//! thread.

/// A variable.
#[derive(Clone, Copy)]
pub enum Var {
    /// Not 0 after a misuse; the host has the reason then.
    Misused,
    /// The number of the block that a hook writes to; 0 is the answer.
    Place,
    /// The number of blocks that a hook has opened.
    Blocks,
}

#[cfg(target_arch = "wasm32")]
mod kept {
    use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

    static MISUSED: AtomicI32 = AtomicI32::new(0);
    static PLACE: AtomicI32 = AtomicI32::new(0);
    static BLOCKS: AtomicI32 = AtomicI32::new(0);

    #[inline(always)]
    fn var(v: super::Var) -> &'static AtomicI32 {
        match v {
            super::Var::Misused => &MISUSED,
            super::Var::Place => &PLACE,
            super::Var::Blocks => &BLOCKS,
        }
    }

    /// Does nothing: each call has a new guest.
    pub fn begin() {}

    /// Leaks a value after the call has failed, because the memory of the guest is dropped.
    pub fn leave<T>(v: T) {
        std::mem::forget(v);
    }

    #[inline(always)]
    pub fn get(v: super::Var) -> i32 {
        var(v).load(Relaxed)
    }

    #[inline(always)]
    pub fn set(v: super::Var, to: i32) {
        var(v).store(to, Relaxed)
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod kept {
    use std::cell::Cell;

    thread_local! {
        static VARS: [Cell<i32>; 3] = Default::default();
    }

    /// Clears the variables of the previous call.
    pub fn begin() {
        VARS.with(|vars| vars.iter().for_each(|v| v.set(0)));
    }

    /// Drops a value after the call has failed.
    pub fn leave<T>(_: T) {}

    pub fn get(v: super::Var) -> i32 {
        VARS.with(|vars| vars[v as usize].get())
    }

    pub fn set(v: super::Var, to: i32) {
        VARS.with(|vars| vars[v as usize].set(to))
    }
}

pub use kept::{begin, get, leave, set};

/// Records a misuse and reports whether it is the first in this call.
#[inline(never)]
pub fn first_misuse() -> bool {
    let first = get(Var::Misused) == 0;
    set(Var::Misused, 1);
    first
}
