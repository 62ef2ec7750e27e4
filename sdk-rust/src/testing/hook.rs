//! What a hook does to a session, kept until it has ended well.

use super::buffer::Buffer;
use super::host::{commas, not_utf8, shown, utf8, Host, Part};
use super::json::{quote, Value};
use super::session::View;
use super::stored::Proposal;
use super::tool::{demand, merge_patch, not_object, not_result, Field, Tool};
use crate::controller::{Kind, ToolKind};
use crate::raw;
use std::collections::BTreeMap;

/// What one run of tools_list does to the list.
#[derive(Clone, Default)]
pub struct Edits {
    pub added: Vec<Tool>,
    hidden: Vec<String>,            // labels
    patches: Vec<(String, String)>, // label and patch
}

impl Edits {
    pub fn apply(&self, t: &mut Tool) {
        t.hidden |= self.hidden.contains(&t.name);
        for (_, patch) in self.patches.iter().filter(|p| p.0 == t.name) {
            t.definition = merge_patch(&t.definition, patch);
        }
    }
}

/// What only a hook has.
pub struct HookPart {
    pub name: &'static str,
    pub view: View,
    pub state: BTreeMap<String, Vec<u8>>,
    pub edits: Edits,
    pub rewrite: Option<(String, String)>,
    pub notes: Vec<(String, String)>,
    pub proposed: Vec<Proposal>,
    pub read: Vec<String>, // prompts
    pub answer: Vec<u8>,
    pub kind: Kind,
    target: i32, // where it writes now
    wrote: bool, // to the answer
    full: bool,  // more was to be written to it
    blocks: Vec<(i32, Vec<u8>)>,
    block_fault: String, // why the hook fails: one was to be longer, or one more
}

impl HookPart {
    pub fn new(name: &'static str, view: View) -> HookPart {
        HookPart {
            name,
            state: view.state.clone(),
            view,
            edits: Edits::default(),
            rewrite: None,
            notes: Vec::new(),
            proposed: Vec::new(),
            read: Vec::new(),
            answer: Vec::new(),
            kind: Kind::TEXT,
            target: raw::OUT_ANSWER,
            wrote: false,
            full: false,
            blocks: Vec::new(),
            block_fault: String::new(),
        }
    }

    /// Tells the two hooks of a call from the others.
    fn is_call(&self) -> bool {
        matches!(self.name, "on_tool_call" | "on_tool_result")
    }

    /// Whether DONE means something in this hook.
    pub fn answers(&self) -> bool {
        self.is_call() || self.name == "on_initialize"
    }

    /// The blocks of one side that hold anything.
    pub fn side(&self, target: i32) -> Vec<String> {
        let some = self.blocks.iter().filter(|b| b.0 == target && !b.1.is_empty());
        some.map(|b| shown(&b.1)).collect()
    }

    /// Why the hook fails though it does not say so, empty if it does not.
    pub fn fault(&self, done: bool, limit: usize, own: &[Tool]) -> String {
        let answer = if done { self.bad_answer(limit) } else { String::new() };
        let new = self.edits.added.iter().filter(|t| !own.iter().any(|o| o.name == t.name)).count();
        let mut blocks = self.blocks.iter().enumerate().map(|(i, b)| (i, not_utf8(&b.1)));
        if !answer.is_empty() {
            answer
        } else if !self.block_fault.is_empty() {
            self.block_fault.clone()
        } else if let Some((i, why)) = blocks.find(|b| !b.1.is_empty()) {
            format!("block {}{}", i + 1, &why["output".len()..])
        } else if own.len() + new > raw::LIMIT_VIRTUAL_TOOLS {
            format!("adds {} virtual tools to the session (limit 64)", own.len() + new)
        } else {
            String::new()
        }
    }

    /// Why what was written cannot be the answer.
    fn bad_answer(&self, limit: usize) -> String {
        if self.full {
            return format!("output over {} bytes (set limits.output)", commas(limit));
        }
        if !self.wrote && self.is_call() {
            return "returned DONE without output".into();
        }
        let why = not_utf8(&self.answer);
        if !why.is_empty() || !self.kind.has(Kind::WHOLE_RESULT) {
            return why;
        }
        let why = not_result(&shown(&self.answer));
        if why.is_empty() {
            return why;
        }
        format!("answer is not a tool result: {why}")
    }
}

