use crate::buf::{bounds, Buf};
use crate::error::{check, Result};
use crate::raw;
use std::ops::RangeBounds;

/// Sends requests to the project's language model, if there is one. The manifest must list
/// the capability `llm`.
///
/// A stage must be useful without answers. If it has Sections, add them first, send the
/// requests with `background` and use the answers that are ready. The host runs the stage
/// again when the others have arrived:
///
/// ```
/// # use mcpctl_stage::{Ctx, Outcome, Part, Request, PASS, TOP};
/// fn summaries(c: &mut Ctx) -> Outcome {
///     let mut asked = Vec::new();
///     for (i, line) in c.input.lines(0).enumerate() {
///         let section = c.sections.add(TOP, c.original, line.clone(), &format!("part {i}"))?;
///         let request = Request {
///             system: "Summarise in one line.",
///             parts: &[Part::quote(c.original, line)],
///             max_tokens: 100,
///             background: true,
///             ..Request::default()
///         };
///         if let Ok(answer) = c.llm.send(&request) {
///             asked.push((answer, section));
///         }
///     }
///     for answer in c.llm.ready() {
///         let section = asked.iter().find(|a| a.0 == answer).map(|a| a.1);
///         if let (Some(section), Ok(reply)) = (section, answer.result()) {
///             c.sections.set_summary_span(section, reply.text, ..)?;
///         }
///     }
///     PASS
/// }
/// # use mcpctl_stage::testing::{self, Call};
/// # assert_eq!(testing::run("s", summaries, &Call::of("a\nb\n")).sections.len(), 2);
/// ```
#[derive(Debug)]
pub struct Llm(pub(crate) ());

/// A class of models. A class that is not configured means the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Small and fast.
    #[default]
    Fast,
    /// Large and slow.
    Heavy,
}

impl Tier {
    fn number(self) -> i32 {
        match self {
            Tier::Fast => raw::TIER_FAST,
            Tier::Heavy => raw::TIER_HEAVY,
        }
    }
}

/// A request to the language model.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The class of models.
    pub tier: Tier,
    /// The maximum length of the answer.
    pub max_tokens: usize,
    /// The system text.
    pub system: &'a str,
    /// The parts of the prompt, in order.
    pub parts: &'a [Part<'a>],
    /// The answer must be JSON; otherwise the request fails with Upstream.
    pub json: bool,
    /// The host finishes the request after the call and stores the answer.
    pub background: bool,
}

impl Default for Request<'_> {
    fn default() -> Self {
        Request { tier: Tier::Fast, max_tokens: 256, system: "", parts: &[], json: false, background: false }
    }
}

/// A part of a [`Request`]: text of the author or quoted content.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a>(Text<'a>);

#[derive(Clone, Copy, Debug)]
enum Text<'a> {
    Words(&'a str),
    Quote(Buf, i32, i32),
}

impl<'a> Part<'a> {
    /// Returns a part with text of the author, such as instructions.
    pub fn words(text: &'a str) -> Part<'a> {
        Part(Text::Words(text))
    }

    /// Returns a part with content. The host encloses it in marks that do not occur in it,
    /// so that it cannot pass for instructions.
    pub fn quote(buf: Buf, span: impl RangeBounds<usize>) -> Part<'a> {
        let (off, len) = bounds(span);
        Part(Text::Quote(buf, off, len))
    }
}

/// Identifies a [`Request`] that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Answer(i32);

/// An answer of the language model.
#[derive(Clone, Copy, Debug)]
pub struct Reply {
    /// The text.
    pub text: Buf,
    /// It was cut at `max_tokens`.
    pub cut: bool,
}

impl Llm {
    /// Returns how many Requests may run at the same time: 0 if no LLM is configured or it
    /// is unavailable.
    pub fn available(&self, tier: Tier) -> usize {
        raw::llm_available(tier.number()).max(0) as usize
    }

    /// Sends a request and waits for the answer.
    ///
    /// Limits: all waits of a call together take at most
    /// [`Limits::llm_millis`](crate::Limits::llm_millis).
    /// Errors: Unavailable, Timeout, Upstream, Limit, Denied.
    pub fn complete(&self, request: &Request<'_>) -> Result<Reply> {
        let answer = self.send(request)?;
        answer.wait(i32::MAX as usize)?;
        answer.result()
    }

    /// Sends a request without waiting. Requests of one call run concurrently.
    ///
    /// Limits: 32 requests in a call; answers that the host has stored do not count.
    /// Errors: those of [`complete`](Llm::complete) except Timeout.
    pub fn send(&self, request: &Request<'_>) -> Result<Answer> {
        let mut flags = 0;
        if request.background {
            flags |= raw::LLM_BACKGROUND;
        }
        if request.json {
            flags |= raw::LLMJSON;
        }
        let req = check(raw::llm_begin(request.tier.number(), raw::word(request.max_tokens), flags))?;
        if !request.system.is_empty() {
            check(raw::llm_system(req, request.system.as_bytes()))?;
        }
        for part in request.parts {
            check(match part.0 {
                Text::Words(words) => raw::llm_text(req, words.as_bytes()),
                Text::Quote(buf, off, len) => raw::llm_span(req, buf.0, off, len),
            })?;
        }
        check(raw::llm_send(req))?;
        Ok(Answer(req))
    }

    /// Iterates over the settled answers that neither `ready` nor `next` has returned yet.
    /// It does not wait.
    pub fn ready(&self) -> Ready {
        Ready(())
    }

    /// Waits for any answer that neither `ready` nor `next` has returned yet.
    ///
    /// Errors: NotFound if none is left, Timeout.
    pub fn next(&self, timeout_millis: usize) -> Result<Answer> {
        Ok(Answer(check(raw::llm_wait(-1, millis(timeout_millis)))?))
    }
}

/// The settled answers; see [`Llm::ready`].
#[derive(Debug)]
pub struct Ready(());

impl Iterator for Ready {
    type Item = Answer;

    fn next(&mut self) -> Option<Answer> {
        match raw::llm_wait(-1, 0) {
            req if req < 0 => None,
            req => Some(Answer(req)),
        }
    }
}

impl Answer {
    /// Waits until the answer has settled.
    ///
    /// Errors: Timeout.
    pub fn wait(self, timeout_millis: usize) -> Result<()> {
        check(raw::llm_wait(self.0, millis(timeout_millis))).map(drop)
    }

    /// Reports whether the Request was answered or has failed.
    pub fn is_settled(self) -> bool {
        raw::llm_status(self.0) != raw::LLM_PENDING
    }

    /// Returns a settled answer.
    ///
    /// Errors: those of [`Llm::complete`]; Timeout if the Request has not settled.
    pub fn result(self) -> Result<Reply> {
        let status = check(raw::llm_status(self.0))?;
        Ok(Reply { text: Buf::of(raw::llm_result(self.0))?, cut: status == raw::LLM_CUT })
    }
}

fn millis(n: usize) -> i32 {
    n.min(i32::MAX as usize) as i32
}
