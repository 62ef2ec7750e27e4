//! Writes the content in capitals: all of it goes into the guest and out again.

use mcpctl_stage::{stage, Ctx, Outcome, DONE};

stage!("upper-case", upper_case);

fn upper_case(c: &mut Ctx) -> Outcome {
    let mut text = c.input.bytes();
    // SAFETY: a host of ABI 1.0 runs modules that use SIMD.
    unsafe { upper(&mut text) }
    c.out.write(text)?;
    DONE
}

/// Compiled to instructions that take 16 bytes at a time.
#[target_feature(enable = "simd128")]
unsafe fn upper(text: &mut [u8]) {
    for b in text {
        *b -= if b.is_ascii_lowercase() { b'a' - b'A' } else { 0 };
    }
}
