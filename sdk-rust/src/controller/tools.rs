use super::ctx::Ctx;
use super::scanner::Scanner;
use super::session::named;
use crate::buf::Buf;
use crate::error::{check, Result};
use crate::raw;
use crate::text::decimal;

/// The origin of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolKind {
    /// A tool of a server.
    Upstream,
    /// A tool of a controller.
    Virtual,
    /// `read_section`, whose calls reach no hook.
    Host,
    /// An origin of a later host.
    Other,
}

impl ToolKind {
    /// Returns its name in the ABI.
    pub fn name(self) -> &'static str {
        match self {
            ToolKind::Upstream => "upstream",
            ToolKind::Virtual => "virtual",
            ToolKind::Host => "host",
            ToolKind::Other => "other",
        }
    }
}

/// A tool of the project.
#[derive(Clone, Debug)]
pub struct Tool {
    /// The label `server/tool`, or the name of a virtual tool.
    pub name: String,
    /// The name that the client uses.
    pub wire: String,
    /// Its origin.
    pub kind: ToolKind,
    /// It is a virtual tool of this controller.
    pub own: bool,
    /// It is not listed.
    pub hidden: bool,
    /// Its server is unavailable.
    pub stale: bool,

    list: Buf,
    at: usize,
}

impl Tool {
    /// Returns a field of the definition: a string decoded, and any other value as its exact
    /// text. The empty pointer is the whole definition.
    ///
    /// Errors: NotFound if there is no value at the pointer (`/description`, `/inputSchema`).
    pub fn field(&self, pointer: &str) -> Result<String> {
        self.list.json().str(&raw::joined(&["/", &decimal(self.at as i64), "/tool", pointer]))
    }
}

/// Iterates over tools; see [`Ctx::tools`].
pub struct Tools {
    scanner: Scanner,
    list: Buf,
    next: usize,
}

impl Iterator for Tools {
    type Item = Tool;

    fn next(&mut self) -> Option<Tool> {
        if !self.scanner.element(self.next == 0) {
            return None;
        }
        let mut t = Tool {
            name: String::new(),
            wire: String::new(),
            kind: ToolKind::Other,
            own: false,
            hidden: false,
            stale: false,
            list: self.list,
            at: self.next,
        };
        self.next += 1;
        let read = self.scanner.object(|s, key| match key {
            "name" => s.string(&mut t.name),
            "wire" => s.string(&mut t.wire),
            "kind" => kind(s, &mut t.kind),
            "own" => s.bool(&mut t.own),
            "hidden" => s.bool(&mut t.hidden),
            "stale" => s.bool(&mut t.stale),
            _ => s.skip(), // the definition stays with the host
        });
        read.then_some(t)
    }
}

fn kind(s: &mut Scanner, to: &mut ToolKind) -> bool {
    let mut name = String::new();
    let read = s.string(&mut name);
    *to = match name.as_str() {
        "upstream" => ToolKind::Upstream,
        "virtual" => ToolKind::Virtual,
        "host" => ToolKind::Host,
        _ => ToolKind::Other,
    };
    read
}

impl Ctx {
    /// Iterates over all tools of the project, including hidden and virtual ones. Each
    /// iterator uses one of the 1,024 handles of a hook.
    pub fn tools(&self) -> Tools {
        match Buf::of(raw::tools()) {
            Ok(list) => Tools { scanner: Scanner::new(raw::read(list.0)), list, next: 0 },
            Err(_) => Tools { scanner: Scanner::new(Vec::new()), list: Buf(raw::REFUSED), next: 0 },
        }
    }

    /// Hides a tool, given by label or wire name, from the list. It can still be called. In
    /// `tools_list` only. Errors: NotFound.
    pub fn hide_tool(&self, name: &str) -> Result<()> {
        named(name, raw::tool_hide(name.as_bytes()))
    }

    /// Applies a JSON merge patch (RFC 7396) such as `{"outputSchema":null}` to the definition
    /// of a tool, given by label or wire name. In `tools_list` only.
    ///
    /// Errors: NotFound, BadArg if the patch changes the name or makes the inputSchema
    /// something other than an object.
    pub fn patch_tool(&self, name: &str, patch: &str) -> Result<()> {
        named(name, raw::tool_patch(name.as_bytes(), patch.as_bytes()))
    }

    /// Adds a virtual tool with a definition in JSON, at least
    /// `{"name":"...","inputSchema":{...}}`. Its calls arrive at `tool_call`. In `tools_list`
    /// only.
    ///
    /// Limits: 64 tools of 64 KiB; a name is 1 to 48 letters, digits, _ and -.
    /// Errors: Conflict if another controller or the host uses the name, BadArg, Limit.
    pub fn add_tool(&self, definition: &str) -> Result<()> {
        check(raw::tool_add(definition.as_bytes())).map(drop)
    }
}
