//! Brake is a controller that stops a model which goes round in circles: a call
//! that gave the same result several times in a row is refused, and the model is
//! told so. Any other call, or another result, lets it go on.

use mcpctl_stage::controller::{Ctx, Hooks};
use mcpctl_stage::{controller, Outcome, PASS};

const BRAKE: Hooks = Hooks {
    tool_call: Some(refuse),
    tool_result: Some(count),
    ..Hooks::NONE
};

controller!("brake", BRAKE);

// What is kept for the session: the call that was made last, its result, and an x
// for each time that it gave this result.
const CALL: &str = "call";
const RESULT: &str = "result";
const TIMES: &str = "times";

/// Answers a call that has been made often enough.
fn refuse(c: &mut Ctx) -> Outcome {
    let call = c.client.hash(..);
    if !kept(c, CALL, call) {
        c.state.set(TIMES, "")?;
        c.state.set(CALL, call)?;
        return PASS;
    }
    let times = c.state.get(TIMES).unwrap_or_default().len();
    if (times as i64) < c.int("calls", 3) {
        return PASS;
    }
    c.log
        .info("call refused", &[("tool", &c.tool()), ("times", &times)]);
    c.refuse(&format!(
        "Not called: this call of {} gave the same result each time before. Use what you have, or change the arguments.",
        c.called().wire
    ))
}

/// Compares the result with the one before.
fn count(c: &mut Ctx) -> Outcome {
    if !kept(c, CALL, c.client.hash(..)) {
        return PASS; // another call was made meanwhile
    }
    let result = c.input.hash(..);
    let mut times = Vec::new();
    if kept(c, RESULT, result) {
        times = c.state.get(TIMES).unwrap_or_default();
    }
    times.push(b'x');
    c.state.set(RESULT, result)?;
    c.state.set(TIMES, times)?;
    PASS
}

/// Whether a hash is what was kept.
fn kept(c: &Ctx, key: &str, hash: [u8; 32]) -> bool {
    c.state.get(key).map_or(false, |last| last == hash)
}

#[cfg(test)]
mod tests {
    #[test]
    fn examples() {
        mcpctl_stage::testing::run_sessions("brake", super::BRAKE, "testdata");
    }
}
