//! Runs a stage or a hook natively, so that `cargo test` can check its logic.
//!
//! ```
//! use mcpctl_stage::testing::{run, Call};
//! use mcpctl_stage::{Ctx, Outcome, DONE, PASS};
//!
//! fn lead(c: &mut Ctx) -> Outcome {
//!     if let Some(at) = c.input.find("\n---\n") {
//!         c.out.span(c.input, ..at)?;
//!         return DONE;
//!     }
//!     PASS
//! }
//!
//! assert_eq!(run("lead", lead, &Call::of("a\n---\nb")).output, "a");
//! ```
//!
//! A stub answers the imports: it keeps content, config and Sections in memory and records
//! the effects of the call. It is not the host. It has no LLM, enforces no limits,
//! capabilities or order of Sections, derives no ids, and `hash` is not SHA-256. An import
//! that it lacks (`grep` with a pattern that is not literal, `servers`, prompts, stored
//! content) makes the test panic. `mcpctl stage test` runs the built module in the real
//! host, with the archives in `testdata`, their LLM scripts and the laws.

mod json;
mod section;
mod stub;

pub use section::Section;

use crate::controller::{HookFn, Kind};
use crate::ctx::StageFn;
use crate::{export, raw};
use std::collections::BTreeMap;

pub(crate) use stub::Stub;

/// The input of one call. The default is an empty tool result without config.
#[derive(Clone, Default)]
pub struct Call {
    /// The content; of a hook, its JSON input.
    pub input: String,
    /// The content before the first stage. Empty means that it equals the input.
    pub original: String,
    /// The config as a JSON object. Empty means `{}`; defaults of the manifest are not applied.
    pub config: String,
    /// Fields of the context as a JSON object, such as `{"mime":"text/csv"}` or
    /// `{"call":{"tool":"files/read"}}`. The stub adds the role, the project `test` and the
    /// content type toolResult.
    pub context: String,
    /// The name of the prompt, `server/tool` or the URI of the resource.
    pub source: String,
    /// The arguments of the call as a JSON object. In the host they reach the stage only if its
    /// manifest lists the capability `arguments`.
    pub arguments: String,
    /// The client's request in the two call hooks: `{"name":...,"arguments":{...}}`.
    pub client: String,
    /// The list of tools that a hook reads, as a JSON array. Empty means `[]`.
    pub tools: String,
    /// The Sections that earlier stages added.
    pub sections: Vec<Section>,
    /// The cached values.
    pub cache: BTreeMap<String, Vec<u8>>,
    /// The state of the session that a hook reads.
    pub state: BTreeMap<String, Vec<u8>>,
}

impl Call {
    /// Returns a call with an input.
    pub fn of(input: impl Into<String>) -> Call {
        Call { input: input.into(), ..Call::default() }
    }

    /// Returns the call with a config, which is a JSON object.
    pub fn with_config(self, config: impl Into<String>) -> Call {
        Call { config: config.into(), ..self }
    }

    /// Returns the call with a context, which is a JSON object.
    pub fn with_context(self, context: impl Into<String>) -> Call {
        Call { context: context.into(), ..self }
    }
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The output is the result.
    Done,
    /// The content is unchanged.
    Pass,
    /// The call failed; [`Report::reason`] has the reason.
    Fail,
}

/// The recorded effects of a call.
#[derive(Clone, Debug)]
pub struct Report {
    /// How the call ended.
    pub outcome: Outcome,
    /// Why the call failed; empty if it did not.
    pub reason: String,
    /// The output if the outcome is Done; of a hook, its answer.
    pub output: String,
    /// The kind of a hook's answer.
    pub kind: Kind,
    /// The text blocks that a hook put before the result.
    pub before: Vec<String>,
    /// The text blocks that a hook put after the result.
    pub after: Vec<String>,
    /// The other effects of a hook in order: `hide TOOL`, `patch TOOL PATCH`,
    /// `add DEFINITION`, `rewrite TOOL ARGUMENTS`, `notify METHOD PARAMS`.
    pub effects: Vec<String>,
    /// The offsets in the output at which the host prints an index.
    pub indexes: Vec<usize>,
    /// All Sections, those of earlier stages included.
    pub sections: Vec<Section>,
    /// The metadata of the run.
    pub meta: BTreeMap<String, String>,
    /// The log lines, each `LEVEL TEXT`.
    pub log: Vec<String>,
    /// The cached values after the call.
    pub cache: BTreeMap<String, Vec<u8>>,
    /// The state of the session after the call.
    pub state: BTreeMap<String, Vec<u8>>,
}

/// Runs a stage under the name of a role.
///
/// Panics if the stage uses an import that the stub does not have.
pub fn run(role: &str, stage: StageFn, call: &Call) -> Report {
    report(role, call, true, || export::stage(stage))
}

/// Runs a hook of a controller, such as `HOOKS.tool_call`. The call's state is not changed;
/// [`Report::state`] has the state for the next call.
///
/// Panics if the hook uses an import that the stub does not have.
pub fn run_hook(role: &str, hook: Option<HookFn>, call: &Call) -> Report {
    report(role, call, false, || export::hooks(&[(role, hook)]))
}

fn report(role: &str, call: &Call, is_stage: bool, entry: impl FnOnce() -> i32) -> Report {
    let (code, stub) = raw::native::run(Stub::new(role, call), entry);
    if let Some(import) = stub.missing_import {
        panic!("the test stub has no {import}: test this with `mcpctl stage test`");
    }
    let reason = match code {
        raw::RETURN_PASS => String::new(),
        raw::RETURN_DONE if is_stage && !stub.wrote => "returned DONE without output".into(),
        raw::RETURN_DONE if std::str::from_utf8(&stub.output).is_err() => "output is not UTF-8".into(),
        raw::RETURN_DONE => String::new(),
        _ => stub.reason,
    };
    let outcome = match code {
        _ if !reason.is_empty() => Outcome::Fail,
        raw::RETURN_DONE => Outcome::Done,
        _ => Outcome::Pass,
    };
    let is_done = outcome == Outcome::Done;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let blocks = |target| stub.blocks.iter().filter(|b| b.0 == target).map(|b| text(b.1.clone())).collect();
    Report {
        outcome,
        reason,
        kind: stub.kind,
        before: blocks(raw::OUT_BEFORE),
        after: blocks(raw::OUT_AFTER),
        output: if is_done { text(stub.output) } else { String::new() },
        effects: stub.effects,
        indexes: if is_done { stub.indexes } else { Vec::new() },
        sections: stub.sections,
        meta: stub.meta,
        log: stub.log,
        cache: stub.cache,
        state: stub.state,
    }
}
