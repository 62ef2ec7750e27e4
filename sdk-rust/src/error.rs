use crate::raw;
use crate::state;
use std::fmt;

/// Why the host refused something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// No such key, pointer, position or name.
    NotFound,
    /// An argument is not allowed.
    BadArg,
    /// A limit was reached, nothing was done.
    Limit,
    /// Not configured, or out of order right now.
    Unavailable,
    /// Not granted; the manifest lists capabilities.
    Denied,
    /// Not ready within the time given.
    Timeout,
    /// The LLM answered with an error.
    Upstream,
    /// Not possible in this role or phase.
    Unsupported,
    /// The name is taken.
    Conflict,
    /// One of a later host.
    Other(i32),
}

impl Code {
    /// The code of a negative result.
    pub(crate) fn of(number: i32) -> Code {
        match number {
            raw::CODE_NOT_FOUND => Code::NotFound,
            raw::CODE_BAD_ARG => Code::BadArg,
            raw::CODE_LIMIT => Code::Limit,
            raw::CODE_UNAVAILABLE => Code::Unavailable,
            raw::CODE_DENIED => Code::Denied,
            raw::CODE_TIMEOUT => Code::Timeout,
            raw::CODE_UPSTREAM => Code::Upstream,
            raw::CODE_UNSUPPORTED => Code::Unsupported,
            raw::CODE_CONFLICT => Code::Conflict,
            other => Code::Other(other),
        }
    }

    /// The number that the ABI has for it, negative.
    pub fn number(self) -> i32 {
        match self {
            Code::NotFound => raw::CODE_NOT_FOUND,
            Code::BadArg => raw::CODE_BAD_ARG,
            Code::Limit => raw::CODE_LIMIT,
            Code::Unavailable => raw::CODE_UNAVAILABLE,
            Code::Denied => raw::CODE_DENIED,
            Code::Timeout => raw::CODE_TIMEOUT,
            Code::Upstream => raw::CODE_UPSTREAM,
            Code::Unsupported => raw::CODE_UNSUPPORTED,
            Code::Conflict => raw::CODE_CONFLICT,
            Code::Other(number) => number,
        }
    }

    /// The code in words.
    pub fn words(self) -> &'static str {
        match self {
            Code::NotFound => "not found",
            Code::BadArg => "argument not allowed",
            Code::Limit => "limit reached",
            Code::Unavailable => "unavailable",
            Code::Denied => "denied",
            Code::Timeout => "timeout",
            Code::Upstream => "error from upstream",
            Code::Unsupported => "unsupported",
            Code::Conflict => "conflict",
            Code::Other(_) => "refused with a code of a later host",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// A refusal of the host, with its code and mostly a sentence for people, or the
/// reason of a stage's own for failing.
///
/// A text becomes an Error by `?` or [`Error::fail`]: lower case, with the figures
/// that matter.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Refusal>); // one word, which most functions return

#[derive(Clone, PartialEq, Eq)]
struct Refusal {
    number: i32, // 0: the stage's own
    text: String,
}

impl Error {
    /// The reason of a stage for failing.
    ///
    /// ```
    /// # use mcpctl_stage::{Error, Outcome, PASS};
    /// fn checked(lines: i64) -> Outcome {
    ///     if !(1..=1000).contains(&lines) {
    ///         return Err(Error::fail(format!("maxLines {lines} not in 1..1000")));
    ///     }
    ///     PASS
    /// }
    /// # assert_eq!(checked(0).unwrap_err().to_string(), "maxLines 0 not in 1..1000");
    /// ```
    pub fn fail(reason: impl Into<String>) -> Error {
        Error::new(0, reason.into())
    }

    /// An error with a code and a sentence of the SDK, in parts.
    pub(crate) fn refused(code: Code, sentence: &[&str]) -> Error {
        Error::new(code.number(), raw::joined(sentence))
    }

    #[inline]
    fn new(number: i32, text: String) -> Error {
        Error(raw::boxed(Refusal { number, text }))
    }

    /// The error of the negative result that the latest import gave. NOT_FOUND is
    /// frequent, and no sentence says more.
    #[cold]
    #[inline(never)]
    pub(crate) fn latest(number: i32) -> Error {
        let mut e = Error::new(number, String::new());
        if number != raw::CODE_NOT_FOUND {
            raw::take_to(&mut e.0.text, raw::last_error());
        }
        e
    }

    /// Why the host refused; None of a reason of the stage's own.
    pub fn code(&self) -> Option<Code> {
        match self.0.number {
            0 => None,
            number => Some(Code::of(number)),
        }
    }

    /// Whether it is a refusal with this code.
    pub fn is(&self, code: Code) -> bool {
        self.0.number == code.number()
    }

    /// The sentence or reason; empty if the code says all there is to say. Its
    /// wording may change.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    fn told(&self) -> &str {
        if self.text().is_empty() {
            return Code::of(self.0.number).words();
        }
        self.text()
    }

    /// Tells the host why the call fails. Of what has no sentence there is one code.
    #[cold]
    #[inline(never)]
    pub(crate) fn report(self) {
        let text = if self.text().is_empty() { "not found" } else { self.text() };
        raw::fail(text.as_bytes());
        state::leave(self);
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.told())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.code(), self.told())
    }
}

impl std::error::Error for Error {}

impl From<Code> for Error {
    fn from(code: Code) -> Error {
        Error::refused(code, &[])
    }
}

impl From<String> for Error {
    fn from(reason: String) -> Error {
        Error::fail(reason)
    }
}

impl From<&str> for Error {
    fn from(reason: &str) -> Error {
        Error::fail(reason)
    }
}

/// What a call of the host gives, or why it was refused.
pub type Result<T> = std::result::Result<T, Error>;

/// The result of an import, if it is none of the codes.
#[inline]
pub(crate) fn check(result: i32) -> Result<i32> {
    if result < 0 {
        return Err(Error::latest(result));
    }
    Ok(result)
}

/// Notes a misuse: what an import answered last, which refuses nothing else. The call
/// fails, with the first of its misuses as reason.
#[cold]
#[inline(never)]
pub(crate) fn misused() {
    if state::first_misuse() {
        Error::latest(raw::CODE_BAD_ARG).report();
    }
}

/// Notes a misuse that the SDK has found.
#[cold]
pub(crate) fn misuse(reason: &str) {
    if state::first_misuse() {
        raw::fail(reason.as_bytes());
    }
}

/// A result that is negative only by misuse.
#[inline]
pub(crate) fn count(result: i32) -> usize {
    if result < 0 {
        misused();
        return 0;
    }
    result as usize
}
