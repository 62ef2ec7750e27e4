use super::cache;
use super::json::Value;
use super::llm::{is_script, scripted};
use super::session::{Effects, Session};
use super::stage::{run, Call, Context, Mark, Outcome, Report};
use super::stored::{Prompt, Stored};
use super::tool::Tool;
use super::tree::Section;
use crate::controller::{Hooks, Kind};
use crate::ctx::{ContentType, StageFn};
use crate::section::SectionKind;
use std::fs;
use std::path::{Path, PathBuf};

/// Runs a stage over each txtar file of a folder, beside the author's Cargo.toml, and
/// compares what came out. Each is run twice: a stage must give the same for the same.
///
/// Shape: comment lines, then files, each after a line `-- NAME --`. All but input may be
/// absent.
///
/// | file | holds |
/// | --- | --- |
/// | `config` | JSON object |
/// | `context` | JSON object with contentType, source, mime, hint, project, filter |
/// | `input` | the content |
/// | `llm` | `answer: ` and the rest is every answer; or one word: `fails`, `slow`, `empty`, `lies` |
/// | `cache` | what is kept already, a line `KEY: VALUE` each; `full` in a line: it takes nothing more; `off`: there is none. Without the file it is empty |
/// | `want` | the new content; absent if the stage passes or fails |
/// | `index` | where an index is to be printed, a line `OFFSET PATH` each: bytes of want before it, and ids from the top as in `/setup/first`, `/` for the top itself; limits of lines and bytes behind it if the stage has set them |
/// | `fail` | the reason, if the stage fails |
/// | `sections` | the tree, one `ID START-END` a line, children indented by two blanks; a kind that is not exact stands behind, a summary after it in quotes |
/// | `meta` | metadata, one `KEY: VALUE` a line, those that matter |
/// | `kept` | what the stage has put into the cache, `KEY: VALUE` a line; empty: nothing |
///
/// In the cache a KEY or VALUE that is no plain text of one line is a string of JSON, in
/// quotes; a VALUE that is no text is `hex ` and its bytes.
///
/// A file always ends in a newline there. One that must not is a file beside the archive, and
/// the archive has its name under `input-file` or `want-file`.
///
/// Panics with all that differs. `mcpctl stage test` runs the same archives on the built
/// module.
pub fn run_archives(role: &str, stage: StageFn, folder: &str) {
    let problems = each_archive(folder, |path, text| {
        let archive = Archive::parse(text, path)?;
        let call = archive.call()?;
        let (first, second) = (run(role, stage, &call), run(role, stage, &call));
        let mut problems = archive.compare(&first);
        if first != second {
            problems.push("two runs give different results".into());
        }
        Ok(problems)
    });
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// Runs a controller through each txtar file of a folder, one session each, and compares what
/// its hooks did.
///
/// First come `config` (JSON, may be missing), `tools` with one tool of a server a line,
/// label and definition, `prompts` with one `name | priority | summary | chapters` a line
/// (chapters parted by `; `), `body NAME` for the text of one, and any number of `stored`
/// contents. `answer` is what the LLM says from there on, `llm` says it as in
/// [`run_archives`]; without one there is no LLM. `cache` says what is kept from there on,
/// as there. Then come the hooks, in order, each with the `want` of what it did, and, if
/// that matters, what it has `kept` in the cache: `initialize`, `list`, `call NAME` with the
/// arguments, `result` with what the server answers, `close`. A hook without a `want` is not
/// compared.
///
/// Panics with all that differs. `mcpctl stage test` runs the same archives on the built
/// module, and its `--update` adds each `want` that is not there.
pub fn run_sessions(role: &str, hooks: Hooks, folder: &str) {
    let problems = each_archive(folder, |_, text| {
        let (mut session, mut problems) = (Session::new(role, hooks), Vec::new());
        let mut got = Step::default();
        for (name, text) in files(text) {
            match name.as_str() {
                "want" if got.did != text => problems.push(format!("got\n{}want\n{text}", got.did)),
                "kept" if got.kept != cache::parse_kept(&text)? => {
                    problems.push(format!("kept in the cache is\n{}want\n{text}", cache::text(&got.kept)));
                }
                "want" | "kept" => {}
                _ => got = step(&mut session, &name, &text)?,
            }
        }
        Ok(problems)
    });
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// Gives each archive of a folder to f and collects what it has to say.
fn each_archive(folder: &str, f: impl Fn(&Path, &str) -> Result<Vec<String>, String>) -> Vec<String> {
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(PathBuf::new, PathBuf::from);
    let folder = root.join(folder);
    let list = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = list.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|p| p.extension().map_or(false, |ext| ext == "txtar"));
    paths.sort();
    assert!(!paths.is_empty(), "no archive in {}", folder.display());
    let mut problems = Vec::new();
    for path in paths {
        let found = fs::read_to_string(&path).map_err(|e| e.to_string()).and_then(|text| f(&path, &text));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        problems.extend(found.unwrap_or_else(|e| vec![e]).iter().map(|p| format!("{name}: {p}")));
    }
    problems
}

/// The files of an archive, in order.
fn files(text: &str) -> Vec<(String, String)> {
    let mut list: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let name = line.trim_end_matches(&['\r', '\n'][..]).strip_prefix("-- ").and_then(|l| l.strip_suffix(" --"));
        match (name, list.last_mut()) {
            (Some(name), _) => list.push((name.into(), String::new())),
            (None, Some(last)) => last.1 += line,
            (None, None) => {}
        }
    }
    list
}

