use super::buffer::Buffer;
use super::context::or;
use super::host::{commas, shown, Host, Part};
use super::json::{quote, Value};
use super::session::View;
use super::tool::not_object;
use super::{records, sha256, tokens};
use crate::controller::ResultInfo;
use crate::raw;

/// Some day in November 2025.
pub(super) const TIME: i64 = 1763719800000;

/// What is stored of a project and subject.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// Empty: the [`content_ref`] of the text.
    pub content_ref: String,
    /// The bytes.
    pub text: String,
    /// Empty: server/tool.
    pub source: String,
    /// Empty: toolResult.
    pub content_type: String,
    /// The media type.
    pub mime: String,
}

impl Stored {
    pub(super) fn filled(&self) -> Stored {
        Stored {
            content_ref: or(&self.content_ref, &content_ref(&self.text)),
            source: or(&self.source, "server/tool"),
            content_type: or(&self.content_type, "toolResult"),
            ..self.clone()
        }
    }
}

/// The ref of a text that a [`Session`](super::Session) stores: 16 characters.
pub fn content_ref(text: &str) -> String {
    let sum = sha256::sum(text.as_bytes());
    let bit = |i: usize| sum[i / 8] >> (7 - i % 8) & 1;
    let five = |i: usize| (0..5).fold(0, |v, k| v << 1 | bit(5 * i + k));
    (0..16).map(|i| b"abcdefghijklmnopqrstuvwxyz234567"[five(i) as usize] as char).collect()
}

/// A visible prompt of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// Its name.
    pub name: String,
    /// Empty: of the project of the session.
    pub project: String,
    /// 0: 5.
    pub priority: i64,
    /// In a line.
    pub summary: String,
    /// The titles of its chapters.
    pub chapters: Vec<String>,
    /// As a client reads it.
    pub body: String,
    /// As it is stored; empty: the same.
    pub stored: String,
    /// `project/server:uri`.
    pub link: String,
    /// Empty: alive, if there is a link.
    pub link_status: String,
}

