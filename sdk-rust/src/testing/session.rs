use super::cache::{Cache, CacheWay};
use super::context::{self, or};
use super::hook::{Edits, HookPart};
use super::hookcontext::Called;
use super::host::{Host, Part};
use super::json::quote;
use super::keep::LogLine;
use super::llm::{Llm, Question, Reply};
use super::stage::Outcome;
use super::stored::{Prompt, Proposal, Stored};
use super::tool::Tool;
use crate::base::Limits;
use crate::controller::{Client, HookFn, Hooks, Kind, ResultInfo, Server, ToolKind};
use crate::testing::buffer::Buffer;
use crate::{export, raw};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// One client's connection to a project, and all of it that a controller can see: the host
/// of one session, in plain Rust.
///
/// The imports are answered with the checks and limits of the host, and a hook that fails
/// changes nothing. It has one controller; what others have left is set in its fields, which
/// may be changed between hooks.
pub struct Session {
    pub(super) role: String,
    hooks: Hooks,
    /// JSON object with defaults filled in; empty: {}.
    pub config: String,
    /// Methods of notifications that the manifest lists.
    pub notifications: Vec<String>,
    /// Empty: test.
    pub project: String,
    /// The project says gated: false.
    pub not_gated: bool,
    /// Opaque, what `session` gives; empty: session.
    pub name: String,
    /// Who asks. A name, a version and 2,048 characters for instructions are there if they
    /// are not said.
    pub client: Client,
    /// Empty: 2025-11-25.
    pub protocol: String,
    /// Of the next request; 0: 1763719800000.
    pub time_millis: i64,
    /// Of servers and of other controllers; read_section is always there.
    pub tools: Vec<Tool>,
    /// None: those of the tools, ready.
    pub servers: Option<Vec<Server>>,
    /// The visible prompts of the project.
    pub prompts: Vec<Prompt>,
    /// Texts of system prompts by name, such as mcpctl-system/gate-instructions.
    pub system: BTreeMap<String, String>,
    /// What is stored; [`result`](Session::result) adds to it.
    pub contents: Vec<Stored>,
    /// Answers what read_section would; None: the whole content.
    pub section: Reader,
    /// Answers what the controller asks; None if no LLM is configured.
    pub llm: Llm,
    /// What the controller keeps between sessions.
    pub cache: BTreeMap<String, Vec<u8>>,
    /// How the cache works.
    pub cache_way: CacheWay,
    /// Those that are 0 are the host's defaults.
    pub limits: Limits,
    /// What the controller keeps for this session.
    pub state: BTreeMap<String, Vec<u8>>,
    /// Prompts that it has proposed.
    pub proposals: Vec<Proposal>,

    own: Vec<Tool>,          // virtual tools of this controller, in the order they were first added
    edits: Edits,            // of the list as it was made last
    pub(super) listed: bool, // by the client
    asked: bool,             // the list was made, for whatever reason
    calls: usize,
    last: Option<Called>,   // the latest one, while a server may answer it
    read: BTreeSet<String>, // prompts whose body was read
}

/// Answers what read_section would, of a ref and a section.
pub type Reader = Option<Rc<dyn Fn(&str, &str) -> String>>;

/// What a hook has done, as the host puts it in force. After a failure only reason, log and
/// kept are set.
#[derive(Clone, Debug)]
pub struct Effects {
    /// How it ended.
    pub outcome: Outcome,
    /// Of a failure: what a person reads.
    pub reason: String,
    /// Of DONE: the answer of a call, or text for the instructions.
    pub answer: String,
    /// What the answer of a call is.
    pub kind: Kind,
    /// Text blocks before the result.
    pub before: Vec<String>,
    /// Text blocks after the result.
    pub after: Vec<String>,
    /// Notifications: method and params.
    pub notes: Vec<(String, String)>,
    /// Of a call that passed: the tool it goes to instead, and its arguments.
    pub rewrite: Option<(String, String)>,
    /// What the client reads in its list, after `tools_list` and `lookup`.
    pub listed: Vec<Tool>,
    /// Metadata.
    pub meta: BTreeMap<String, String>,
    /// What was logged.
    pub log: Vec<LogLine>,
    /// What this hook put into the cache.
    pub kept: BTreeMap<String, Vec<u8>>,
    /// An answer of the LLM was missing.
    pub provisional: bool,
}

