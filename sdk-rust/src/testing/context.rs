//! Buffer 3 of a stage.

use super::json::quote;
use super::stage::Context;
use crate::base::Limits;
use crate::ctx::ContentType;
use crate::raw;

/// The version of the ABI that the test host speaks.
pub const ABI: &str = "1.1";

/// Limits with the host's default for each that is 0; input is the length of what the call
/// reads.
pub fn filled(l: &Limits, input: usize) -> Limits {
    let or = |v: usize, usual: usize| if v == 0 { usual } else { v };
    let output = raw::LIMIT_OUTPUT_FACTOR * input + raw::LIMIT_OUTPUT_EXTRA_BYTES;
    Limits {
        output_bytes: or(l.output_bytes, output.min(raw::LIMIT_OUTPUT_BYTES)),
        sections: or(l.sections, raw::LIMIT_SECTIONS),
        memory_bytes: or(l.memory_bytes, raw::LIMIT_MEMORY_BYTES),
        llm_millis: or(l.llm_millis, raw::LIMIT_LLM_MILLIS),
        llm_requests: or(l.llm_requests, raw::LIMIT_LLM_REQUESTS),
    }
}

/// Limits as the context has them.
pub fn limits(l: &Limits) -> String {
    format!(
        r#"{{"outputBytes":{},"sections":{},"memoryBytes":{},"llmMs":{},"llmRequests":{}}}"#,
        l.output_bytes, l.sections, l.memory_bytes, l.llm_millis, l.llm_requests
    )
}

/// The text, or another one if it is empty.
pub fn or(text: &str, usual: &str) -> String {
    if text.is_empty() { usual } else { text }.into()
}

impl Context {
    /// The context with a value for each field that is not set.
    pub fn filled(&self, input: usize) -> Context {
        let mut c = self.clone();
        c.project = or(&c.project, "test");
        c.content_type = c.content_type.or(Some(ContentType::ToolResult));
        c.source = or(&c.source, "server/tool");
        c.part.kind = or(&c.part.kind, "text");
        c.part.count = c.part.count.max(1);
        c.stage.count = c.stage.count.max(1);
        c.limits = filled(&c.limits, input);
        c
    }

    /// The context as JSON.
    pub fn json(&self, role: &str) -> String {
        let content_type = self.content_type.unwrap_or(ContentType::ToolResult).name();
        [
            format!(r#"{{"abi":"{ABI}","role":{},"roleIndex":0"#, quote(role)),
            format!(r#""kind":"{}","hook":"stage""#, if self.filter { "filter" } else { "stage" }),
            format!(r#""project":{},"contentType":"{content_type}""#, quote(&self.project)),
            format!(r#""source":{},"mime":{},"hint":{}"#, quote(&self.source), quote(&self.mime), quote(&self.hint)),
            format!(
                r#""part":{{"kind":{},"index":{},"count":{}}}"#,
                quote(&self.part.kind),
                self.part.index,
                self.part.count
            ),
            format!(r#""stage":{{"index":{},"count":{}}}"#, self.stage.index, self.stage.count),
            format!(r#""limits":{}}}"#, limits(&self.limits)),
        ]
        .join(",")
    }
}
