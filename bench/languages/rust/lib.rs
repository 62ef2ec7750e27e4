//! The stages of the benchmark are the examples of this crate.
