//! Controllers: code that controls a client's session. A controller adds to the
//! instructions, edits the list of tools, provides virtual tools, answers or rewrites
//! calls, and replaces results or adds text to them.
//!
//! A controller consists of hooks:
//!
//! ```
//! use mcpctl_stage::controller::{Ctx, Hooks};
//! use mcpctl_stage::{controller, Outcome, PASS};
//!
//! const BRAKE: Hooks = Hooks { tool_call: Some(brake), ..Hooks::NONE };
//! controller!("brake", BRAKE);
//!
//! /// Refuses the third call of one tool.
//! fn brake(c: &mut Ctx) -> Outcome {
//!     let key = format!("calls:{}", c.tool());
//!     let n = c.state.get(&key).unwrap_or_default();
//!     if n.len() == 2 {
//!         return c.refuse(&format!("third call of {}: read what you have", c.tool()));
//!     }
//!     c.state.set(&key, [&n[..], b"x"].concat())?;
//!     PASS
//! }
//! # use mcpctl_stage::testing::{run_hook, Call};
//! # let mut call = Call::of("{}").with_context(r#"{"call":{"tool":"files/read"}}"#);
//! # for _ in 0..2 {
//! #     let got = run_hook("brake", BRAKE.tool_call, &call);
//! #     assert_eq!(got.output, "");
//! #     call.state = got.state;
//! # }
//! # let got = run_hook("brake", BRAKE.tool_call, &call);
//! # assert_eq!(got.output, "third call of files/read: read what you have");
//! ```
//!
//! It needs a manifest, a `plugin.yaml` with `kind: controller`. The API that it shares with
//! stages (buffers, JSON, config, log, LLM, errors) is in the root of the crate: a [`Ctx`]
//! includes [`Base`](crate::Base).
//!
//! A hook that returns [`DONE`](crate::DONE) has answered. With [`PASS`](crate::PASS) the
//! host continues. After an error all changes of the hook are dropped, the host continues as
//! after PASS, and the event has the error's text.
//!
//! Hooks of one controller in one session run one at a time, in the order of the requests.
//! While a hook waits for an LLM, other hooks may run and change the state that it reads
//! afterwards. The memory of the guest does not survive a hook: keep values in [`State`].

mod ctx;
mod out;
mod promptlist;
mod prompts;
mod scanner;
mod session;
mod tools;

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use scanner::{decode_string, Scanner};

pub use ctx::{Called, Client, Content, Ctx, Hook, ResultInfo};
pub use out::{Kind, Out};
pub use promptlist::{Pages, PromptList, PromptPage};
pub use prompts::{Prompt, Prompts};
pub use session::{Server, State};
pub use tools::{Tool, ToolKind, Tools};

/// A hook.
pub type HookFn = fn(&mut Ctx) -> crate::Outcome;

/// The hooks of a controller. A hook that is None passes. In `tools_list` and `close`, which
/// have no answer, DONE is the same as PASS.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// Runs when a client connects. The answer is added to its instructions;
    /// [`Ctx::client_info`] has the maximum length. The input is the params.
    pub initialize: Option<HookFn>,
    /// Runs when the list of tools is needed; edit it with `hide_tool`, `patch_tool` and
    /// `add_tool`. Only the edits of the last run count, so make all of them each time. The
    /// input is `{"reason":"list"}`, or `lookup` before a call of a tool that was not listed.
    pub tools_list: Option<HookFn>,
    /// Runs before a call is routed. DONE answers the call, PASS continues it. The input is
    /// its arguments. Calls of the controller's virtual tools arrive here too, with their
    /// name in [`Ctx::tool`]; it is an error not to answer them.
    pub tool_call: Option<HookFn>,
    /// Runs after a server has answered. DONE replaces the result, PASS keeps it. The input
    /// is the result, or `{"error":{...}}`. Its parts are already stored.
    pub tool_result: Option<HookFn>,
    /// Runs when the session has ended; its state is dropped afterwards. The input is
    /// `{"reason":"client"}`, `idle` or `shutdown`.
    pub close: Option<HookFn>,
}

impl Hooks {
    /// Has no hooks.
    pub const NONE: Hooks =
        Hooks { initialize: None, tools_list: None, tool_call: None, tool_result: None, close: None };
}
