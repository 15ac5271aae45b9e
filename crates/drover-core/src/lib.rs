//! Drover's pure rules: no I/O, no clock, no randomness.

pub mod step;