/// One archive of a stage.
struct Archive(Vec<(String, String)>);

const NAMES: [&str; 11] =
    ["config", "context", "input", "llm", "cache", "want", "index", "fail", "sections", "meta", "kept"];

impl Archive {
    fn parse(text: &str, path: &Path) -> Result<Archive, String> {
        let mut all = files(text);
        for i in 0..all.len() {
            let (name, text) = all[i].clone();
            if all[..i].iter().any(|f| f.0 == name) {
                return Err(format!("file {name} is there twice"));
            }
            match name.strip_suffix("-file").filter(|name| ["input", "want"].contains(name)) {
                Some(short) => {
                    let beside = path.with_file_name(text.trim());
                    let text = fs::read_to_string(&beside).map_err(|e| format!("{}: {e}", beside.display()))?;
                    all.push((short.into(), text));
                }
                None if NAMES.contains(&name.as_str()) => {}
                None => return Err(format!("file {name} unknown, want one of {}", NAMES.join(", "))),
            }
        }
        let archive = Archive(all);
        archive.get("input").ok_or("no input")?;
        if archive.get("llm").map_or(false, |script| !is_script(script)) {
            return Err(r#"llm: want "answer: TEXT", fails, slow, empty or lies"#.into());
        }
        cache::parse(archive.get("cache").unwrap_or_default()).map_err(|e| format!("cache: {e}"))?;
        archive.kept().map_err(|e| format!("kept: {e}"))?;
        Ok(archive)
    }

    fn kept(&self) -> Result<Option<cache::Values>, String> {
        self.get("kept").map(cache::parse_kept).transpose()
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|f| f.0 == name).map(|f| f.1.as_str())
    }

    fn call(&self) -> Result<Call, String> {
        let mut call = Call::of(self.get("input").unwrap_or_default());
        call.config = self.get("config").unwrap_or_default().trim().into();
        call.llm = self.get("llm").and_then(scripted);
        (call.cache_way, call.cache) = cache::parse(self.get("cache").unwrap_or_default())?;
        let v = Value::parse(self.get("context").unwrap_or("{}"))
            .map_err(|at| format!("context: not JSON at byte {at}"))?;
        let text = |name: &str| v.str(name).unwrap_or_default();
        call.context = Context {
            project: text("/project"),
            source: text("/source"),
            mime: text("/mime"),
            hint: text("/hint"),
            filter: v.is_true("/filter"),
            content_type: match text("/contentType").as_str() {
                "" => None,
                "prompt" => Some(ContentType::Prompt),
                "resource" => Some(ContentType::Resource),
                "toolResult" => Some(ContentType::ToolResult),
                other => return Err(format!("contentType {other:?} unknown")),
            },
            ..Context::default()
        };
        Ok(call)
    }

    /// What differs from what the archive wants.
    fn compare(&self, r: &Report) -> Vec<String> {
        let mut problems = Vec::new();
        let mut check = |what: &str, got: &str, want: &str, exact: bool| {
            if got != want && (exact || Some(got) != want.strip_suffix('\n')) {
                problems.push(format!("{what} is\n{got}\nwant\n{want}"));
            }
        };
        let outcome = match (self.get("want"), self.get("fail")) {
            (Some(_), _) => Outcome::Done,
            (None, Some(_)) => Outcome::Fail,
            (None, None) => Outcome::Pass,
        };
        if r.outcome != outcome {
            check("outcome", &format!("{} {}", r.outcome.name(), r.reason), outcome.name(), true);
        } else if let Some(want) = self.get("want") {
            check("output", &r.output, want, self.get("want-file").is_some());
        } else if let Some(reason) = self.get("fail") {
            check("reason", &r.reason, reason, false);
        }
        if let Some(index) = self.get("index") {
            check("index", &index_text(&r.marks, &r.sections), index, false);
        }
        if let Ok(Some(kept)) = self.kept() {
            check("kept in the cache", &cache::text(&r.kept), &cache::text(&kept), true);
        }
        if let Some(tree) = self.get("sections") {
            check("tree", &outline(&r.sections, None, ""), tree, false);
        }
        for line in self.get("meta").unwrap_or_default().lines() {
            let (key, value) = line.split_once(": ").unwrap_or((line, ""));
            let got = r.meta.get(key).map_or("", String::as_str);
            check(&format!("metadata {key}"), got, value.trim(), true);
        }
        problems
    }
}

