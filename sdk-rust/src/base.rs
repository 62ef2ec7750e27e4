use crate::buf::Buf;
use crate::cache::Cache;
use crate::error::{check, Result};
use crate::llm::Llm;
use crate::log::Log;
use crate::raw;

/// The members that a stage and a controller share: input, context, config, log, cache
/// and LLM.
#[derive(Debug)]
pub struct Base {
    /// The output of the previous stage; for a controller, the input of the hook.
    pub input: Buf,
    /// The input before the first stage or controller. It costs nothing unless it is read.
    pub original: Buf,
    /// The config as JSON. `str`, `int` and others read single keys.
    pub config: Buf,
    /// The context as JSON. `role`, `project` and others read single fields.
    pub context: Buf,
    /// Writes to the log of the call.
    pub log: Log,
    /// Keeps values between calls.
    pub cache: Cache,
    /// Sends requests to the project's language model.
    pub llm: Llm,
}

/// The limits of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The maximum output in bytes.
    pub output_bytes: usize,
    /// The maximum number of Sections.
    pub sections: usize,
    /// The memory of the guest in bytes.
    pub memory_bytes: usize,
    /// The total of all waits for the LLM in milliseconds.
    pub llm_millis: usize,
    /// The maximum number of requests to the LLM.
    pub llm_requests: usize,
}

/// A position in a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Counted from 0.
    pub index: usize,
    /// The length of the list.
    pub count: usize,
}

impl Base {
    #[inline(always)]
    pub(crate) fn new() -> Base {
        Base {
            input: Buf(raw::BUF_INPUT),
            original: Buf(raw::BUF_ORIGINAL),
            config: Buf(raw::BUF_CONFIG),
            context: Buf(raw::BUF_CONTEXT),
            log: Log(()),
            cache: Cache(()),
            llm: Llm(()),
        }
    }

    /// Returns the name of the role.
    pub fn role(&self) -> String {
        self.context_str("/role")
    }

    /// Returns the name of the project.
    pub fn project(&self) -> String {
        self.context_str("/project")
    }

    /// Returns the limits of this call.
    pub fn limits(&self) -> Limits {
        Limits {
            output_bytes: self.context_size("/limits/outputBytes"),
            sections: self.context_size("/limits/sections"),
            memory_bytes: self.context_size("/limits/memoryBytes"),
            llm_millis: self.context_size("/limits/llmMs"),
            llm_requests: self.context_size("/limits/llmRequests"),
        }
    }

    /// Sets metadata of the run: text or JSON, seen in events and metrics, never by the
    /// client. The key `type` names the detected type of the content, for example
    /// `json-array` or `markdown`.
    ///
    /// Errors: Limit beyond 64 keys or 16 KiB.
    pub fn meta(&self, key: &str, value: &str) -> Result<()> {
        check(raw::meta_set(key.as_bytes(), value.as_bytes())).map(drop)
    }

    /// Copies text into a new Buf, for methods that take one.
    ///
    /// Errors: Limit beyond 16 MiB in one call.
    pub fn put(&self, text: impl AsRef<[u8]>) -> Result<Buf> {
        Buf::of(raw::buf_put(text.as_ref()))
    }

    /// Returns an opaque name of the session. The host does not cache a stage's result if
    /// the stage reads it, so do not read it without need.
    pub fn session(&self) -> String {
        Buf(raw::BUF_SESSION).text()
    }

    /// Returns a field of the context, or the empty string if the host does not set it.
    pub(crate) fn context_str(&self, pointer: &str) -> String {
        self.context.json().str(pointer).unwrap_or_default()
    }

    pub(crate) fn context_int(&self, pointer: &str) -> i64 {
        self.context.json().int(pointer).unwrap_or(0)
    }

    pub(crate) fn context_size(&self, pointer: &str) -> usize {
        self.context_int(pointer).max(0) as usize
    }

    pub(crate) fn context_bool(&self, pointer: &str) -> bool {
        self.context_int(pointer) != 0
    }
}
