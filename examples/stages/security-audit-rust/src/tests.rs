use super::{audit, one_line};
use mcpctl_stage::testing::{run, Call, Outcome};

#[test]
fn content_passes_without_an_llm() {
    let got = run("security-audit", audit, &Call::of("Connect with root:root@db:5432.\n"));
    assert_eq!(got.outcome, Outcome::Pass);
    assert!(got.log[0].starts_with("info no audit"), "{:?}", got.log);
}

#[test]
fn control_characters_become_blanks() {
    assert_eq!(one_line(" x\n\u{1b}[2Jfine\u{2028}y "), "x [2Jfine y");
}
