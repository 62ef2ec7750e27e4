use crate::raw;
use crate::state;
use std::fmt;

/// The code of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// There is no such key, pointer, position or name.
    NotFound,
    /// An argument is not allowed.
    BadArg,
    /// A limit was reached; nothing was done.
    Limit,
    /// Not configured, or currently unavailable.
    Unavailable,
    /// Not granted; the manifest must list the capability.
    Denied,
    /// Not ready within the time given.
    Timeout,
    /// The LLM answered with an error.
    Upstream,
    /// Not possible in this role or phase.
    Unsupported,
    /// The name is taken.
    Conflict,
    /// A code of a later host.
    Other(i32),
}

impl Code {
    /// Returns the code of a negative result.
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

    /// Returns its number in the ABI, which is negative.
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

    /// Returns the code in words.
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

/// A refusal of the host, with a code and usually a sentence, or the reason of a stage for
/// failing.
///
/// `?` and [`Error::fail`] make an Error of a text. Write it in lower case, with the
/// relevant figures.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Refusal>); // one word, because most functions return it

#[derive(Clone, PartialEq, Eq)]
struct Refusal {
    number: i32, // 0 for a reason of the stage
    text: String,
}

impl Error {
    /// Returns an error with the stage's reason for failing.
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

    /// Returns an error with a code and a sentence of the SDK, in parts.
    pub(crate) fn refused(code: Code, sentence: &[&str]) -> Error {
        Error::new(code.number(), raw::joined(sentence))
    }

    #[inline]
    fn new(number: i32, text: String) -> Error {
        Error(raw::boxed(Refusal { number, text }))
    }

    /// Returns the error of the latest import, which returned a negative number. NOT_FOUND
    /// is frequent and needs no sentence.
    #[cold]
    #[inline(never)]
    pub(crate) fn latest(number: i32) -> Error {
        let mut e = Error::new(number, String::new());
        if number != raw::CODE_NOT_FOUND {
            raw::take_to(&mut e.0.text, raw::last_error());
        }
        e
    }

    /// Returns the code of a refusal; None if the reason is the stage's.
    pub fn code(&self) -> Option<Code> {
        match self.0.number {
            0 => None,
            number => Some(Code::of(number)),
        }
    }

    /// Reports whether it is a refusal with this code.
    pub fn is(&self, code: Code) -> bool {
        self.0.number == code.number()
    }

    /// Returns the sentence or reason, which is empty if the code is sufficient. The
    /// wording may change.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    fn words(&self) -> &str {
        if self.text().is_empty() {
            return Code::of(self.0.number).words();
        }
        self.text()
    }

    /// Reports the reason of the failure to the host. Only NOT_FOUND has no sentence.
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
        f.write_str(self.words())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.code(), self.words())
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

/// The result of a call of the host.
pub type Result<T> = std::result::Result<T, Error>;

/// Returns the result of an import, or the error of a negative result.
#[inline]
pub(crate) fn check(result: i32) -> Result<i32> {
    if result < 0 {
        return Err(Error::latest(result));
    }
    Ok(result)
}

/// Records a misuse that the latest import reported. The call fails with the first misuse
/// as its reason.
#[cold]
#[inline(never)]
pub(crate) fn misused() {
    if state::first_misuse() {
        Error::latest(raw::CODE_BAD_ARG).report();
    }
}

/// Records a misuse that the SDK found.
#[cold]
pub(crate) fn misuse(reason: &str) {
    if state::first_misuse() {
        raw::fail(reason.as_bytes());
    }
}

/// Returns a result that is negative only after a misuse.
#[inline]
pub(crate) fn count(result: i32) -> usize {
    if result < 0 {
        misused();
        return 0;
    }
    result as usize
}
