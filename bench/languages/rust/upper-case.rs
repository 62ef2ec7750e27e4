//! Writes the content in capitals: all of it goes into the guest and out again.

use mcpctl_stage::{stage, Ctx, Outcome, DONE};

stage!("upper-case", upper);

fn upper(c: &mut Ctx) -> Outcome {
    let mut text = c.input.bytes();
    text.make_ascii_uppercase();
    c.out.write(text)?;
    DONE
}
