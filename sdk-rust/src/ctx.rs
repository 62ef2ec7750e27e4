use crate::base::{Base, Position};
use crate::buf::Buf;
use crate::error::Error;
use crate::out::Out;
use crate::raw;
use crate::section::Sections;
use std::ops::Deref;

/// The outcome of a call that does not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The output is the result.
    Done,
    /// The content is unchanged; Sections and metadata count, output is dropped.
    Pass,
}

/// The result of a stage or a hook: [`DONE`], [`PASS`] or an [`Error`]. With an error the
/// call fails: the content passes unchanged, and the event has the error's text.
pub type Outcome = std::result::Result<Verdict, Error>;

/// The output is the result.
pub const DONE: Outcome = Ok(Verdict::Done);

/// The content is unchanged; Sections and metadata count, output is dropped.
pub const PASS: Outcome = Ok(Verdict::Pass);

/// A stage. It reads `c.input` and writes `c.out`.
pub type StageFn = fn(&mut Ctx) -> Outcome;

/// The API of a stage. It includes [`Base`].
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

/// The type of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ContentType {
    /// A prompt.
    Prompt,
    /// The result of a tool.
    ToolResult,
    /// A resource.
    Resource,
    /// A type of a later host.
    Other,
}

impl ContentType {
    /// Returns its name in the ABI.
    pub fn name(self) -> &'static str {
        match self {
            ContentType::Prompt => "prompt",
            ContentType::ToolResult => "toolResult",
            ContentType::Resource => "resource",
            ContentType::Other => "other",
        }
    }
}

/// The position of the content among the parts of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentPart {
    /// `text`, or `structured` if the content is the JSON value of structuredContent.
    pub kind: String,
    /// Counted from 0.
    pub index: usize,
    /// The number of parts.
    pub count: usize,
}

impl Ctx {
    #[inline(always)]
    pub(crate) fn new() -> Ctx {
        Ctx { base: Base::new(), out: Out(()), sections: Sections(()) }
    }

    /// Returns the type of the content.
    pub fn content_type(&self) -> ContentType {
        match self.context_str("/contentType").as_str() {
            "prompt" => ContentType::Prompt,
            "toolResult" => ContentType::ToolResult,
            "resource" => ContentType::Resource,
            _ => ContentType::Other,
        }
    }

    /// Returns the prompt's name, `server/tool` or the resource's URI.
    pub fn source(&self) -> String {
        Buf(raw::BUF_NAME).text()
    }

    /// Returns the media type from the server, which may be empty.
    pub fn mime(&self) -> String {
        self.context_str("/mime")
    }

    /// Returns a path or URI among the arguments of the call, which often reveals the
    /// content's type. It may be empty.
    pub fn hint(&self) -> String {
        self.context_str("/hint")
    }

    /// Returns the arguments of the call as a JSON object: those that the server got and, under
    /// `_question`, the question that the model gave. It is empty if the manifest does not list
    /// the capability `arguments`, if the call has none, or if they are too large or withheld by
    /// a filter; the stage must be useful then, too.
    pub fn arguments(&self) -> Buf {
        Buf(raw::BUF_ARGUMENTS)
    }

    /// Returns the question in the arguments, or the empty string if there is none.
    pub fn question(&self) -> String {
        self.arguments().json().str("/_question").unwrap_or_default()
    }

    /// Returns the position of the content among the parts of the result.
    pub fn part(&self) -> ContentPart {
        ContentPart {
            kind: self.context_str("/part/kind"),
            index: self.context_size("/part/index"),
            count: self.context_size("/part/count"),
        }
    }

    /// Returns the position of the stage in the pipeline.
    pub fn stage_position(&self) -> Position {
        Position { index: self.context_size("/stage/index"), count: self.context_size("/stage/count") }
    }
}
