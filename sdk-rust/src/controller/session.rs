use super::ctx::Ctx;
use crate::buf::{bounds, Buf};
use crate::error::{check, Code, Error, Result};
use crate::raw;
use crate::text::decimal;
use std::ops::RangeBounds;

/// Keeps values for this controller in this session, in the host's memory: they survive
/// a new version of the module, not the end of the daemon.
///
/// Limits: 1,000 keys of 256 bytes, 1 MiB in all.
#[derive(Debug)]
pub struct State(pub(crate) ());

impl State {
    /// A value, written in this hook or kept by one before.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let handle = raw::state_get(key.as_bytes());
        if handle < 0 {
            return None;
        }
        Some(raw::take(handle))
    }

    /// [`get`](State::get) of what was set as text. Of other bytes None.
    pub fn text(&self, key: &str) -> Option<String> {
        String::from_utf8(self.get(key)?).ok()
    }

    /// Keeps a value. Errors: BadArg, Limit.
    pub fn set(&self, key: &str, value: impl AsRef<[u8]>) -> Result<()> {
        check(raw::state_set(key.as_bytes(), value.as_ref())).map(drop)
    }

    /// Drops a value. Errors: NotFound.
    pub fn delete(&self, key: &str) -> Result<()> {
        check(raw::state_del(key.as_bytes())).map(drop)
    }
}

/// One server of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// ready, starting, failed, idle
    pub state: String,
    /// How many it has.
    pub tools: usize,
    /// Why it failed.
    pub error: String,
}

/// The error of a result; of a tool that is not there it says which.
pub(crate) fn named(tool: &str, result: i32) -> Result<()> {
    if result == raw::CODE_NOT_FOUND {
        return Err(Error::refused(Code::NotFound, &["tool ", tool, " not found"]));
    }
    check(result).map(drop)
}

impl Ctx {
    /// The project's servers.
    pub fn servers(&self) -> Vec<Server> {
        let list = match Buf::of(raw::servers()) {
            Ok(buf) => buf.json(),
            Err(_) => return Vec::new(),
        };
        let servers = (0..list.len("").unwrap_or(0)).map(|i| {
            let at = |field| raw::joined(&["/", &decimal(i as i64), field]);
            let text = |field| list.str(&at(field)).unwrap_or_default();
            Server {
                name: text("/name"),
                state: text("/state"),
                tools: list.int(&at("/tools")).unwrap_or(0).max(0) as usize,
                error: text("/error"),
            }
        });
        let servers = servers.collect();
        list.0.free();
        servers
    }

    /// Routes the call to another tool, by label or wire name, with a span of a Buf as
    /// arguments. It takes effect with PASS. In `tool_call` only.
    ///
    /// Errors: NotFound for an unknown or virtual tool, BadArg if the span is no JSON
    /// object or has a key twice.
    pub fn rewrite(&self, tool: &str, buf: Buf, span: impl RangeBounds<usize>) -> Result<()> {
        let (off, len) = bounds(span);
        named(tool, raw::call_rewrite(tool.as_bytes(), buf.0, off, len))
    }

    /// Queues a notification; params are a JSON object, or empty. It goes out before the
    /// answer.
    ///
    /// Limits: 16 in a hook.
    /// Errors: Denied for a method other than the three list_changed and
    /// notifications/message that the manifest does not list; BadArg, Limit.
    pub fn notify(&self, method: &str, params: &str) -> Result<()> {
        check(raw::notify(method.as_bytes(), params.as_bytes())).map(drop)
    }

    /// Tells the client to read the list of tools again. The host holds the answer of this
    /// call until it has.
    pub fn tools_changed(&self) -> Result<()> {
        self.notify("notifications/tools/list_changed", "")
    }

    /// Opens the exact bytes stored under a ref of this project and subject. Errors:
    /// NotFound.
    pub fn open_content(&self, content_ref: &str) -> Result<Buf> {
        Buf::of(raw::content_open(content_ref.as_bytes()))
    }

    /// Facts about stored bytes as a JSON object: ref, source, contentType, mime, bytes,
    /// lines, tokens, sections, createdMs. Errors: NotFound.
    pub fn content_meta(&self, content_ref: &str) -> Result<Buf> {
        Buf::of(raw::content_meta(content_ref.as_bytes()))
    }

    /// What the client's `read_section` would get, search included.
    ///
    /// Errors: NotFound for an unknown ref; a section that is not there is answered in
    /// words.
    pub fn section(&self, content_ref: &str, section: &str) -> Result<Buf> {
        Buf::of(raw::section_read(content_ref.as_bytes(), section.as_bytes()))
    }
}
