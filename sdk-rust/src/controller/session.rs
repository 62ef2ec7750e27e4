use super::ctx::Ctx;
use crate::buf::{bounds, Buf};
use crate::error::{check, Code, Error, Result};
use crate::raw;
use crate::text::decimal;
use std::ops::RangeBounds;

/// Stores values of this controller in this session, in the host's memory. They survive a
/// new version of the module, but not the end of the daemon.
///
/// Limits: 1,000 keys of 256 bytes, 1 MiB in all.
#[derive(Debug)]
pub struct State(pub(crate) ());

impl State {
    /// Returns a value of this hook or an earlier one.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let handle = raw::state_get(key.as_bytes());
        if handle < 0 {
            return None;
        }
        Some(raw::take(handle))
    }

    /// Returns a value as text; None if it is not UTF-8.
    pub fn text(&self, key: &str) -> Option<String> {
        String::from_utf8(self.get(key)?).ok()
    }

    /// Stores a value. Errors: BadArg, Limit.
    pub fn set(&self, key: &str, value: impl AsRef<[u8]>) -> Result<()> {
        check(raw::state_set(key.as_bytes(), value.as_ref())).map(drop)
    }

    /// Deletes a value. Errors: NotFound.
    pub fn delete(&self, key: &str) -> Result<()> {
        check(raw::state_del(key.as_bytes())).map(drop)
    }
}

/// A server of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// `ready`, `starting`, `failed` or `idle`.
    pub state: String,
    /// The number of its tools.
    pub tools: usize,
    /// Why it failed.
    pub error: String,
}

/// Returns the error of a result, with the name of the tool if it was not found.
pub(crate) fn named(tool: &str, result: i32) -> Result<()> {
    if result == raw::CODE_NOT_FOUND {
        return Err(Error::refused(Code::NotFound, &["tool ", tool, " not found"]));
    }
    check(result).map(drop)
}

impl Ctx {
    /// Returns the project's servers.
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

    /// Routes the call to another tool, given by label or wire name, with a span of a Buf as
    /// arguments. It takes effect with PASS. In `tool_call` only.
    ///
    /// Errors: NotFound for an unknown or virtual tool, BadArg if the span is not a JSON
    /// object or has a duplicate key.
    pub fn rewrite(&self, tool: &str, buf: Buf, span: impl RangeBounds<usize>) -> Result<()> {
        let (off, len) = bounds(span);
        named(tool, raw::call_rewrite(tool.as_bytes(), buf.0, off, len))
    }

    /// Queues a notification, which is sent before the answer. The params are a JSON object,
    /// or empty.
    ///
    /// Limits: 16 in a hook.
    /// Errors: Denied if the manifest does not list the method, which is not needed for
    /// `notifications/message` and the three `list_changed`; BadArg, Limit.
    pub fn notify(&self, method: &str, params: &str) -> Result<()> {
        check(raw::notify(method.as_bytes(), params.as_bytes())).map(drop)
    }

    /// Notifies the client that the list of tools changed. The host delays the answer of this
    /// call until the client has read the list.
    pub fn tools_changed(&self) -> Result<()> {
        self.notify("notifications/tools/list_changed", "")
    }

    /// Returns the exact bytes that are stored under a ref of this project and subject.
    /// Errors: NotFound.
    pub fn open_content(&self, content_ref: &str) -> Result<Buf> {
        Buf::of(raw::content_open(content_ref.as_bytes()))
    }

    /// Returns the properties of stored bytes as a JSON object: ref, source, contentType,
    /// mime, bytes, lines, tokens, sections, createdMs. Errors: NotFound.
    pub fn content_meta(&self, content_ref: &str) -> Result<Buf> {
        Buf::of(raw::content_meta(content_ref.as_bytes()))
    }

    /// Returns the text that `read_section` would return to the client, including searches.
    ///
    /// Errors: NotFound for an unknown ref. For an unknown section the text is a message.
    pub fn section(&self, content_ref: &str, section: &str) -> Result<Buf> {
        Buf::of(raw::section_read(content_ref.as_bytes(), section.as_bytes()))
    }
}