impl Effects {
    pub(super) fn failed(reason: impl Into<String>) -> Effects {
        Effects {
            outcome: Outcome::Fail,
            reason: reason.into(),
            answer: String::new(),
            kind: Kind::TEXT,
            before: Vec::new(),
            after: Vec::new(),
            notes: Vec::new(),
            rewrite: None,
            listed: Vec::new(),
            meta: BTreeMap::new(),
            log: Vec::new(),
            kept: BTreeMap::new(),
            provisional: false,
        }
    }

    /// Whether the host goes on.
    pub fn passed(&self) -> bool {
        self.outcome == Outcome::Pass
    }
}

impl Session {
    /// A session with a controller, under the name of its role. The project is gated and has
    /// neither tools nor prompts.
    pub fn new(role: &str, hooks: Hooks) -> Session {
        Session {
            role: role.into(),
            hooks,
            config: String::new(),
            notifications: Vec::new(),
            project: String::new(),
            not_gated: false,
            name: String::new(),
            client: Client::default(),
            protocol: String::new(),
            time_millis: 0,
            tools: Vec::new(),
            servers: None,
            prompts: Vec::new(),
            system: BTreeMap::new(),
            contents: Vec::new(),
            section: None,
            llm: None,
            cache: BTreeMap::new(),
            cache_way: CacheWay::Works,
            limits: Limits::default(),
            state: BTreeMap::new(),
            proposals: Vec::new(),
            own: Vec::new(),
            edits: Edits::default(),
            listed: false,
            asked: false,
            calls: 0,
            last: None,
            read: BTreeSet::new(),
        }
    }

    /// Sets the LLM.
    pub fn set_llm(&mut self, answer: impl Fn(&Question) -> Reply + 'static) {
        self.llm = Some(Rc::new(answer));
    }

    /// The client's initialize; without params it says what [`client`](Session::client) says.
    pub fn initialize(&mut self, params: &str) -> Effects {
        let c = self.filled_client();
        let usual = format!(
            r#"{{"protocolVersion":{},"capabilities":{{}},"clientInfo":{{"name":{},"version":{}}}}}"#,
            quote(&or(&self.protocol, "2025-11-25")),
            quote(&c.name),
            quote(&c.version)
        );
        self.hook("on_initialize", self.hooks.initialize, &or(params, &usual), None, None).0
    }

    /// Makes the list for the client.
    pub fn tools_list(&mut self) -> Effects {
        let e = self.list("list");
        self.listed = true;
        e
    }

    /// Makes the list for the host, before a call of a tool that no list had.
    pub fn lookup(&mut self) -> Effects {
        self.list("lookup")
    }

