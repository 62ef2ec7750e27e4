use super::out::Out;
use super::session::State;
use crate::base::{Base, Position};
use crate::buf::Buf;
use crate::raw;
use crate::text::decimal;
use std::ops::Deref;

/// The API of a hook. It includes [`Base`].
///
/// Effects apply once the hook has returned DONE or PASS. After an error all of them are
/// dropped, except log, cache, proposed prompts and LLM requests.
#[derive(Debug)]
pub struct Ctx {
    base: Base,
    /// The client's call in the two call hooks: `{"name":...,"arguments":{...}}`.
    pub client: Buf,
    /// The answer; in `initialize`, the instructions.
    pub answer: Out,
    /// The values of this session.
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
    /// A hook of a later host.
    Other,
}

impl Hook {
    /// Returns its name in the ABI.
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

/// The properties of the client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// Its name, as reported by the client.
    pub name: String,
    /// Its version, as reported by the client.
    pub version: String,
    /// It reads the list of tools again after a notification of a change.
    pub list_changed: bool,
    /// If a result has structuredContent, it shows nothing else.
    pub structured_only: bool,
    /// The characters left for this controller's instructions.
    pub instructions_chars: usize,
}

/// The properties of the call in the two call hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Called {
    /// The id of the call, which is the same in its two hooks.
    pub id: String,
    /// The label, or the name of a virtual tool.
    pub tool: String,
    /// The name that the client uses.
    pub wire: String,
    /// It is a controller's tool.
    pub is_virtual: bool,
    /// An earlier controller rewrote the call.
    pub rewritten: bool,
    /// The session has listed its tools.
    pub listed: bool,
    /// The definition declares the tool as read-only.
    pub read_only: bool,
}

/// The properties of the answer in `tool_result`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResultInfo {
    /// The tool reported a failure.
    pub is_error: bool,
    /// It is a JSON-RPC error: the input is `{"error":{...}}`.
    pub protocol_error: bool,
    /// The server.
    pub answered_by: String,
    /// The size of all parts.
    pub bytes: usize,
    /// The stored parts.
    pub contents: Vec<Content>,
}

/// A stored part of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// For [`Ctx::open_content`] and [`Ctx::section`].
    pub content_ref: String,
    /// `text` or `structured`.
    pub kind: String,
    /// Counted from 0.
    pub index: usize,
    /// Its length in bytes.
    pub bytes: usize,
    /// Its media type, which may be empty.
    pub mime: String,
}

impl Ctx {
    #[inline(always)]
    pub(crate) fn new() -> Ctx {
        Ctx { base: Base::new(), client: Buf(raw::BUF_CALL), answer: Out::answer(), state: State(()) }
    }

    /// Returns the current hook.
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

    /// Reports whether the project is gated, which is the default.
    pub fn gated(&self) -> bool {
        self.context_bool("/gated")
    }

    /// Returns the time of the request in Unix milliseconds. It is an input and does not
    /// change during the hook.
    pub fn time_millis(&self) -> i64 {
        self.context_int("/timeMs")
    }

    /// Returns the MCP version of the session.
    pub fn protocol(&self) -> String {
        self.context_str("/protocol")
    }

    /// Returns the position of the controller among those of the project.
    pub fn position(&self) -> Position {
        Position { index: self.context_size("/controller/index"), count: self.context_size("/controller/count") }
    }

    /// Returns the properties of the client.
    pub fn client_info(&self) -> Client {
        Client {
            name: self.context_str("/client/name"),
            version: self.context_str("/client/version"),
            list_changed: self.context_bool("/client/listChanged"),
            structured_only: self.context_bool("/client/structuredOnly"),
            instructions_chars: self.context_size("/client/instructionsChars"),
        }
    }

    /// Returns the label `server/tool` of the call, or the name of a virtual tool. It is
    /// empty outside the call hooks.
    pub fn tool(&self) -> String {
        self.context_str("/call/tool")
    }

    /// Returns the properties of the call.
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

    /// Returns the properties of the answer.
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
