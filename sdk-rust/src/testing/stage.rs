use super::buffer::{Buffer, Source};
use super::cache::{Cache, CacheWay};
use super::host::{commas, not_utf8, Host, Part};
use super::keep::LogLine;
use super::llm::{Llm, Question, Reply};
use super::tree::{Section, Tree};
use crate::base::{Limits, Position};
use crate::ctx::{ContentPart, ContentType, StageFn};
use crate::section::SectionKind;
use crate::{export, raw};
use std::collections::BTreeMap;
use std::rc::Rc;

/// All that one run can see. The default is an empty tool result.
#[derive(Clone, Default)]
pub struct Call {
    /// The content.
    pub input: String,
    /// Before the first stage; empty: the same as the input.
    pub original: String,
    /// JSON object with defaults filled in; empty: {}.
    pub config: String,
    /// What the stage is called for.
    pub context: Context,
    /// What the previous stage left; texts are taken from the original.
    pub sections: Vec<Section>,
    /// What the previous stage marked in the input.
    pub marks: Vec<Mark>,
    /// Opaque name of the session.
    pub session: String,
    /// Answers what the stage asks; None if no LLM is configured. See
    /// [`with_llm`](Call::with_llm).
    pub llm: Llm,
    /// What the stage kept before.
    pub cache: BTreeMap<String, Vec<u8>>,
    /// How the cache works.
    pub cache_way: CacheWay,
}

impl Call {
    /// A call over an input.
    pub fn of(input: impl Into<String>) -> Call {
        Call { input: input.into(), ..Call::default() }
    }

    /// The same with a config, a JSON object.
    pub fn with_config(self, config: impl Into<String>) -> Call {
        Call { config: config.into(), ..self }
    }

    /// The same with an LLM.
    pub fn with_llm(self, answer: impl Fn(&Question) -> Reply + 'static) -> Call {
        Call { llm: Some(Rc::new(answer)), ..self }
    }
}

/// The context of a [`Call`]. Fields that are empty get a value that makes sense: project
/// `test`, content type toolResult, source `server/tool`, kind stage, the first text part of
/// one, the first stage of one, the host's default limits.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The name of the project.
    pub project: String,
    /// The type of the content.
    pub content_type: Option<ContentType>,
    /// The prompt's name, `server/tool` or the resource's URI.
    pub source: String,
    /// The media type.
    pub mime: String,
    /// A path or URI among the arguments of the call.
    pub hint: String,
    /// The role is a filter.
    pub filter: bool,
    /// Where the content stands among the parts of the result.
    pub part: ContentPart,
    /// Where the stage stands in the pipeline.
    pub stage: Position,
    /// Those that are 0 are the host's.
    pub limits: Limits,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// What was written is the result.
    Done,
    /// The content goes on as it came.
    Pass,
    /// The previous content goes on.
    Fail,
}

impl Outcome {
    /// Its name in archives.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Done => "done",
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
        }
    }
}

/// A place in the output at which the host prints an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// In the output.
    pub offset: usize,
    /// Position of the Section, or -1.
    pub section: i32,
    /// Limit of lines, 0 for the host's.
    pub lines: usize,
    /// Limit of bytes, 0 for the host's.
    pub bytes: usize,
}

/// What a run left. After a failure only reason, log, cache and kept are set.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// Of a failure: what a person reads.
    pub reason: String,
    /// Of DONE.
    pub output: String,
    /// Where an index is to be printed.
    pub marks: Vec<Mark>,
    /// The drill-down tree.
    pub sections: Vec<Section>,
    /// Metadata.
    pub meta: BTreeMap<String, String>,
    /// What was logged.
    pub log: Vec<LogLine>,
    /// An answer of the LLM was missing: served, not cached.
    pub provisional: bool,
    /// It asked for the session: not cached.
    pub private: bool,
    /// What is in the cache now.
    pub cache: BTreeMap<String, Vec<u8>>,
    /// What this run put into it, whatever was there.
    pub kept: BTreeMap<String, Vec<u8>>,
}

/// Runs a stage under the name of a role.
///
/// ```
/// use mcpctl_stage::testing::{run, Call, Outcome};
/// use mcpctl_stage::{Ctx, DONE};
///
/// fn shout(c: &mut Ctx) -> mcpctl_stage::Outcome {
///     c.out.write(c.input.text().to_uppercase())?;
///     DONE
/// }
///
/// let got = run("shout", shout, &Call::of("hello"));
/// assert_eq!((got.outcome, got.output.as_str()), (Outcome::Done, "HELLO"));
/// ```
///
/// Panics if the stage uses a pattern that only the true host may know.
pub fn run(role: &str, stage: StageFn, call: &Call) -> Report {
    let (code, host) = prepared(role, call).run(|| export::stage(stage));
    judged(code, host)
}

/// What only a stage has.
pub struct StagePart {
    pub filter: bool,
    pub input_len: usize,
    pub marks_in: Vec<Mark>,
    pub out: Vec<u8>,
    pub wrote: bool,
    pub over: bool, // more was to be written
    pub marks: Vec<Mark>,
    pub tree: Tree,
}

