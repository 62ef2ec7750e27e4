use crate::base::{Base, Position};
use crate::buf::Buf;
use crate::error::Error;
use crate::out::Out;
use crate::raw;
use crate::section::Sections;
use std::ops::Deref;

/// What a call ends with if it does not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// What was written is the result.
    Done,
    /// The content goes on as it came; Sections and metadata count, output is dropped.
    Pass,
}

/// What a stage or a hook returns: [`DONE`], [`PASS`], or an [`Error`], which is FAIL: the
/// previous content goes on, and the event has the error's text.
pub type Outcome = std::result::Result<Verdict, Error>;

/// What was written is the result.
pub const DONE: Outcome = Ok(Verdict::Done);

/// The content goes on as it came; Sections and metadata count, output is dropped.
pub const PASS: Outcome = Ok(Verdict::Pass);

/// A stage: it reads `c.input` and writes `c.out`.
pub type StageFn = fn(&mut Ctx) -> Outcome;

/// All that a stage can see and do, with all of [`Base`].
#[derive(Debug)]
pub struct Ctx {
    base: Base,
    /// The new content.
    pub out: Out,
    /// The drill-down tree.
    pub sections: Sections,
}

impl Deref for Ctx {
    type Target = Base;

    #[inline(always)]
    fn deref(&self) -> &Base {
        &self.base
    }
}

/// Which of the things that an MCP server returns the content is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ContentType {
    /// A prompt.
    Prompt,
    /// The result of a tool.
    ToolResult,
    /// A resource.
    Resource,
    /// One of a later host.
    Other,
}

impl ContentType {
    /// Its name in the ABI.
    pub fn name(self) -> &'static str {
        match self {
            ContentType::Prompt => "prompt",
            ContentType::ToolResult => "toolResult",
            ContentType::Resource => "resource",
            ContentType::Other => "other",
        }
    }
}

/// Where the content stands among the parts of one result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentPart {
    /// `text`, or `structured` if the content is the JSON value of structuredContent.
    pub kind: String,
    /// Counted from 0.
    pub index: usize,
    /// How many there are.
    pub count: usize,
}

impl Ctx {
    #[inline(always)]
    pub(crate) fn new() -> Ctx {
        Ctx { base: Base::new(), out: Out(()), sections: Sections(()) }
    }

    /// The type of the content.
    pub fn content_type(&self) -> ContentType {
        match self.context_str("/contentType").as_str() {
            "prompt" => ContentType::Prompt,
            "toolResult" => ContentType::ToolResult,
            "resource" => ContentType::Resource,
            _ => ContentType::Other,
        }
    }

    /// The prompt's name, `server/tool` or the resource's URI.
    pub fn source(&self) -> String {
        Buf(raw::BUF_NAME).text()
    }

    /// The media type that the server gave; it may be empty.
    pub fn mime(&self) -> String {
        self.context_str("/mime")
    }

    /// A path or URI among the arguments of the call, the best single clue to the
    /// content's type; it may be empty.
    pub fn hint(&self) -> String {
        self.context_str("/hint")
    }

    /// Where the content stands among the parts of the result.
    pub fn part(&self) -> ContentPart {
        ContentPart {
            kind: self.context_str("/part/kind"),
            index: self.context_size("/part/index"),
            count: self.context_size("/part/count"),
        }
    }

    /// Where the stage stands in the pipeline.
    pub fn stage_position(&self) -> Position {
        Position { index: self.context_size("/stage/index"), count: self.context_size("/stage/count") }
    }
}
