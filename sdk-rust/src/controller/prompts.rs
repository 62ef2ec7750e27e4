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
    /// The project that it is of.
    pub project: String,
    /// 1 to 10; 10 is always sent.
    pub priority: i64,
    /// In a line.
    pub summary: String,
    /// The titles of its chapters.
    pub chapters: Vec<String>,
    /// Of the stored text.
    pub bytes: i64,
    /// Of the stored text; empty for a link that was not read.
    pub hash: String,
    /// `project/server:uri`, of a prompt that is a link.
    pub link: String,
    /// alive, dead, unknown; empty without a link.
    pub link_status: String,
    /// For [`Ctx::open_content`] and [`Ctx::section`]; empty until the body was read once.
    pub content_ref: String,
}

/// Goes through prompts; see [`Ctx::prompts`].
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
    /// Goes through the visible prompts, the most important first, those of one priority by
    /// name. System prompts are not among them. Who looks at some of many takes
    /// [`prompt_list`](Ctx::prompt_list).
    pub fn prompts(&self) -> Prompts {
        let handle = raw::prompts();
        let list = if handle < 0 { Vec::new() } else { raw::take(handle) };
        Prompts { scanner: Scanner::new(list), begun: false }
    }

    /// The text of a prompt as a client reads it: after the project's stages. A system
    /// prompt is named `mcpctl-system/NAME`.
    ///
    /// Errors: NotFound, Unavailable for a link that is dead.
    pub fn prompt_body(&self, name: &str) -> Result<Buf> {
        Buf::of(raw::prompt_body(name.as_bytes(), 0))
    }

    /// The text of a prompt without the project's stages, filters excepted; see
    /// [`prompt_body`](Ctx::prompt_body).
    pub fn prompt_stored(&self, name: &str) -> Result<Buf> {
        Buf::of(raw::prompt_body(name.as_bytes(), raw::PROMPT_STORED))
    }

    /// Takes a prompt, `{"name","content","priority"}` in JSON, for review by a person, and
    /// gives the id of the request.
    ///
    /// Errors: BadArg, Conflict, Limit.
    pub fn propose_prompt(&self, proposal: &str) -> Result<String> {
        Ok(raw::take_text(check(raw::prompt_propose(proposal.as_bytes()))?))
    }
}
