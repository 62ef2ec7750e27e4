//! Lead is a stage that keeps the text before the first rule. The rest is not lost:
//! the original stays stored, and drill-down reaches it.

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
    use mcpctl_stage::testing::{run, Call, Outcome};

    #[test]
    fn text_before_the_rule_is_kept() {
        let got = run("lead", super::lead, &Call::of("kept\n---\nin reach\n"));
        assert_eq!((got.outcome, got.output.as_str()), (Outcome::Done, "kept"));
    }

    #[test]
    fn config_names_the_rule() {
        let call = Call::of("kept DETAILS").with_config(r#"{"rule":" DETAILS"}"#);
        assert_eq!(run("lead", super::lead, &call).output, "kept");
    }

    #[test]
    fn text_without_a_rule_passes() {
        let got = run("lead", super::lead, &Call::of("kept\n"));
        assert_eq!(got.outcome, Outcome::Pass);
    }
}
