//! The entries that the macros export: one call of a role, with its return code. Use the
//! macros instead.

use crate::controller::{self, HookFn};
use crate::error::Error;
use crate::raw;
use crate::state::{self, Var};
use crate::{Ctx, Outcome, StageFn, Verdict, PASS};

/// Runs the stage of a module with one role. The name of the role does not matter: without
/// a manifest it is the name of the file.
#[inline(always)]
pub fn stage(f: StageFn) -> i32 {
    run(|| f(&mut Ctx::new()))
}

/// Runs one of several stages.
pub fn stages(roles: &[(&str, StageFn)]) -> i32 {
    run(|| {
        let mut c = Ctx::new();
        let role = c.role();
        match roles.iter().find(|r| r.0 == role) {
            Some(r) => (r.1)(&mut c),
            None => Err(Error::fail(raw::joined(&["module has no role ", &crate::text::quoted(&role)]))),
        }
    })
}

/// Runs a hook of one of the controllers; a missing hook passes. In a module with one
/// controller the name of the role does not matter.
#[inline]
pub fn hooks(roles: &[(&str, Option<HookFn>)]) -> i32 {
    run(|| {
        let mut c = controller::Ctx::new();
        let hook = match roles {
            [only] => only.1,
            _ => {
                let role = c.role();
                match roles.iter().find(|r| r.0 == role) {
                    Some(r) => r.1,
                    None => return Err(Error::fail(raw::joined(&["module has no controller ", &role]))),
                }
            }
        };
        match hook {
            Some(f) => f(&mut c),
            None => PASS,
        }
    })
}

#[inline(always)]
fn run(f: impl FnOnce() -> Outcome) -> i32 {
    state::begin();
    match guarded(f) {
        Err(e) => {
            e.report();
            raw::RETURN_FAIL
        }
        Ok(_) if state::get(Var::Misused) != 0 => raw::RETURN_FAIL,
        Ok(Verdict::Done) => raw::RETURN_DONE,
        Ok(Verdict::Pass) => raw::RETURN_PASS,
    }
}

/// Runs f in a guest, where a panic traps. The message of the panic is reported first.
#[cfg(target_arch = "wasm32")]
#[inline(always)]
fn guarded(f: impl FnOnce() -> Outcome) -> Outcome {
    #[cfg(feature = "panic-message")]
    std::panic::set_hook(Box::new(|info| {
        raw::fail(panic_text(info.payload()).as_bytes());
        if let Some(at) = info.location() {
            let line = crate::text::decimal(at.line().into());
            raw::log(raw::LOG_ERROR, raw::joined(&["panic at ", at.file(), ":", &line]).as_bytes());
        }
    }));
    f()
}

/// Runs f and turns a panic into an error.
#[cfg(not(target_arch = "wasm32"))]
fn guarded(f: impl FnOnce() -> Outcome) -> Outcome {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)) {
        Ok(outcome) => outcome,
        Err(payload) => Err(Error::fail(panic_text(payload.as_ref()))),
    }
}

#[cfg(any(feature = "panic-message", not(target_arch = "wasm32")))]
fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let message = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(s), _) => s,
        (_, Some(s)) => s.as_str(),
        _ => "of unknown type",
    };
    raw::joined(&["panic: ", message])
}
