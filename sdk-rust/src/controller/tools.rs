use super::ctx::Ctx;
use super::scanner::Scanner;
use super::session::named;
use crate::buf::Buf;
use crate::error::{check, Result};
use crate::raw;
use crate::text::decimal;

/// Where a tool comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolKind {
    /// A server's.
    Upstream,
    /// A controller's.
    Virtual,
    /// read_section: its calls reach no hook.
    Host,
    /// One of a later host.
    Other,
}

impl ToolKind {
    /// Its name in the ABI.
    pub fn name(self) -> &'static str {
        match self {
            ToolKind::Upstream => "upstream",
            ToolKind::Virtual => "virtual",
            ToolKind::Host => "host",
            ToolKind::Other => "other",
        }
    }
}

/// One tool of the project.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Label `server/tool`, or name of a virtual tool.
    pub name: String,
    /// What the client calls it.
    pub wire: String,
    /// Where it comes from.
    pub kind: ToolKind,
    /// A virtual tool of this controller.
    pub own: bool,
    /// Not listed.
    pub hidden: bool,
    /// Its server is away.
    pub stale: bool,

    list: Buf,
    at: usize,
}

impl Tool {
    /// Reads the definition: a string decoded, any other value as its exact text; the
    /// empty pointer is the whole.
    ///
    /// Errors: NotFound if the pointer (`/description`, `/inputSchema`) leads nowhere.
    pub fn field(&self, pointer: &str) -> Result<String> {
        self.list.json().str(&raw::joined(&["/", &decimal(self.at as i64), "/tool", pointer]))
    }
}

/// Goes through tools; see [`Ctx::tools`].
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
    /// Goes through all tools that the project has, hidden and virtual ones included. Each
    /// list is a handle of the 1,024 that a hook may have.
    pub fn tools(&self) -> Tools {
        match Buf::of(raw::tools()) {
            Ok(list) => Tools { scanner: Scanner::new(raw::read(list.0)), list, next: 0 },
            Err(_) => Tools { scanner: Scanner::new(Vec::new()), list: Buf(raw::REFUSED), next: 0 },
        }
    }

    /// Takes a tool, by label or wire name, out of the list. It can still be called. In
    /// `tools_list` only. Errors: NotFound.
    pub fn hide_tool(&self, name: &str) -> Result<()> {
        named(name, raw::tool_hide(name.as_bytes()))
    }

    /// Changes a tool's definition, named by label or wire name, by a JSON merge patch (RFC
    /// 7396) such as `{"outputSchema":null}`. In `tools_list` only.
    ///
    /// Errors: NotFound, BadArg if the name would change or the inputSchema would be no
    /// object.
    pub fn patch_tool(&self, name: &str, patch: &str) -> Result<()> {
        named(name, raw::tool_patch(name.as_bytes(), patch.as_bytes()))
    }

    /// Adds a virtual tool from its definition in JSON, at least
    /// `{"name":"...","inputSchema":{...}}`. A call of it comes to `tool_call`. In
    /// `tools_list` only.
    ///
    /// Limits: 64 tools of 64 KiB; a name is 1 to 48 letters, digits, _ and -.
    /// Errors: Conflict if another controller or the host has the name, BadArg, Limit.
    pub fn add_tool(&self, definition: &str) -> Result<()> {
        check(raw::tool_add(definition.as_bytes())).map(drop)
    }
}
