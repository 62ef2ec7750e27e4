//! Writes the content in upper case: all of it is copied into the guest and back.

use mcpctl_stage::{stage, Ctx, Outcome, DONE};

stage!("upper-case", upper_case);

fn upper_case(c: &mut Ctx) -> Outcome {
    let mut text = c.input.bytes();
    // SAFETY: a host of ABI 1.0 runs modules that use SIMD.
    unsafe { upper(&mut text) }
    c.out.write(text)?;
    DONE
}

/// Compiles to instructions that process 16 bytes at a time.
#[target_feature(enable = "simd128")]
unsafe fn upper(text: &mut [u8]) {
    for b in text {
        *b -= if b.is_ascii_lowercase() { b'a' - b'A' } else { 0 };
    }
}
