//! The guest of the conformance kit in Rust. The README of abi/tck describes the cases.

mod beside;
mod buffer;
mod json;
mod know;
mod llm;
mod outcome;
mod section;
mod session;
mod steer;
mod words;

use mcpctl_stage::{roles, Ctx, Error, Outcome};

roles! {
    stages: {"kit" => run, "kit-filter" => run, "kit-bare" => run},
    controllers: {"kit-steer" => steer::STEER},
}

fn run(c: &mut Ctx) -> Outcome {
    match c.str("case", "").as_str() {
        "done" => outcome::done(c),
        "empty" => outcome::empty(c),
        "nothing" => outcome::nothing(c),
        "pass" => outcome::pass(c),
        "fail" => outcome::fail(c),
        "panic" => outcome::panic(c),
        "limit" => outcome::limit(c),
        "config" => know::config(c),
        "misuse" => know::misuse(c),
        "context" => know::context(c),
        "arguments" => know::arguments(c),
        "session" => know::session(c),
        "upper" => buffer::upper(c),
        "original" => buffer::original(c),
        "pieces" => buffer::pieces(c),
        "find" => buffer::find(c),
        "lines" => buffer::lines(c),
        "grep" => buffer::grep(c),
        "hash" => buffer::hash(c),
        "tokens" => buffer::tokens(c),
        "views" => buffer::views(c),
        "handles" => buffer::handles(c),
        "index" => buffer::index(c),
        "marks" => buffer::marks(c),
        "json" => json::values(c),
        "children" => json::children(c),
        "numbers" => json::numbers(c),
        "pointer" => json::pointers(c),
        "tree" => section::tree(c),
        "refused" => section::refused(c),
        "extend" => section::extend(c),
        "chapters" => section::chapters(c),
        "batch" => section::batch(c),
        "filter" => section::filter(c),
        "meta" => beside::meta(c),
        "log" => beside::log(c),
        "cache" => beside::cache(c),
        "compute" => beside::compute(c),
        "llm" => llm::llm(c),
        "each" => llm::each(c),
        "late" => llm::late(c),
        other => Err(Error::fail(format!("case {other:?} unknown"))),
    }
}