/// The notifications that need no grant.
const OPEN_METHODS: [&str; 4] = [
    "notifications/tools/list_changed",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
    "notifications/message",
];

impl Host {
    /// The hook; a stage is denied all that is asked of it.
    fn hook(&mut self) -> Result<&mut HookPart, i32> {
        match &mut self.part {
            Part::Hook(hook) => Ok(hook),
            Part::Stage(_) => Err(raw::CODE_DENIED),
        }
    }

    /// The hook, if it is the one that a function needs.
    fn only(&mut self, function: &str, name: &str) -> Result<&mut HookPart, i32> {
        let is = self.hook()?.name;
        if is != name {
            return Err(self.refuse(raw::CODE_UNSUPPORTED, format!("{function} in {is}")));
        }
        self.hook()
    }

    pub fn state_get(&mut self, key: &[u8]) -> i32 {
        let value = match self.hook() {
            Ok(hook) => hook.state.get(&shown(key)).cloned(),
            Err(code) => return code,
        };
        match value {
            Some(value) => self.handle(Buffer::text(value)),
            None => self.refuse(raw::CODE_NOT_FOUND, format!("no state {}", shown(key))),
        }
    }

    pub fn state_set(&mut self, key: &[u8], value: &[u8]) -> i32 {
        self.set_state(key, value).err().unwrap_or(0)
    }

    fn set_state(&mut self, key: &[u8], value: &[u8]) -> Result<(), i32> {
        let mut state = self.hook()?.state.clone();
        match utf8(key) {
            Some(key) if key.len() > raw::LIMIT_STATE_KEY_BYTES => {
                return Err(self.refuse(raw::CODE_LIMIT, format!("key of {} bytes, limit 256", key.len())));
            }
            Some(key) if !key.is_empty() => drop(state.insert(key.into(), value.into())),
            _ => return Err(self.bad("key of a state is empty or not UTF-8")),
        }
        let size: usize = state.iter().map(|(k, v)| k.len() + v.len()).sum();
        if state.len() > raw::LIMIT_STATE_KEYS || size > raw::LIMIT_STATE_BYTES {
            let why = format!("state of {} keys and {} bytes, limit 1,000 and 1,048,576", state.len(), commas(size));
            return Err(self.refuse(raw::CODE_LIMIT, why));
        }
        self.hook()?.state = state;
        Ok(())
    }

    pub fn state_del(&mut self, key: &[u8]) -> i32 {
        match self.hook().map(|hook| hook.state.remove(&shown(key))) {
            Err(code) => code,
            Ok(Some(_)) => 0,
            Ok(None) => self.refuse(raw::CODE_NOT_FOUND, format!("no state {}", shown(key))),
        }
    }

    pub fn tools(&mut self) -> i32 {
        let list: Vec<String> = match self.hook() {
            Ok(hook) => hook.view.tools.iter().map(Tool::json).collect(),
            Err(code) => return code,
        };
        self.handle(Buffer::text(format!("[{}]", list.join(","))))
    }