/// A tree as archives have it.
fn outline(sections: &[Section], parent: Option<usize>, indent: &str) -> String {
    let mut to = String::new();
    for (i, s) in sections.iter().enumerate().filter(|(_, s)| s.parent == parent) {
        let kind = match s.kind {
            SectionKind::Exact => "",
            SectionKind::Group => " group",
            SectionKind::Decoded => " decoded",
            SectionKind::Derived => " derived",
        };
        let summary = if s.summary.is_empty() { String::new() } else { format!(" {:?}", s.summary) };
        to += &format!("{indent}{} {}-{}{kind}{summary}\n", s.id, s.start, s.end);
        to += &outline(sections, Some(i), &format!("{indent}  "));
    }
    to
}

/// Marks as archives have them.
fn index_text(marks: &[Mark], sections: &[Section]) -> String {
    let mut to = String::new();
    for m in marks {
        let (mut path, mut at) = (String::new(), usize::try_from(m.section).ok());
        while let Some(i) = at {
            path = format!("/{}{path}", sections[i].id);
            at = sections[i].parent;
        }
        let path = if path.is_empty() { "/" } else { &path };
        let limits = if m.lines + m.bytes == 0 { String::new() } else { format!(" {} {}", m.lines, m.bytes) };
        to += &format!("{} {path}{limits}\n", m.offset);
    }
    to
}

/// What came of a part of a session's archive.
#[derive(Default)]
struct Step {
    did: String,
    kept: cache::Values,
}

/// Does what a part of a session's archive says and renders what the controller did.
fn step(s: &mut Session, part: &str, text: &str) -> Result<Step, String> {
    let (name, argument) = part.split_once(' ').unwrap_or((part, ""));
    let body = text.strip_suffix('\n').unwrap_or(text);
    match name {
        "config" => s.config = body.into(),
        "tools" => s.tools.extend(body.lines().map(|line| {
            let (label, definition) = line.split_once(' ').unwrap_or((line, ""));
            Tool::new(label).with_definition(definition)
        })),
        "stored" => s.contents.push(Stored { text: body.into(), ..Stored::default() }),
        "prompts" => {
            for line in body.lines() {
                s.prompts.push(prompt(line)?);
            }
        }
        "body" => match s.prompts.iter_mut().find(|p| p.name == argument) {
            Some(p) => p.body = text.into(),
            None => return Err(format!("body of prompt {argument:?}, which is not there")),
        },
        "answer" => s.llm = scripted(&format!("answer:{body}")),
        "llm" if is_script(text) => s.llm = scripted(text),
        "cache" => (s.cache_way, s.cache) = cache::parse(text).map_err(|e| format!("cache: {e}"))?,
        "initialize" => return Ok(did(s.initialize(""))),
        "close" => return Ok(did(s.close(""))),
        "list" => {
            let e = s.tools_list();
            let names: String = e.listed.iter().map(|t| format!("{}\n", t.name)).collect();
            return Ok(Step { did: format!("{}\n{names}", e.outcome.name()), kept: e.kept });
        }
        "call" => return Ok(did(s.call(argument, body))),
        "result" => return Ok(did(s.result(body))),
        other => return Err(format!("part {other:?} unknown")),
    }
    Ok(Step::default())
}

fn did(e: Effects) -> Step {
    Step { did: render(&e), kept: e.kept }
}

/// A prompt of a line.
fn prompt(line: &str) -> Result<Prompt, String> {
    let fields: Vec<&str> = line.split(" | ").collect();
    let (name, priority, summary) = match fields[..] {
        [name, priority, summary, ..] => (name, priority, summary),
        _ => return Err(format!("prompts: {line:?} is not name | priority | summary")),
    };
    Ok(Prompt {
        name: name.into(),
        priority: priority.parse().map_err(|e| format!("prompts: {line:?}: {e}"))?,
        summary: summary.into(),
        chapters: fields.get(3).map_or(Vec::new(), |list| list.split("; ").map(String::from).collect()),
        ..Prompt::default()
    })
}

/// What a hook did: the outcome, what the client is told, where the call goes instead, what
/// the answer is, and the blocks beside it.
fn render(e: &Effects) -> String {
    let mut first = String::from(e.outcome.name());
    for (kind, word) in [(Kind::WHOLE_RESULT, " result"), (Kind::IS_ERROR, " error"), (Kind::STAGES, " to the stages")]
    {
        if e.kind.has(kind) {
            first += word;
        }
    }
    let mut lines = vec![first, e.reason.clone()];
    lines.extend(e.notes.iter().map(|(method, params)| format!("notifies {method} {params}").trim_end().into()));
    lines.extend(e.rewrite.iter().map(|(tool, arguments)| format!("rewritten to {tool} {arguments}")));
    lines.extend(e.before.iter().enumerate().map(|(i, block)| format!("before {}: {block}", i + 1)));
    lines.push(e.answer.clone());
    lines.extend(e.after.iter().enumerate().map(|(i, block)| format!("after {}: {block}", i + 1)));
    lines.retain(|line| !line.is_empty());
    lines.iter().map(|line| format!("{}\n", line.strip_suffix('\n').unwrap_or(line))).collect()
}
