#![doc = include_str!("../README.md")]
#![deny(missing_docs)]
#![deny(unsafe_code)]

mod base;
mod batch;
mod buf;
mod cache;
mod config;
pub mod controller;
mod ctx;
mod error;
#[doc(hidden)]
pub mod export;
mod json;
mod llm;
mod log;
mod out;
mod raw;
mod search;
mod section;
mod state;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
mod text;

pub use base::{Base, Limits, Position};
pub use batch::Batch;
pub use buf::Buf;
pub use cache::Cache;
pub use ctx::{ContentPart, ContentType, Ctx, Outcome, StageFn, Verdict, DONE, PASS};
pub use error::{Code, Error, Result};
pub use json::{pointer, Child, Children, Json, Kind};
pub use llm::{Answer, Llm, Part, Ready, Reply, Request, Tier};
pub use log::{Log, Value};
pub use out::Out;
pub use search::{Grep, Lines, Span};
pub use section::{Section, SectionInfo, SectionKind, Sections, TOP};

/// Exports stages, each with the name of its role and a function.
///
/// ```
/// use mcpctl_stage::{stage, Ctx, Outcome, PASS};
///
/// stage!("look", look);
///
/// fn look(c: &mut Ctx) -> Outcome {
///     c.meta("bytes", &c.input.len().to_string())?;
///     PASS
/// }
/// # fn main() {}
/// ```
///
/// For several stages, as in `stage!("a", a; "b", b);`, the manifest must list the roles. In
/// a module with one stage the name of the role does not matter. A module with stages and
/// controllers uses [`roles!`].
#[macro_export]
macro_rules! stage {
    ($role:literal, $f:path $(,)?) => {
        const _: $crate::StageFn = $f;
        $crate::__export!(mcpctl_stage, $crate::export::stage($f));
        $crate::__marker!();
    };
    ($($role:literal, $f:path);+ $(;)?) => {
        $crate::roles!(stages: {$($role => $f),+});
    };
}

/// Exports a controller with the name of its role and its hooks.
///
/// ```
/// use mcpctl_stage::controller::{Ctx, Hooks};
/// use mcpctl_stage::{controller, Outcome, DONE};
///
/// const GREET: Hooks = Hooks { initialize: Some(greet), ..Hooks::NONE };
/// controller!("greet", GREET);
///
/// fn greet(c: &mut Ctx) -> Outcome {
///     c.answer.write("Begin with the overview.")?;
///     DONE
/// }
/// # use mcpctl_stage::testing::{run_hook, Call};
/// # assert_eq!(run_hook("greet", GREET.initialize, &Call::of("{}")).output, "Begin with the overview.");
/// ```
///
/// The manifest lists the hooks that the host calls. A hook that is None passes.
#[macro_export]
macro_rules! controller {
    ($role:literal, $hooks:expr $(,)?) => {
        $crate::__marker!();
        $crate::__controllers!($role => $hooks);
    };
}

/// Exports the stages and controllers of a module with several roles. The manifest must
/// list them.
///
/// ```
/// use mcpctl_stage::controller::{self, Hooks};
/// use mcpctl_stage::{roles, Ctx, Outcome, PASS};
///
/// roles! {
///     stages: {"first" => first, "second" => second},
///     controllers: {"quiet" => Hooks {tools_list: Some(quiet), ..Hooks::NONE}},
/// }
///
/// fn first(c: &mut Ctx) -> Outcome { PASS }
/// fn second(c: &mut Ctx) -> Outcome { PASS }
/// fn quiet(c: &mut controller::Ctx) -> Outcome { PASS }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! roles {
    (stages: {$($role:literal => $f:path),+ $(,)?} $(,)?) => {
        $crate::__marker!();
        $crate::__stages!($($role => $f),+);
    };
    (controllers: {$($name:literal => $hooks:expr),+ $(,)?} $(,)?) => {
        $crate::__marker!();
        $crate::__controllers!($($name => $hooks),+);
    };
    (stages: {$($role:literal => $f:path),+ $(,)?}, controllers: {$($name:literal => $hooks:expr),+ $(,)?} $(,)?) => {
        $crate::__marker!();
        $crate::__stages!($($role => $f),+);
        $crate::__controllers!($($name => $hooks),+);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __stages {
    ($($role:literal => $f:path),+) => {
        const _: &[(&str, $crate::StageFn)] = &[$(($role, $f)),+];
        $crate::__export!(mcpctl_stage, $crate::export::stages(&[$(($role, $f)),+]));
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __controllers {
    ($($role:literal => $hooks:expr),+) => {
        const _: &[(&str, $crate::controller::Hooks)] = &[$(($role, $hooks)),+];
        $crate::__export!(mcpctl_on_initialize, $crate::export::hooks(&[$(($role, $hooks.initialize)),+]));
        $crate::__export!(mcpctl_on_tools_list, $crate::export::hooks(&[$(($role, $hooks.tools_list)),+]));
        $crate::__export!(mcpctl_on_tool_call, $crate::export::hooks(&[$(($role, $hooks.tool_call)),+]));
        $crate::__export!(mcpctl_on_tool_result, $crate::export::hooks(&[$(($role, $hooks.tool_result)),+]));
        $crate::__export!(mcpctl_on_close, $crate::export::hooks(&[$(($role, $hooks.close)),+]));
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __export {
    ($name:ident, $run:expr) => {
        #[cfg(target_arch = "wasm32")]
        #[no_mangle]
        extern "C" fn $name() -> i32 {
            $run
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __marker {
    () => {
        #[cfg(target_arch = "wasm32")]
        #[no_mangle]
        extern "C" fn mcpctl_abi_v1() {}
    };
}
