use crate::buf::Buf;
use crate::cache::Cache;
use crate::error::{check, Result};
use crate::llm::Llm;
use crate::log::Log;
use crate::raw;

/// What a stage and a controller have in common: what they are called for, their
/// config, log, cache and LLM.
#[derive(Debug)]
pub struct Base {
    /// The content as the previous stage left it; of a controller the input of the hook.
    pub input: Buf,
    /// The input before the first stage or controller; costs nothing unless it is read.
    pub original: Buf,
    /// The config as JSON; `str`, `int` and others read single keys.
    pub config: Buf,
    /// What `role`, `project` and others are read from, as JSON.
    pub context: Buf,
    /// Writes to the log of the call.
    pub log: Log,
    /// Keeps values from call to call.
    pub cache: Cache,
    /// Asks the project's language model.
    pub llm: Llm,
}

/// The limits of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of output.
    pub output_bytes: usize,
    /// Sections of the tree.
    pub sections: usize,
    /// Memory of the guest in bytes.
    pub memory_bytes: usize,
    /// Milliseconds that all waits for the LLM may take together.
    pub llm_millis: usize,
    /// Requests to the LLM.
    pub llm_requests: usize,
}

/// A place in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Counted from 0.
    pub index: usize,
    /// How many there are.
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

    /// The name of the role that runs.
    pub fn role(&self) -> String {
        self.context_str("/role")
    }

    /// The name of the project.
    pub fn project(&self) -> String {
        self.context_str("/project")
    }

    /// The limits of this call.
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

    /// Copies text into a Buf of the host, for methods that take one.
    ///
    /// Errors: Limit beyond 16 MiB in one call.
    pub fn put(&self, text: impl AsRef<[u8]>) -> Result<Buf> {
        Buf::of(raw::buf_put(text.as_ref()))
    }

    /// An opaque name of the session. A call of a stage that asks for it is not cached,
    /// so do not ask without need.
    pub fn session(&self) -> String {
        Buf(raw::BUF_SESSION).text()
    }

    /// A field of the context; a host that lacks it gives the empty string.
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
