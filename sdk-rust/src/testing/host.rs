//! Answers the imports as the host does, with its checks and limits.

use super::buffer::Buffer;
use super::cache::Cache;
use super::hook::HookPart;
use super::keep::LogBook;
use super::llm::Asked;
use super::stage::StagePart;
use crate::base::Limits;
use crate::raw;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The host of one call.
pub struct Host {
    pub limits: Limits,
    pub buffers: HashMap<i32, Buffer>,
    pub next: i32,    // handle
    pub alive: usize, // handles
    pub put_bytes: usize,
    pub last_error: String,
    pub reason: String,
    pub unknown_pattern: String, // that only the true host may know
    pub cache: Cache,
    pub meta: BTreeMap<String, String>,
    pub private: bool, // it has asked for the session
    pub log: LogBook,
    pub asked: Asked,
    pub part: Part,
}

/// What only a stage, or only a hook, has.
pub enum Part {
    Stage(StagePart),
    Hook(Box<HookPart>),
}

impl Host {
    pub fn new(limits: Limits, part: Part) -> Host {
        Host {
            limits,
            buffers: HashMap::new(),
            next: raw::FIRST_HANDLE,
            alive: 0,
            put_bytes: 0,
            last_error: String::new(),
            reason: String::new(),
            unknown_pattern: String::new(),
            cache: Cache::default(),
            meta: BTreeMap::new(),
            private: false,
            log: LogBook::default(),
            asked: Asked::default(),
            part,
        }
    }

    /// Runs an entry of the SDK on this thread and gives its return code, and the host as
    /// it is then.
    pub fn run(self, entry: impl FnOnce() -> i32) -> (i32, Host) {
        let host = Rc::new(RefCell::new(self));
        let before = raw::native::swap(Some(Box::new(Shared(Rc::clone(&host)))));
        let code = entry();
        drop(raw::native::swap(before));
        let host = Rc::try_unwrap(host).unwrap_or_else(|_| unreachable!("the host is lent to this run only"));
        let host = host.into_inner();
        assert!(
            host.unknown_pattern.is_empty(),
            "{}: the matcher of native tests does not know it; run this on the built module by `mcpctl stage test`",
            host.unknown_pattern
        );
        (code, host)
    }

    /// Refuses an argument.
    pub fn bad(&mut self, why: impl Into<String>) -> i32 {
        self.refuse(raw::CODE_BAD_ARG, why)
    }

    /// Answers a code and keeps why for last_error.
    pub fn refuse(&mut self, code: i32, why: impl Into<String>) -> i32 {
        self.last_error = why.into();
        code
    }

    /// Why a call that returned a code failed, as far as the code says it; empty if it did
    /// not.
    pub fn failure(&self, code: i32) -> String {
        match code {
            raw::RETURN_DONE | raw::RETURN_PASS => String::new(),
            raw::RETURN_FAIL if self.reason.is_empty() => "failed without a reason".into(),
            raw::RETURN_FAIL => self.reason.clone(),
            code => format!("returned {code}, want 0, 1 or 2"),
        }
    }
}

/// Text of the guest, which may be wrong.
pub fn utf8(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// Text of the guest as it can be shown.
pub fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Why output cannot stand, empty if it can.
pub fn not_utf8(output: &[u8]) -> String {
    match std::str::from_utf8(output) {
        Ok(_) => String::new(),
        Err(e) => format!("output is not UTF-8 at byte {}", e.valid_up_to()),
    }
}

/// Writes 1204 as 1,204.
pub fn commas(n: usize) -> String {
    let digits = n.to_string();
    let mut to = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            to.push(',');
        }
        to.push(c);
    }
    to
}

struct Shared(Rc<RefCell<Host>>);

macro_rules! imports {
    ($($name:ident($($arg:ident: $t:ty),*);)*) => {
        impl raw::Host for Shared {
            $(fn $name(&mut self, $($arg: $t),*) -> i32 {
                self.0.borrow_mut().$name($($arg),*)
            })*
        }
    };
}

imports! {
    buf_len(buf: i32);
    buf_read(buf: i32, off: i32, out: &mut [u8]);
    buf_find(buf: i32, off: i32, needle: &[u8]);
    buf_lines(buf: i32, off: i32, out: &mut [u8]);
    buf_grep(buf: i32, off: i32, pattern: &[u8], flags: i32, out: &mut [u8]);
    buf_hash(buf: i32, off: i32, len: i32, out: &mut [u8; 32]);
    buf_tokens(buf: i32, off: i32, len: i32);
    buf_put(bytes: &[u8]);
    buf_view(buf: i32, off: i32, len: i32);
    buf_free(buf: i32);
    json_kind(buf: i32, pointer: &[u8]);
    json_get(buf: i32, pointer: &[u8]);
    json_span(buf: i32, pointer: &[u8], out: &mut [u8; 8]);
    json_text(buf: i32, start: i32, end: i32);
    json_each(buf: i32, pointer: &[u8], from: i32, out: &mut [u8]);
    json_i64(buf: i32, pointer: &[u8], out: &mut [u8; 8]);
    json_f64(buf: i32, pointer: &[u8], out: &mut [u8; 8]);
    out_write(bytes: &[u8]);
    out_span(buf: i32, off: i32, len: i32);
    out_index(section: i32, lines: i32, bytes: i32);
    section_add(parent: i32, buf: i32, start: i32, end: i32, title: &[u8]);
    sections_add(buf: i32, records: &[u8], texts: &[u8]);
    section_title(section: i32, buf: i32, off: i32, len: i32);
    section_summary(section: i32, buf: i32, off: i32, len: i32);
    section_id(section: i32, id: &[u8]);
    section_text(section: i32, what: i32);
    meta_set(key: &[u8], value: &[u8]);
    cache_get(key: &[u8]);
    cache_set(key: &[u8], value: &[u8]);
    log(level: i32, line: &[u8]);
    fail(reason: &[u8]);
    last_error();
    llm_available(tier: i32);
    llm_begin(tier: i32, max_tokens: i32, flags: i32);
    llm_system(req: i32, text: &[u8]);
    llm_text(req: i32, text: &[u8]);
    llm_span(req: i32, buf: i32, off: i32, len: i32);
    llm_send(req: i32);
    llm_wait(req: i32, timeout_ms: i32);
    llm_status(req: i32);
    llm_result(req: i32);
    state_get(key: &[u8]);
    state_set(key: &[u8], value: &[u8]);
    state_del(key: &[u8]);
    tools();
    tool_hide(tool: &[u8]);
    tool_patch(tool: &[u8], patch: &[u8]);
    tool_add(tool: &[u8]);
    servers();
    out_to(target: i32);
    out_kind(flags: i32);
    call_rewrite(tool: &[u8], buf: i32, off: i32, len: i32);
    notify(method: &[u8], params: &[u8]);
    prompts();
    prompt_records();
    prompt_body(name: &[u8], flags: i32);
    prompt_propose(prompt: &[u8]);
    content_open(content: &[u8]);
    content_meta(content: &[u8]);
    section_read(content: &[u8], section: &[u8]);
}
