use super::out::Out;
use super::session::State;
use crate::base::{Base, Position};
use crate::buf::Buf;
use crate::raw;
use crate::text::decimal;
use std::ops::Deref;

/// All that a hook can see and do, with all of [`Base`].
///
/// Nothing that it does is in force before the hook has returned DONE or PASS: an error
/// takes all of it back, but log, cache, proposed prompts and LLM requests.
#[derive(Debug)]
pub struct Ctx {
    base: Base,
    /// In the two call hooks what the client called: `{"name":...,"arguments":{...}}`.
    pub client: Buf,
    /// The answer, or of `initialize` the instructions.
    pub answer: Out,
    /// What is kept for this session.
    pub state: State,
}

impl Deref for Ctx {
    type Target = Base;

    #[inline(always)]
    fn deref(&self) -> &Base {
        &self.base
    }
}

/// The hooks, as the host names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hook {
    /// on_initialize
    Initialize,
    /// on_tools_list
    ToolsList,
    /// on_tool_call
    ToolCall,
    /// on_tool_result
    ToolResult,
    /// on_close
    Close,
    /// One of a later host.
    Other,
}

impl Hook {
    /// Its name in the ABI.
    pub fn name(self) -> &'static str {
        match self {
            Hook::Initialize => "on_initialize",
            Hook::ToolsList => "on_tools_list",
            Hook::ToolCall => "on_tool_call",
            Hook::ToolResult => "on_tool_result",
            Hook::Close => "on_close",
            Hook::Other => "other",
        }
    }
}

/// What is known of the client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// As it calls itself.
    pub name: String,
    /// As it says.
    pub version: String,
    /// It reads the list of tools anew when it has changed.
    pub list_changed: bool,
    /// Where there is structuredContent, it shows nothing else.
    pub structured_only: bool,
    /// Left of its limit for this controller's instructions.
    pub instructions_chars: usize,
}

/// What is known of the call in the two call hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Called {
    /// The same in the two hooks of a call, another one for each call.
    pub id: String,
    /// Label, or name of a virtual tool.
    pub tool: String,
    /// As the client calls it.
    pub wire: String,
    /// A controller's tool.
    pub is_virtual: bool,
    /// By a controller before.
    pub rewritten: bool,
    /// The session has listed its tools.
    pub listed: bool,
    /// The tool says that it only reads.
    pub read_only: bool,
}

/// What is known of the answer in `tool_result`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResultInfo {
    /// The tool says that it failed.
    pub is_error: bool,
    /// A JSON-RPC error: the input is `{"error":{...}}`.
    pub protocol_error: bool,
    /// The server.
    pub answered_by: String,
    /// Of all parts.
    pub bytes: usize,
    /// Its parts, as they were stored.
    pub contents: Vec<Content>,
}

/// A stored part of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// For [`Ctx::open_content`] and [`Ctx::section`].
    pub content_ref: String,
    /// text or structured
    pub kind: String,
    /// Counted from 0.
    pub index: usize,
    /// Its length.
    pub bytes: usize,
    /// Its media type; it may be empty.
    pub mime: String,
}

impl Ctx {
    #[inline(always)]
    pub(crate) fn new() -> Ctx {
        Ctx { base: Base::new(), client: Buf(raw::BUF_CALL), answer: Out::answer(), state: State(()) }
    }

    /// The hook that runs.
    pub fn hook(&self) -> Hook {
        match self.context_str("/hook").as_str() {
            "on_initialize" => Hook::Initialize,
            "on_tools_list" => Hook::ToolsList,
            "on_tool_call" => Hook::ToolCall,
            "on_tool_result" => Hook::ToolResult,
            "on_close" => Hook::Close,
            _ => Hook::Other,
        }
    }

    /// Whether the project is gated; one that does not say is.
    pub fn gated(&self) -> bool {
        self.context_bool("/gated")
    }

    /// The time of the request in Unix milliseconds. It is an input, fixed for the hook.
    pub fn time_millis(&self) -> i64 {
        self.context_int("/timeMs")
    }

    /// The version of MCP that the session speaks.
    pub fn protocol(&self) -> String {
        self.context_str("/protocol")
    }

    /// Where the controller stands among those of the project.
    pub fn position(&self) -> Position {
        Position { index: self.context_size("/controller/index"), count: self.context_size("/controller/count") }
    }

    /// Who asks.
    pub fn client_info(&self) -> Client {
        Client {
            name: self.context_str("/client/name"),
            version: self.context_str("/client/version"),
            list_changed: self.context_bool("/client/listChanged"),
            structured_only: self.context_bool("/client/structuredOnly"),
            instructions_chars: self.context_size("/client/instructionsChars"),
        }
    }

    /// The label `server/tool` of the call, or the name of a virtual tool; empty out of
    /// the call hooks.
    pub fn tool(&self) -> String {
        self.context_str("/call/tool")
    }

    /// What was called.
    pub fn called(&self) -> Called {
        Called {
            id: self.context_str("/call/id"),
            tool: self.context_str("/call/tool"),
            wire: self.context_str("/call/wire"),
            is_virtual: self.context_bool("/call/virtual"),
            rewritten: self.context_bool("/call/rewritten"),
            listed: self.context_bool("/call/listed"),
            read_only: self.context_bool("/call/readOnly"),
        }
    }

    /// What was answered.
    pub fn result(&self) -> ResultInfo {
        let n = self.context.json().len("/result/contents").unwrap_or(0);
        ResultInfo {
            is_error: self.context_bool("/result/isError"),
            protocol_error: self.context_bool("/result/protocolError"),
            answered_by: self.context_str("/result/answeredBy"),
            bytes: self.context_size("/result/bytes"),
            contents: (0..n).map(|i| self.stored(i)).collect(),
        }
    }

    fn stored(&self, i: usize) -> Content {
        let at = |field| raw::joined(&["/result/contents/", &decimal(i as i64), field]);
        Content {
            content_ref: self.context_str(&at("/ref")),
            kind: self.context_str(&at("/kind")),
            index: self.context_size(&at("/index")),
            bytes: self.context_size(&at("/bytes")),
            mime: self.context_str(&at("/mime")),
        }
    }
}
