//! Controllers: code that steers a client's session. It adds to the instructions,
//! edits the list of tools and has tools of its own, answers or reroutes calls, and
//! replaces results or puts text beside them.
//!
//! A controller is a few hooks:
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
//! It needs a manifest, a `plugin.yaml` with `kind: controller`. What it shares with
//! stages (the bytes that the host keeps, JSON, config, log, LLM, errors) is in the
//! root of the crate: a [`Ctx`] has all of [`Base`](crate::Base).
//!
//! A hook that is [`DONE`](crate::DONE) has answered; [`PASS`](crate::PASS) lets the host
//! go on; an error is FAIL: all that the hook wanted to change is dropped, the host goes
//! on as if it had passed, and the event has the error's text.
//!
//! Hooks of one controller in one session run one at a time, in the order of the
//! requests. A hook that waits for an LLM lets others run; what it reads afterwards may
//! be new. No byte of the guest survives a hook: what must, belongs in [`State`].

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

/// What a controller does; a hook that is None passes. Where there is nothing to answer,
/// in `tools_list` and `close`, DONE is the same as PASS.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// A client connects. The answer is added to the instructions that it reads;
    /// [`Ctx::client_info`] says how much there is room for. The input is the params.
    pub initialize: Option<HookFn>,
    /// The list is needed; edit it by `hide_tool`, `patch_tool` and `add_tool`. The edits
    /// of the last list count, so make all of them each time. The input is
    /// `{"reason":"list"}`, or lookup before a call of a tool that no list has had.
    pub tools_list: Option<HookFn>,
    /// Before a call is routed. DONE answers it, PASS lets it go on. The input is its
    /// arguments. Calls of the controller's own tools come here too: tell them by
    /// [`Ctx::tool`]; one that nobody answers is an error.
    pub tool_call: Option<HookFn>,
    /// A server has answered. DONE replaces the result, PASS keeps it. The input is the
    /// result, or `{"error":{...}}`; its parts are stored by now.
    pub tool_result: Option<HookFn>,
    /// The session has ended, its state is dropped afterwards. The input is
    /// `{"reason":"client"}`, idle or shutdown.
    pub close: Option<HookFn>,
}

impl Hooks {
    /// No hook.
    pub const NONE: Hooks =
        Hooks { initialize: None, tools_list: None, tool_call: None, tool_result: None, close: None };
}
