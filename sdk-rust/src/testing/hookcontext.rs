//! Buffer 3 of a hook.

use super::context::{self, or};
use super::json::quote;
use super::session::Session;
use super::stored::TIME;
use super::tool::Tool;
use crate::base::Limits;
use crate::controller::{ResultInfo, ToolKind};

/// What the client called.
#[derive(Clone)]
pub struct Called {
    pub tool: Tool, // that a server answers
    pub client: String,
    pub rewritten: bool,
    pub id: String,
}

impl Session {
    /// Buffer 3 of a hook.
    pub(super) fn context(
        &self,
        hook: &str,
        limits: &Limits,
        called: Option<&Called>,
        result: Option<&ResultInfo>,
    ) -> String {
        let c = self.filled_client();
        let time = if self.time_millis == 0 { TIME } else { self.time_millis };
        let mut fields = vec![
            format!(r#"{{"abi":"{}","role":{},"roleIndex":0"#, context::ABI, quote(&self.role)),
            format!(r#""kind":"controller","hook":"{hook}","project":{}"#, quote(&or(&self.project, "test"))),
            format!(r#""gated":{},"timeMs":{time}"#, !self.not_gated),
            format!(r#""protocol":{}"#, quote(&or(&self.protocol, "2025-11-25"))),
            r#""controller":{"index":0,"count":1}"#.into(),
            format!(r#""client":{{"name":{},"version":{}"#, quote(&c.name), quote(&c.version)),
            format!(r#""listChanged":{},"structuredOnly":{}"#, c.list_changed, c.structured_only),
            format!(r#""instructionsChars":{}}}"#, c.instructions_chars),
        ];
        if let Some(c) = called {
            let (t, is_virtual) = (&c.tool, c.tool.kind == ToolKind::Virtual);
            fields.push(format!(
                r#""call":{{"id":{},"tool":{},"wire":{}"#,
                quote(&c.id),
                quote(&t.name),
                quote(&t.wire)
            ));
            fields.push(format!(r#""virtual":{is_virtual},"rewritten":{}"#, c.rewritten));
            fields.push(format!(r#""listed":{},"readOnly":{}}}"#, self.listed, t.reads_only()));
        }
        if let Some(r) = result {
            fields.push(format!(r#""result":{{"isError":{},"protocolError":{}"#, r.is_error, r.protocol_error));
            let contents = r.contents.iter().map(|part| {
                let (at, n) = (part.index, part.bytes);
                format!(
                    r#"{{"ref":{},"kind":{},"index":{at},"bytes":{n},"mime":{}}}"#,
                    quote(&part.content_ref),
                    quote(&part.kind),
                    quote(&part.mime)
                )
            });
            let contents: Vec<String> = contents.collect();
            fields.push(format!(r#""answeredBy":{},"bytes":{}"#, quote(&r.answered_by), r.bytes));
            fields.push(format!(r#""contents":[{}]}}"#, contents.join(",")));
        }
        fields.push(format!(r#""limits":{}}}"#, context::limits(limits)));
        fields.join(",")
    }
}
