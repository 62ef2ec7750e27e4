use super::context::or;
use super::json::{quote, Value};
use crate::controller::ToolKind;
use crate::raw;

/// A tool of the project of a [`Session`](super::Session).
#[derive(Clone, Debug)]
pub struct Tool {
    /// Label `server/tool`, or name of a virtual tool.
    pub name: String,
    /// What the client calls it; empty: the name with `__` for `/`.
    pub wire: String,
    /// Where it comes from.
    pub kind: ToolKind,
    /// JSON object; empty: a name and a schema.
    pub definition: String,
    /// Not listed, still callable.
    pub hidden: bool,
    /// Its server is away.
    pub stale: bool,
    /// A virtual tool of this controller.
    pub own: bool,
}

impl Tool {
    /// A tool of a server, or of another controller if the name has no `/`.
    pub fn new(name: &str) -> Tool {
        let kind = if name.contains('/') { ToolKind::Upstream } else { ToolKind::Virtual };
        Tool {
            name: name.into(),
            wire: String::new(),
            kind,
            definition: String::new(),
            hidden: false,
            stale: false,
            own: false,
        }
    }

    /// The same with a definition, a JSON object.
    pub fn with_definition(self, definition: &str) -> Tool {
        Tool { definition: definition.into(), ..self }
    }

    /// The tool with what follows from its name.
    pub(super) fn filled(&self) -> Tool {
        let wire = or(&self.wire, &self.name.replace('/', "__"));
        let usual = format!(r#"{{"name":{},"inputSchema":{{"type":"object"}}}}"#, quote(&wire));
        Tool { definition: or(&self.definition, &usual), wire, ..self.clone() }
    }

    pub(super) fn read_section() -> Tool {
        let definition = r#"{"name":"read_section","description":"reads a section of a stored result","inputSchema":{"type":"object","properties":{"ref":{"type":"string"},"section":{"type":"string"}},"required":["ref"]}}"#;
        Tool { kind: ToolKind::Host, ..Tool::new("read_section").with_definition(definition).filled() }
    }

    /// What the definition says.
    pub(super) fn reads_only(&self) -> bool {
        Value::parse(&self.definition).map_or(false, |d| d.is_true("/annotations/readOnlyHint"))
    }

    /// The tool as `tools` gives it.
    pub(super) fn json(&self) -> String {
        format!(
            r#"{{"name":{},"wire":{},"kind":"{}","own":{},"hidden":{},"stale":{},"tool":{}}}"#,
            quote(&self.name),
            quote(&self.wire),
            self.kind.name(),
            self.own,
            self.hidden,
            self.stale,
            self.definition
        )
    }
}

/// RFC 7396; both are JSON.
pub(super) fn merge_patch(target: &str, patch: &str) -> String {
    let fields = |text: &str| Value::parse(text).map(|v| v.members("")).unwrap_or_default();
    if Value::parse(patch).ok().and_then(|p| p.kind("")) != Some(raw::JSON_OBJECT) {
        return patch.into();
    }
    let mut merged = fields(target);
    for (key, value) in fields(patch) {
        let at = merged.iter().position(|m| m.0 == key);
        match (at, value.as_str()) {
            (Some(i), "null") => drop(merged.remove(i)),
            (None, "null") => {}
            (Some(i), value) => merged[i].1 = merge_patch(&merged[i].1, value),
            (None, value) => merged.push((key, merge_patch("null", value))),
        }
    }
    let members: Vec<String> = merged.iter().map(|(key, value)| format!("{}:{value}", quote(key))).collect();
    format!("{{{}}}", members.join(","))
}

/// What a kind of JSON is called.
pub(super) fn kind_name(kind: Option<i32>) -> &'static str {
    match kind {
        Some(raw::JSON_OBJECT) => "an object",
        Some(raw::JSON_ARRAY) => "an array",
        Some(raw::JSON_STRING) => "a string",
        Some(raw::JSON_BOOL) => "a bool",
        Some(raw::JSON_NULL) => "null",
        Some(_) => "a number",
        None => "no JSON",
    }
}

/// Why text is no JSON object that can be sent on, empty if it is: of bounded depth, no key
/// twice.
pub(super) fn not_object(text: &str) -> String {
    let value = match Value::parse(text) {
        Ok(value) => value,
        Err(_) => return "is not JSON".into(),
    };
    if value.kind("") != Some(raw::JSON_OBJECT) {
        return format!("is {}, want an object", kind_name(value.kind("")));
    }
    if value.depth() > 128 {
        return "is deeper than 128".into();
    }
    value.duplicate().map_or(String::new(), |key| format!("has duplicate key {key:?}"))
}

/// What a member of an object must be.
pub(super) struct Field(pub &'static str, pub i32, pub bool);

/// Why an object at a pointer lacks a member, or has one of another kind; empty if all is
/// well.
pub(super) fn demand(v: &Value<'_>, at: &str, place: &str, fields: &[Field]) -> String {
    for Field(name, kind, must) in fields {
        match v.kind(&format!("{at}/{name}")) {
            None if *must => return format!("{place}{name} missing"),
            Some(is) if is != *kind => {
                return format!("{place}{name} is {}, want {}", kind_name(Some(is)), kind_name(Some(*kind)));
            }
            _ => {}
        }
    }
    String::new()
}

/// Why text is not the result of a tools/call, empty if it is.
pub(super) fn not_result(text: &str) -> String {
    let v = match Value::parse(text) {
        Ok(v) => v,
        Err(_) => return "it is no JSON".into(),
    };
    if v.kind("") != Some(raw::JSON_OBJECT) {
        return format!("it is {}, want an object", kind_name(v.kind("")));
    }
    let known = [
        Field("isError", raw::JSON_BOOL, false),
        Field("structuredContent", raw::JSON_OBJECT, false),
        Field("content", raw::JSON_ARRAY, true),
    ];
    let why = demand(&v, "", "", &known);
    if !why.is_empty() {
        return why;
    }
    let blocks = (0..v.len("/content")).map(|i| not_block(&v, i));
    blocks.into_iter().find(|why| !why.is_empty()).unwrap_or_default()
}

fn not_block(v: &Value<'_>, i: usize) -> String {
    let (at, place) = (format!("/content/{i}"), format!("content[{i}]"));
    if v.kind(&at) != Some(raw::JSON_OBJECT) {
        return format!("{place} is {}, want an object", kind_name(v.kind(&at)));
    }
    let text = |name| Field(name, raw::JSON_STRING, true);
    let place = place + ".";
    let why = demand(v, &at, &place, &[text("type")]);
    if !why.is_empty() {
        return why;
    }
    let fields = match v.str(&format!("{at}/type")).as_deref() {
        Some("text") => vec![text("text")],
        Some("image" | "audio") => vec![text("data"), text("mimeType")],
        Some("resource_link") => vec![text("uri"), text("name")],
        Some("resource") => vec![Field("resource", raw::JSON_OBJECT, true)],
        _ => Vec::new(),
    };
    demand(v, &at, &place, &fields)
}