    pub fn servers(&mut self) -> i32 {
        let servers = match self.hook() {
            Ok(hook) => hook.view.servers.clone(),
            Err(code) => return code,
        };
        let list = servers.iter().map(|s| {
            let (name, state, error) = (quote(&s.name), quote(&s.state), quote(&s.error));
            format!(r#"{{"name":{name},"state":{state},"tools":{},"error":{error}}}"#, s.tools)
        });
        let list: Vec<String> = list.collect();
        self.handle(Buffer::text(format!("[{}]", list.join(","))))
    }

    /// The label of a tool, of one that the hook has just added too.
    fn label(&mut self, tool: &[u8]) -> Result<String, i32> {
        let tool = shown(tool);
        let hook = self.hook()?;
        let known = hook.view.tools.iter().chain(&hook.edits.added).find(|t| t.name == tool || t.wire == tool);
        match known.map(|t| t.name.clone()) {
            Some(label) => Ok(label),
            None => Err(self.refuse(raw::CODE_NOT_FOUND, format!("no tool {tool}"))),
        }
    }

    pub fn tool_hide(&mut self, tool: &[u8]) -> i32 {
        self.hide(tool).err().unwrap_or(0)
    }

    fn hide(&mut self, tool: &[u8]) -> Result<(), i32> {
        self.only("tool_hide", "on_tools_list")?;
        let label = self.label(tool)?;
        self.hook()?.edits.hidden.push(label);
        Ok(())
    }

    pub fn tool_patch(&mut self, tool: &[u8], patch: &[u8]) -> i32 {
        self.patch(tool, patch).err().unwrap_or(0)
    }

    fn patch(&mut self, tool: &[u8], patch: &[u8]) -> Result<(), i32> {
        let before = &self.only("tool_patch", "on_tools_list")?.edits.patches;
        let size = before.iter().map(|p| p.0.len() + p.1.len()).sum::<usize>() + tool.len() + patch.len();
        let label = self.label(tool)?;
        if patch.len() > raw::LIMIT_VIRTUAL_TOOL_BYTES || size > raw::LIMIT_PATCH_BYTES {
            return Err(self.refuse(raw::CODE_LIMIT, format!("patch of {} bytes", commas(patch.len()))));
        }
        let text = shown(patch);
        let mut why = not_object(&text);
        if let (true, Ok(v)) = (why.is_empty(), Value::parse(&text)) {
            if v.kind("/name").is_some() {
                why = "name cannot change".into();
            } else if v.kind("/inputSchema").map_or(false, |kind| kind != raw::JSON_OBJECT) {
                why = "inputSchema must stay an object".into();
            }
        }
        if !why.is_empty() {
            return Err(self.bad(format!("patch of {label}: {why}")));
        }
        self.hook()?.edits.patches.push((label, text));
        Ok(())
    }

    pub fn tool_add(&mut self, tool: &[u8]) -> i32 {
        self.add_tool(tool).err().unwrap_or(0)
    }

    fn add_tool(&mut self, definition: &[u8]) -> Result<(), i32> {
        self.only("tool_add", "on_tools_list")?;
        if definition.len() > raw::LIMIT_VIRTUAL_TOOL_BYTES {
            let why = format!("virtual tool of {} bytes, limit 65,536", commas(definition.len()));
            return Err(self.refuse(raw::CODE_LIMIT, why));
        }
        let text = shown(definition);
        let name = virtual_tool(&text).map_err(|why| self.bad(format!("virtual tool: {why}")))?;
        let taken = self.hook()?.view.tools.iter().find(|t| t.name == name || t.wire == name).cloned();
        if taken.map_or(false, |t| t.kind == ToolKind::Host || t.kind == ToolKind::Virtual && !t.own) {
            return Err(self.refuse(raw::CODE_CONFLICT, format!("tool {name} is another's")));
        }
        let added = Tool { own: true, ..Tool::new(&name).with_definition(&text).filled() };
        let list = &mut self.hook()?.edits.added;
        match list.iter().position(|t| t.name == name) {
            Some(i) => list[i] = added,
            None if list.len() == raw::LIMIT_VIRTUAL_TOOLS => {
                return Err(self.refuse(raw::CODE_LIMIT, "65 virtual tools, limit 64"));
            }
            None => list.push(added),
        }
        Ok(())
    }

    pub fn call_rewrite(&mut self, tool: &[u8], buf: i32, off: i32, len: i32) -> i32 {
        self.rewrite(tool, buf, off, len).err().unwrap_or(0)
    }

    fn rewrite(&mut self, tool: &[u8], buf: i32, off: i32, len: i32) -> Result<(), i32> {
        self.only("call_rewrite", "on_tool_call")?;
        let (b, start, end) = self.span(buf, off, len)?;
        let label = self.label(tool)?;
        if !self.hook()?.view.tools.iter().any(|t| t.name == label && t.kind == ToolKind::Upstream) {
            return Err(self.refuse(raw::CODE_NOT_FOUND, format!("tool {label} is no server's")));
        }
        let arguments = shown(&b.bytes[start..end]);
        let why = not_object(&arguments);
        if !why.is_empty() {
            return Err(self.bad(format!("arguments: {why}")));
        }
        self.hook()?.rewrite = Some((label, arguments.trim().into()));
        Ok(())
    }

    pub fn notify(&mut self, method: &[u8], params: &[u8]) -> i32 {
        let (method, params) = (shown(method), shown(params));
        let (granted, size, many) = match self.hook() {
            Err(code) => return code,
            Ok(hook) => (
                hook.view.notifications.contains(&method) || OPEN_METHODS.contains(&method.as_str()),
                params.len() + hook.notes.iter().map(|n| n.1.len()).sum::<usize>(),
                hook.notes.len() == raw::LIMIT_NOTIFICATIONS,
            ),
        };
        if !granted {
            return self.refuse(raw::CODE_DENIED, format!("manifest does not list notification {method}"));
        }
        if many || size > raw::LIMIT_NOTIFICATION_BYTES {
            return self.refuse(raw::CODE_LIMIT, "notifications over 16 or 262,144 bytes");
        }
        let why = if params.is_empty() { String::new() } else { not_object(&params) };
        if !why.is_empty() {
            return self.bad(format!("params of {method}: {why}"));
        }
        self.hook().map_or_else(
            |code| code,
            |hook| {
                hook.notes.push((method, params));
                0
            },
        )
    }

    pub fn out_to(&mut self, target: i32) -> i32 {
        let hook = match self.hook() {
            Err(code) => return code,
            Ok(hook) => hook,
        };
        match target {
            raw::OUT_ANSWER => {}
            raw::OUT_BEFORE | raw::OUT_AFTER if !hook.is_call() => {
                let why = format!("blocks beside a result in {}", hook.name);
                return self.refuse(raw::CODE_UNSUPPORTED, why);
            }
            raw::OUT_BEFORE | raw::OUT_AFTER if hook.blocks.len() == raw::LIMIT_BLOCKS => {
                hook.block_fault = "17 blocks, limit 16".into();
                return self.refuse(raw::CODE_LIMIT, "17 blocks, limit 16");
            }
            raw::OUT_BEFORE | raw::OUT_AFTER => hook.blocks.push((target, Vec::new())),
            _ => return self.bad(format!("target {target} of output, want 0 to 2")),
        }
        hook.target = target;
        0
    }

    pub fn out_kind(&mut self, flags: i32) -> i32 {
        let hook = match self.hook() {
            Err(code) => return code,
            Ok(hook) => hook,
        };
        if !hook.is_call() {
            let why = format!("kind of an answer in {}", hook.name);
            return self.refuse(raw::CODE_UNSUPPORTED, why);
        }
        if flags & !(raw::OUT_RESULT | raw::OUT_IS_ERROR | raw::OUT_STAGES) != 0 {
            return self.bad(format!("flags {flags} of an answer, want 0 to 7"));
        }
        hook.kind = Kind(flags);
        0
    }

    pub fn hook_write(&mut self, bytes: &[u8]) -> i32 {
        let limit = self.limits.output_bytes;
        let hook = match self.hook() {
            Err(code) => return code,
            Ok(hook) => hook,
        };
        if hook.target != raw::OUT_ANSWER {
            let size: usize = hook.blocks.iter().map(|b| b.1.len()).sum();
            if size + bytes.len() > raw::LIMIT_BLOCK_BYTES {
                hook.block_fault = "blocks over 65,536 bytes".into();
                return self.refuse(raw::CODE_LIMIT, "blocks over 65,536 bytes");
            }
            if let Some(last) = hook.blocks.last_mut() {
                last.1.extend_from_slice(bytes);
            }
            return 0;
        }
        hook.wrote = true;
        if hook.answer.len() + bytes.len() > limit {
            hook.full = true;
            return self.refuse(raw::CODE_LIMIT, format!("output over {} bytes", commas(limit)));
        }
        hook.answer.extend_from_slice(bytes);
        0
    }
}

/// The name that a definition has, or why it is none.
fn virtual_tool(definition: &str) -> Result<String, String> {
    let why = not_object(definition);
    if !why.is_empty() {
        return Err(why);
    }
    let v = Value::parse(definition).map_err(|_| String::from("is not JSON"))?;
    let fields = [
        Field("name", raw::JSON_STRING, true),
        Field("inputSchema", raw::JSON_OBJECT, true),
        Field("description", raw::JSON_STRING, false),
    ];
    let why = demand(&v, "", "", &fields);
    if !why.is_empty() {
        return Err(why);
    }
    let name = v.str("/name").unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > 48 || !name.chars().all(fits) {
        return Err(format!("name {name:?}: want [A-Za-z0-9_-]{{1,48}}"));
    }
    Ok(name)
}
