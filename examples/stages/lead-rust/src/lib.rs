//! Lead is a stage that keeps what stands before the first rule of a text. The
//! rest is not lost: the original stays stored, and drill-down reaches it.

use mcpctl_stage::{stage, Ctx, Outcome, DONE, PASS};

stage!("lead", lead);

fn lead(c: &mut Ctx) -> Outcome {
    if let Some(at) = c.input.find(c.str("rule", "\n---\n")) {
        c.out.span(c.input, ..at)?;
        return DONE;
    }
    PASS
}

#[cfg(test)]
mod tests {
    #[test]
    fn examples() {
        mcpctl_stage::testing::run_archives("lead", super::lead, "testdata");
    }
}