    fn list(&mut self, reason: &str) -> Effects {
        self.edits = Edits::default();
        self.asked = true;
        let input = format!(r#"{{"reason":"{reason}"}}"#);
        let (mut e, edits) = self.hook("on_tools_list", self.hooks.tools_list, &input, None, None);
        if e.outcome != Outcome::Fail {
            for t in &edits.added {
                match self.own.iter_mut().find(|o| o.name == t.name) {
                    Some(own) => *own = t.clone(),
                    None => self.own.push(t.clone()),
                }
            }
            self.edits = edits;
        }
        e.listed = self.all_tools().into_iter().filter(|t| !t.hidden).collect();
        e
    }

    /// A tools/call by label, name of a virtual tool or wire name, with arguments as a JSON
    /// object; empty: {}. A name that no list had yet is looked up; one that is not there then
    /// fails.
    pub fn call(&mut self, tool: &str, arguments: &str) -> Effects {
        self.last = None;
        if !self.asked && self.find(tool).is_none() {
            self.lookup();
        }
        let t = match self.find(tool) {
            Some(t) => t,
            None => return Effects::failed(format!("unknown tool {tool:?}")),
        };
        let arguments = or(arguments, "{}");
        self.calls += 1;
        let client = format!(r#"{{"name":{},"arguments":{arguments}}}"#, quote(&t.wire));
        let mut called = Called { tool: t, client, rewritten: false, id: format!("c{}", self.calls) };
        let (e, _) = self.hook("on_tool_call", self.hooks.tool_call, &arguments, Some(&called), None);
        if e.outcome == Outcome::Done {
            return e;
        }
        if let Some(to) = e.rewrite.as_ref().and_then(|r| self.find(&r.0)) {
            called.tool = to;
            called.rewritten = true;
        }
        if called.tool.kind == ToolKind::Upstream {
            self.last = Some(called);
        }
        e
    }

    /// The server's answer to the latest call, which the controller has not answered itself: a
    /// tools/call result, or `{"error":{...}}`. Its parts are stored, each under the
    /// [`content_ref`](super::content_ref) of its text.
    pub fn result(&mut self, result: &str) -> Effects {
        let called = match self.last.take() {
            Some(called) => called,
            None => return Effects::failed("no call that a server answers"),
        };
        let info = self.store(&called.tool.name, result);
        self.hook("on_tool_result", self.hooks.tool_result, result, Some(&called), Some(&info)).0
    }

    /// Ends the session: its state is dropped after the hook. The reason is client, idle or
    /// shutdown; empty: client.
    pub fn close(&mut self, reason: &str) -> Effects {
        let input = format!(r#"{{"reason":"{}"}}"#, or(reason, "client"));
        let e = self.hook("on_close", self.hooks.close, &input, None, None).0;
        self.state.clear();
        self.own.clear();
        self.edits = Edits::default();
        self.listed = false;
        self.asked = false;
        self.last = None;
        e
    }

    /// Runs a hook, and puts in force what concerns later hooks alone.
    fn hook(
        &mut self,
        name: &'static str,
        hook: Option<HookFn>,
        input: &str,
        called: Option<&Called>,
        result: Option<&ResultInfo>,
    ) -> (Effects, Edits) {
        let limits = context::filled(&self.limits, input.len());
        let part = HookPart::new(name, self.view());
        let mut host = Host::new(limits.clone(), Part::Hook(Box::new(part)));
        host.cache = Cache { way: self.cache_way, held: std::mem::take(&mut self.cache), ..Cache::default() };
        host.asked.llm = self.llm.clone();
        let label = called.map_or("", |c| c.tool.name.as_str());
        for (id, text) in [
            (raw::BUF_INPUT, input),
            (raw::BUF_ORIGINAL, input),
            (raw::BUF_CONFIG, or(&self.config, "{}").as_str()),
            (raw::BUF_CONTEXT, self.context(name, &limits, called, result).as_str()),
            (raw::BUF_NAME, label),
            (raw::BUF_SESSION, or(&self.name, "session").as_str()),
            (raw::BUF_CALL, called.map_or("", |c| c.client.as_str())),
        ] {
            host.buffers.insert(id, Buffer::text(text));
        }
        let (code, host) = host.run(|| export::hooks(&[(&self.role, hook)]));
        self.cache = host.cache.held.clone();
        self.judged(code, host)
    }

    fn judged(&mut self, code: i32, host: Host) -> (Effects, Edits) {
        let failure = host.failure(code);
        let limit = host.limits.output_bytes;
        let part = match host.part {
            Part::Hook(part) => part,
            Part::Stage(_) => unreachable!("a hook was run"),
        };
        self.proposals.extend(part.proposed.iter().cloned());
        for name in &part.read {
            self.keep_body(name);
        }
        let done = code == raw::RETURN_DONE && part.answers();
        let reason = if failure.is_empty() { part.fault(done, limit, &self.own) } else { failure };
        let mut e = Effects::failed(reason);
        e.log = host.log.all();
        e.kept = host.cache.kept;
        if !e.reason.is_empty() {
            return (e, Edits::default());
        }
        e.outcome = if done { Outcome::Done } else { Outcome::Pass };
        e.before = part.side(raw::OUT_BEFORE);
        e.after = part.side(raw::OUT_AFTER);
        if done {
            e.answer = String::from_utf8_lossy(&part.answer).into_owned();
            e.kind = part.kind;
        } else {
            e.rewrite = part.rewrite;
        }
        e.notes = part.notes;
        e.meta = host.meta;
        e.provisional = host.asked.provisional;
        self.state = part.state;
        (e, part.edits)
    }

    /// What a hook can see of the session.
    fn view(&self) -> View {
        View {
            tools: self.all_tools(),
            servers: self.all_servers(),
            prompts: self.prompts.clone(),
            project: or(&self.project, "test"),
            system: self.system.clone(),
            contents: self.contents.clone(),
            section: self.section.clone(),
            notifications: self.notifications.clone(),
            state: self.state.clone(),
            proposals: self.proposals.clone(),
            read: self.read.clone(),
        }
    }

    /// Every tool as the last list has left it: those that the controller added in it, those
    /// that it added before, hidden, those of other controllers, of servers, of the host.
    fn all_tools(&self) -> Vec<Tool> {
        let added = |name: &str| self.edits.added.iter().any(|t| t.name == name);
        let mut list = self.edits.added.clone();
        let before = self.own.iter().filter(|t| !added(&t.name));
        list.extend(before.cloned().map(|t| Tool { hidden: true, ..t }));
        let given: Vec<Tool> = self.tools.iter().map(Tool::filled).collect();
        let (own, servers): (Vec<Tool>, Vec<Tool>) = given.into_iter().partition(|t| t.kind == ToolKind::Virtual);
        list.extend(own);
        list.extend(servers);
        list.push(Tool::read_section());
        list.iter_mut().for_each(|t| self.edits.apply(t));
        list
    }

    /// A tool by label or wire name.
    fn find(&self, name: &str) -> Option<Tool> {
        self.all_tools().into_iter().find(|t| t.name == name || t.wire == name)
    }

    fn all_servers(&self) -> Vec<Server> {
        if let Some(servers) = &self.servers {
            return servers.clone();
        }
        let mut list: Vec<Server> = Vec::new();
        for t in self.tools.iter().map(Tool::filled).filter(|t| t.kind == ToolKind::Upstream) {
            let name = t.name.split('/').next().unwrap_or_default();
            match list.iter_mut().find(|s| s.name == name) {
                Some(s) => s.tools += 1,
                None => list.push(Server { name: name.into(), state: "ready".into(), tools: 1, error: String::new() }),
            }
        }
        list
    }

    pub(super) fn filled_client(&self) -> Client {
        let mut c = self.client.clone();
        c.name = or(&c.name, "test");
        c.version = or(&c.version, "1.0.0");
        if c.instructions_chars == 0 {
            c.instructions_chars = 2048;
        }
        c
    }

    /// Keeps the parts of a result, as the host does before the hook: what is structured, or
    /// else each text.
    fn store(&mut self, tool: &str, result: &str) -> ResultInfo {
        let (mut info, parts) = super::stored::parts(tool, result);
        for (kind, text, mime) in parts {
            let stored = Stored { text, source: tool.into(), mime, ..Stored::default() }.filled();
            info.bytes += stored.text.len();
            info.contents.push(crate::controller::Content {
                content_ref: stored.content_ref.clone(),
                kind: kind.into(),
                index: info.contents.len(),
                bytes: stored.text.len(),
                mime: stored.mime.clone(),
            });
            self.keep(stored);
        }
        info
    }

    fn keep(&mut self, stored: Stored) {
        if !self.contents.iter().any(|s| s.filled().content_ref == stored.content_ref) {
            self.contents.push(stored);
        }
    }

    /// Stores the body of a prompt that was read: from now on it has a ref.
    fn keep_body(&mut self, name: &str) {
        if !self.read.insert(name.into()) {
            return;
        }
        if let Some(p) = self.prompts.iter().find(|p| p.name == name).cloned() {
            self.keep(
                Stored { text: p.body, source: p.name, content_type: "prompt".into(), ..Stored::default() }.filled(),
            );
        }
    }
}

/// What a hook can see of a session.
pub struct View {
    pub tools: Vec<Tool>,
    pub servers: Vec<Server>,
    pub prompts: Vec<Prompt>,
    pub project: String,
    pub system: BTreeMap<String, String>,
    pub contents: Vec<Stored>,
    pub section: Reader,
    pub notifications: Vec<String>,
    pub state: BTreeMap<String, Vec<u8>>,
    pub proposals: Vec<Proposal>,
    pub read: BTreeSet<String>,
}
