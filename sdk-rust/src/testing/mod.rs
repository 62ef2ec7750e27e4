//! Runs stages and controllers in plain Rust, without WebAssembly, so that their logic is
//! tested by `cargo test`.
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
//! The imports are answered with the checks and limits of the host: spans inside the buffer
//! and on boundaries of characters, order and overlap of Sections, output that is UTF-8. What
//! is not here is what only a guest has: a bounded memory, a bounded time, and a memory that is
//! clean for each call. `buf_grep` knows the common part of RE2's syntax; a test of a stage that
//! uses more panics and names `mcpctl stage test`, which runs on the built module.

mod archive;
mod buffer;
mod cache;
mod context;
mod hook;
mod hookcontext;
mod host;
mod id;
mod json;
mod jsonimport;
mod keep;
mod llm;
mod pattern;
mod records;
mod regex;
mod sections;
mod session;
mod sha256;
mod stage;
mod stored;
mod tokens;
mod tool;
mod tree;

pub use archive::{run_archives, run_sessions};
pub use cache::CacheWay;
pub use keep::LogLine;
pub use llm::{Llm, Question, Reply};
pub use session::{Effects, Reader, Session};
pub use stage::{run, Call, Context, Mark, Outcome, Report};
pub use stored::{content_ref, Prompt, Proposal, Stored};
pub use tool::Tool;
pub use tree::Section;
