use super::ctx::Ctx;
use super::scanner::Scanner;
use crate::buf::Buf;
use crate::error::{check, Result};
use crate::raw;

/// A prompt of the project, without its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// Its name.
    pub name: String,
    /// Its project.
    pub project: String,
    /// 1 to 10; prompts of priority 10 are always sent.
    pub priority: i64,
    /// A summary of one line.
    pub summary: String,
    /// The titles of its chapters.
    pub chapters: Vec<String>,
    /// The size of the stored text.
    pub bytes: i64,
    /// The hash of the stored text; empty for a link that was not read.
    pub hash: String,
    /// `project/server:uri` if the prompt is a link.
    pub link: String,
    /// `alive`, `dead` or `unknown`; empty without a link.
    pub link_status: String,
    /// For [`Ctx::open_content`] and [`Ctx::section`]; empty until the body was first read.
    pub content_ref: String,
}

/// Iterates over prompts; see [`Ctx::prompts`].
pub struct Prompts {
    scanner: Scanner,
    begun: bool,
}

impl Iterator for Prompts {
    type Item = Prompt;

    fn next(&mut self) -> Option<Prompt> {
        if !self.scanner.element(!self.begun) {
            return None;
        }
        self.begun = true;
        let mut p = Prompt::default();
        let read = self.scanner.object(|s, key| match key {
            "name" => s.string(&mut p.name),
            "project" => s.string(&mut p.project),
            "priority" => s.int(&mut p.priority),
            "summary" => s.string(&mut p.summary),
            "chapters" => s.strings(&mut p.chapters),
            "bytes" => s.int(&mut p.bytes),
            "hash" => s.string(&mut p.hash),
            "link" => s.string(&mut p.link),
            "linkStatus" => s.string(&mut p.link_status),
            "ref" => s.string(&mut p.content_ref),
            _ => s.skip(),
        });
        read.then_some(p)
    }
}

impl Ctx {
    /// Iterates over the visible prompts by descending priority and then by name. System
    /// prompts are not included. To look at a few of many, use
    /// [`prompt_list`](Ctx::prompt_list).
    pub fn prompts(&self) -> Prompts {
        let handle = raw::prompts();
        let list = if handle < 0 { Vec::new() } else { raw::take(handle) };
        Prompts { scanner: Scanner::new(list), begun: false }
    }

    /// Returns the text of a prompt as a client reads it, after the project's stages. The
    /// name of a system prompt is `mcpctl-system/NAME`.
    ///
    /// Errors: NotFound, Unavailable for a dead link.
    pub fn prompt_body(&self, name: &str) -> Result<Buf> {
        Buf::of(raw::prompt_body(name.as_bytes(), 0))
    }

    /// Returns the text of a prompt after the project's filters, but without its stages; see
    /// [`prompt_body`](Ctx::prompt_body).
    pub fn prompt_stored(&self, name: &str) -> Result<Buf> {
        Buf::of(raw::prompt_body(name.as_bytes(), raw::PROMPT_STORED))
    }

    /// Proposes a prompt, `{"name","content","priority"}` in JSON, for review by a person and
    /// returns the id of the request.
    ///
    /// Errors: BadArg, Conflict, Limit.
    pub fn propose_prompt(&self, proposal: &str) -> Result<String> {
        Ok(raw::take_text(check(raw::prompt_propose(proposal.as_bytes()))?))
    }
}
