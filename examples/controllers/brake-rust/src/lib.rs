//! Brake is a controller that stops a model that repeats itself: a call that gave
//! the same result several times in a row is refused with a message to the model.
//! Any other call, or another result, resets the count.

use mcpctl_stage::controller::{Ctx, Hooks};
use mcpctl_stage::{controller, Outcome, PASS};

const BRAKE: Hooks = Hooks {
    tool_call: Some(refuse),
    tool_result: Some(count),
    ..Hooks::NONE
};

controller!("brake", BRAKE);

// Keys of the session's state: the hash of the last call, the hash of its result, and an
// x for each time that the call gave this result.
const CALL: &str = "call";
const RESULT: &str = "result";
const TIMES: &str = "times";

/// Refuses a call that was made often enough.
fn refuse(c: &mut Ctx) -> Outcome {
    let call = c.client.hash(..);
    if !has_hash(c, CALL, call) {
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

/// Counts equal results of the last call.
fn count(c: &mut Ctx) -> Outcome {
    if !has_hash(c, CALL, c.client.hash(..)) {
        return PASS; // another call was made in the meantime
    }
    let result = c.input.hash(..);
    let mut times = Vec::new();
    if has_hash(c, RESULT, result) {
        times = c.state.get(TIMES).unwrap_or_default();
    }
    times.push(b'x');
    c.state.set(RESULT, result)?;
    c.state.set(TIMES, times)?;
    PASS
}

/// Reports whether the state holds a hash under a key.
fn has_hash(c: &Ctx, key: &str, hash: [u8; 32]) -> bool {
    c.state.get(key).map_or(false, |last| last == hash)
}

#[cfg(test)]
mod tests {
    use mcpctl_stage::controller::Kind;
    use mcpctl_stage::testing::{run_hook, Call, Outcome};

    #[test]
    fn repeated_call_is_refused() {
        let mut call = Call {
            client: r#"{"name":"files__a","arguments":{"path":"1"}}"#.into(),
            ..Call::of("{}").with_config(r#"{"calls":2}"#)
        };
        for _ in 0..2 {
            let got = run_hook("brake", super::BRAKE.tool_call, &call);
            assert_eq!(got.outcome, Outcome::Pass);
            call.state = got.state;
            call.state = run_hook("brake", super::BRAKE.tool_result, &call).state;
        }
        let got = run_hook("brake", super::BRAKE.tool_call, &call);
        assert_eq!((got.outcome, got.kind), (Outcome::Done, Kind::IS_ERROR));
    }
}
