use super::ctx::Ctx;
use crate::buf::{bounds, Buf};
use crate::ctx::{Outcome, DONE};
use crate::error::{check, Code, Error, Result};
use crate::raw;
use crate::state::{self, Var};
use std::fmt;
use std::ops::{BitOr, RangeBounds};

/// The output of a hook: the answer, or a text block before or after the result. `write!`
/// works as well, with [`std::fmt::Write`].
///
/// Errors: Limit beyond [`Limits::output_bytes`](crate::Limits::output_bytes), or 64 KiB for
/// all blocks together. The hook then fails, unless it passes and only the answer was too
/// long. Unsupported for a closed block.
#[derive(Debug)]
pub struct Out(i32); // number of the block, 0 of the answer

/// The kind of an answer. Kinds can be joined with `|`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kind(pub(crate) i32);

impl Kind {
    /// Text that is not sent through the stages.
    pub const TEXT: Kind = Kind(0);
    /// A whole result object in JSON, not text.
    pub const WHOLE_RESULT: Kind = Kind(raw::OUT_RESULT);
    /// An error of the tool.
    pub const IS_ERROR: Kind = Kind(raw::OUT_IS_ERROR);
    /// Text that is sent through the project's stages.
    pub const STAGES: Kind = Kind(raw::OUT_STAGES);

    /// Reports whether it includes another kind.
    pub fn has(self, other: Kind) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Kind {
    type Output = Kind;

    fn bitor(self, other: Kind) -> Kind {
        Kind(self.0 | other.0)
    }
}

impl Ctx {
    /// Opens a new text block before the result. Opening another block or writing the answer
    /// closes it.
    ///
    /// Errors: Unsupported outside the call hooks, Limit beyond 16 blocks.
    pub fn before(&self) -> Result<Out> {
        open(raw::OUT_BEFORE)
    }

    /// Opens a new text block after the result; see [`before`](Ctx::before).
    pub fn after(&self) -> Result<Out> {
        open(raw::OUT_AFTER)
    }

    /// Sets the kind of the answer, which is [`Kind::TEXT`] by default.
    ///
    /// Errors: Unsupported outside the call hooks.
    pub fn answer_is(&self, kind: Kind) -> Result<()> {
        check(raw::out_kind(kind.0)).map(drop)
    }

    /// Answers the call with an error of the tool, which the model reads.
    ///
    /// ```
    /// # use mcpctl_stage::{controller::Ctx, Outcome, PASS};
    /// fn tool_call(c: &mut Ctx) -> Outcome {
    ///     if c.input.json().kind("/tags").is_err() {
    ///         return c.refuse("tags is missing: name 5 keywords of your task");
    ///     }
    ///     PASS
    /// }
    /// ```
    pub fn refuse(&self, text: &str) -> Outcome {
        self.answer_is(Kind::IS_ERROR)?;
        self.answer.write(text)?;
        DONE
    }
}

fn open(target: i32) -> Result<Out> {
    check(raw::out_to(target))?;
    let n = state::get(Var::Blocks) + 1;
    state::set(Var::Blocks, n);
    state::set(Var::Place, n);
    Ok(Out(n))
}

impl Out {
    #[inline(always)]
    pub(crate) fn answer() -> Out {
        Out(0)
    }

    /// Makes this the target of the host's output.
    fn here(&self) -> Result<()> {
        if state::get(Var::Place) == self.0 {
            return Ok(());
        }
        if self.0 != 0 {
            return Err(Error::refused(
                Code::Unsupported,
                &["block is closed: another one was opened, or the answer written"],
            ));
        }
        state::set(Var::Place, 0);
        check(raw::out_to(raw::OUT_ANSWER)).map(drop)
    }

    /// Appends text or bytes.
    pub fn write(&self, text: impl AsRef<[u8]>) -> Result<()> {
        self.here()?;
        check(raw::out_write(text.as_ref())).map(drop)
    }

    /// Appends a span of a Buf, without copying it through the guest.
    pub fn span(&self, buf: Buf, span: impl RangeBounds<usize>) -> Result<()> {
        self.here()?;
        let (off, len) = bounds(span);
        check(raw::out_span(buf.0, off, len)).map(drop)
    }
}

impl fmt::Write for Out {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.write(s).map_err(|_| fmt::Error)
    }
}