impl Prompt {
    fn json(&self, view: &View) -> String {
        let chapters: Vec<String> = self.chapters.iter().map(|c| quote(c)).collect();
        [
            format!(r#"{{"name":{}"#, quote(&self.name)),
            format!(r#""project":{}"#, quote(&self.project(view))),
            format!(r#""priority":{}"#, self.rank()),
            format!(r#""summary":{}"#, quote(&self.summary)),
            format!(r#""chapters":[{}]"#, chapters.join(",")),
            format!(r#""bytes":{}"#, self.stored().len()),
            format!(r#""hash":"{}""#, sha256::hex(&sha256::sum(self.stored().as_bytes()))),
            format!(r#""link":{}"#, quote(&self.link)),
            format!(r#""linkStatus":{}"#, quote(&self.link_status())),
            format!(r#""ref":"{}"}}"#, self.content_ref(view)),
        ]
        .join(",")
    }

    pub(super) fn project(&self, view: &View) -> String {
        or(&self.project, &view.project)
    }

    pub(super) fn stored(&self) -> String {
        or(&self.stored, &self.body)
    }

    pub(super) fn link_status(&self) -> String {
        or(&self.link_status, if self.link.is_empty() { "" } else { "alive" })
    }

    /// There once the body was read.
    pub(super) fn content_ref(&self, view: &View) -> String {
        if view.read.contains(&self.name) {
            return content_ref(&self.body);
        }
        String::new()
    }

    pub(super) fn rank(&self) -> i64 {
        if self.priority == 0 {
            return 5;
        }
        self.priority
    }
}

/// The most important first, those of one priority by name.
fn sorted(view: &View) -> impl Iterator<Item = &Prompt> {
    let mut list: Vec<&Prompt> = view.prompts.iter().collect();
    list.sort_by(|a, b| b.rank().cmp(&a.rank()).then_with(|| a.name.cmp(&b.name)));
    list.into_iter()
}

/// A prompt that waits for review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Of the request.
    pub id: String,
    /// Of the prompt.
    pub name: String,
    /// Of the prompt.
    pub content: String,
    /// 0 if it was not said.
    pub priority: i64,
}

/// What is known of a result, and its parts: kind, text and media type.
pub(super) fn parts(tool: &str, result: &str) -> (ResultInfo, Vec<(&'static str, String, String)>) {
    let v = Value::parse(result).unwrap_or_else(|at| panic!("result of {tool} is not JSON at byte {at}: {result}"));
    let info = ResultInfo {
        is_error: v.is_true("/isError"),
        protocol_error: v.kind("/error").is_some(),
        answered_by: tool.split('/').next().unwrap_or_default().into(),
        ..ResultInfo::default()
    };
    if let Some(text) = v.exact("/structuredContent").filter(|text| text != "null") {
        return (info, vec![("structured", text, "application/json".into())]);
    }
    let texts = (0..v.len("/content")).filter_map(|i| {
        let of = |name| v.str(&format!("/content/{i}/{name}"));
        of("type").filter(|kind| kind == "text").and_then(|_| of("text"))
    });
    let texts = texts.map(|text| ("text", text, String::new())).collect();
    (info, texts)
}

impl Host {
    fn view(&self) -> Option<&View> {
        match &self.part {
            Part::Hook(hook) => Some(&hook.view),
            Part::Stage(_) => None,
        }
    }

    /// What is stored under a ref.
    fn stored(&mut self, content: &[u8]) -> Result<Stored, i32> {
        let wanted = shown(content);
        let view = self.view().ok_or(raw::CODE_DENIED)?;
        match view.contents.iter().map(Stored::filled).find(|s| s.content_ref == wanted) {
            Some(stored) => Ok(stored),
            None => Err(self.refuse(raw::CODE_NOT_FOUND, format!("nothing stored under {wanted}"))),
        }
    }

    pub fn content_open(&mut self, content: &[u8]) -> i32 {
        match self.stored(content) {
            Err(code) => code,
            Ok(stored) => self.handle(Buffer::text(stored.text)),
        }
    }

    pub fn content_meta(&mut self, content: &[u8]) -> i32 {
        let s = match self.stored(content) {
            Err(code) => return code,
            Ok(stored) => stored,
        };
        let facts = format!(
            r#"{{"ref":{},"source":{},"contentType":{},"mime":{},"bytes":{},"lines":{},"tokens":{},"sections":0,"createdMs":{TIME}}}"#,
            quote(&s.content_ref),
            quote(&s.source),
            quote(&s.content_type),
            quote(&s.mime),
            s.text.len(),
            s.text.lines().count(),
            tokens::estimate(s.text.as_bytes())
        );
        self.handle(Buffer::text(facts))
    }

    pub fn section_read(&mut self, content: &[u8], section: &[u8]) -> i32 {
        let s = match self.stored(content) {
            Err(code) => return code,
            Ok(stored) => stored,
        };
        let read = self.view().and_then(|view| view.section.clone());
        let text = read.map_or(s.text, |read| read(&s.content_ref, &shown(section)));
        self.handle(Buffer::text(text))
    }

    pub fn prompts(&mut self) -> i32 {
        let list = match self.view() {
            Some(view) => format!("[{}]", sorted(view).map(|p| p.json(view)).collect::<Vec<_>>().join(",")),
            None => return raw::CODE_DENIED,
        };
        self.handle(Buffer::text(list))
    }

    pub fn prompt_records(&mut self) -> i32 {
        let list = match self.view() {
            Some(view) => records::of(view, &sorted(view).collect::<Vec<_>>()),
            None => return raw::CODE_DENIED,
        };
        self.handle(Buffer::text(list))
    }

    pub fn prompt_body(&mut self, name: &[u8], flags: i32) -> i32 {
        let name = shown(name);
        let (system, prompt) = match self.view() {
            Some(view) => (view.system.get(&name).cloned(), view.prompts.iter().find(|p| p.name == name).cloned()),
            None => return raw::CODE_DENIED,
        };
        if flags & !raw::PROMPT_STORED != 0 {
            return self.bad(format!("flags {flags}"));
        }
        match (system, prompt) {
            (Some(text), _) => self.handle(Buffer::text(text)),
            (None, None) => self.refuse(raw::CODE_NOT_FOUND, format!("no prompt {name}")),
            (None, Some(p)) if p.link_status == "dead" => {
                self.refuse(raw::CODE_UNAVAILABLE, format!("link of prompt {name} is dead"))
            }
            (None, Some(p)) if flags & raw::PROMPT_STORED != 0 => self.handle(Buffer::text(or(&p.stored, &p.body))),
            (None, Some(p)) => {
                if let Part::Hook(hook) = &mut self.part {
                    hook.read.push(name.clone());
                    hook.view.read.insert(name);
                    hook.view.contents.push(Stored {
                        text: p.body.clone(),
                        source: p.name.clone(),
                        content_type: "prompt".into(),
                        ..Stored::default()
                    });
                }
                self.handle(Buffer::text(p.body))
            }
        }
    }

    /// Is done at once and stays done if the hook fails.
    pub fn prompt_propose(&mut self, prompt: &[u8]) -> i32 {
        if prompt.len() > raw::LIMIT_PROPOSAL_BYTES {
            return self
                .refuse(raw::CODE_LIMIT, format!("proposal of {} bytes, limit 1,048,576", commas(prompt.len())));
        }
        let text = shown(prompt);
        let why = not_object(&text);
        if !why.is_empty() {
            return self.bad(format!("proposal {why}"));
        }
        let v = match Value::parse(&text) {
            Ok(v) => v,
            Err(at) => return self.bad(format!("proposal is not JSON at byte {at}")),
        };
        let of = |name| v.str(name).filter(|text| !text.is_empty());
        let (name, content) = match of("/name").zip(of("/content")) {
            Some(both) => both,
            None => return self.bad("proposal: name or content missing"),
        };
        let priority = v.exact("/priority").map_or(Ok(0), |p| p.parse::<i64>());
        let priority = match priority {
            Ok(p) if (0..=10).contains(&p) => p,
            _ => return self.bad("proposal: priority not in 1..10"),
        };
        let hook = match &mut self.part {
            Part::Hook(hook) => hook,
            Part::Stage(_) => return raw::CODE_DENIED,
        };
        let mut all = hook.view.proposals.iter().chain(&hook.proposed);
        if all.any(|p| p.name == name) {
            return self.refuse(raw::CODE_CONFLICT, format!("prompt {name} is proposed already"));
        }
        let id = format!("request-{}", hook.view.proposals.len() + hook.proposed.len() + 1);
        hook.proposed.push(Proposal { id: id.clone(), name, content, priority });
        self.handle(Buffer::text(id))
    }
}