fn prepared(role: &str, call: &Call) -> Host {
    let original = if call.original.is_empty() { &call.input } else { &call.original };
    let context = call.context.filled(call.input.len());
    let mut input = Source::of(if *original == call.input { SectionKind::Exact } else { SectionKind::Derived });
    input.input = true;
    let part = StagePart {
        filter: context.filter,
        input_len: call.input.len(),
        marks_in: call.marks.clone(),
        out: Vec::new(),
        wrote: false,
        over: false,
        marks: Vec::new(),
        tree: Tree::new(&call.sections, original),
    };
    let mut host = Host::new(context.limits.clone(), Part::Stage(part));
    host.cache = Cache { way: call.cache_way, held: call.cache.clone(), ..Cache::default() };
    host.asked.llm = call.llm.clone();
    let config = if call.config.is_empty() { "{}" } else { &call.config };
    for (id, buffer) in [
        (raw::BUF_INPUT, Buffer::from(&call.input, input)),
        (raw::BUF_ORIGINAL, Buffer::from(original, Source::of(SectionKind::Exact))),
        (raw::BUF_CONFIG, Buffer::text(config)),
        (raw::BUF_CONTEXT, Buffer::text(context.json(role))),
        (raw::BUF_NAME, Buffer::text(&context.source)),
        (raw::BUF_SESSION, Buffer::text(&call.session)),
    ] {
        host.buffers.insert(id, buffer);
    }
    host
}

/// Judges what a stage left, as the host does.
fn judged(code: i32, mut host: Host) -> Report {
    let failure = host.failure(code);
    let limit = host.limits.output_bytes;
    let stage = match &mut host.part {
        Part::Stage(stage) => stage,
        Part::Hook(_) => unreachable!("a stage was run"),
    };
    let mut reason = match code {
        raw::RETURN_DONE if stage.over => format!("output over {} bytes (set limits.output)", commas(limit)),
        raw::RETURN_DONE if !stage.wrote => "returned DONE without output".into(),
        raw::RETURN_DONE => not_utf8(&stage.out),
        _ => failure,
    };
    stage.tree.settle();
    if reason.is_empty() {
        reason = stage.tree.overlap();
    }
    let mut report = Report {
        outcome: Outcome::Fail,
        reason,
        output: String::new(),
        marks: Vec::new(),
        sections: Vec::new(),
        meta: BTreeMap::new(),
        log: host.log.all(),
        provisional: false,
        private: host.private,
        cache: host.cache.held,
        kept: host.cache.kept,
    };
    if !report.reason.is_empty() {
        return report;
    }
    report.outcome = Outcome::Pass;
    report.marks = stage.marks_in.clone();
    if code == raw::RETURN_DONE {
        report.outcome = Outcome::Done;
        report.output = String::from_utf8_lossy(&stage.out).into_owned();
        report.marks = stage.marks.clone();
    }
    report.sections = std::mem::take(&mut stage.tree.sections);
    report.meta = host.meta;
    report.provisional = host.asked.provisional;
    report
}

impl Host {
    pub fn out_write(&mut self, bytes: &[u8]) -> i32 {
        let limit = self.limits.output_bytes;
        let stage = match &mut self.part {
            Part::Hook(_) => return self.hook_write(bytes),
            Part::Stage(stage) => stage,
        };
        if stage.out.len() + bytes.len() > limit {
            stage.over = true;
            return self.refuse(raw::CODE_LIMIT, format!("output over {} bytes", commas(limit)));
        }
        stage.wrote = true;
        stage.out.extend_from_slice(bytes);
        0
    }

    /// Appends bytes and, of the input, the marks that lie in them. A mark stands before the
    /// byte at its offset; the span that reaches the end has those behind the last byte.
    pub fn out_span(&mut self, buf: i32, off: i32, len: i32) -> i32 {
        let (b, start, end) = match self.span(buf, off, len) {
            Err(code) => return code,
            Ok(span) => span,
        };
        let before = match &self.part {
            Part::Stage(stage) => stage.out.len(),
            Part::Hook(_) => 0,
        };
        let code = self.out_write(&b.bytes[start..end]);
        if let (0, true, Part::Stage(stage)) = (code, b.from.input, &mut self.part) {
            let (start, end, size) = (b.from.off + start, b.from.off + end, stage.input_len);
            for m in stage.marks_in.clone() {
                let last = m.offset == size && end == size && (start < end || size == 0);
                if m.offset >= start && m.offset < end || last {
                    stage.marks.push(Mark { offset: m.offset + before - start, ..m });
                }
            }
        }
        code
    }

    pub fn out_index(&mut self, section: i32, lines: i32, bytes: i32) -> i32 {
        let stage = match &mut self.part {
            Part::Stage(stage) if !stage.filter => stage,
            _ => return self.refuse(raw::CODE_UNSUPPORTED, "out_index in a filter or a hook"),
        };
        if section < -1 || section >= stage.tree.sections.len() as i32 {
            return self.refuse(raw::CODE_NOT_FOUND, format!("no section {section}"));
        }
        match (usize::try_from(lines), usize::try_from(bytes)) {
            (Ok(lines), Ok(bytes)) => {
                stage.wrote = true;
                stage.marks.push(Mark { offset: stage.out.len(), section, lines, bytes });
                0
            }
            _ => self.bad("negative limit of an index"),
        }
    }
}
