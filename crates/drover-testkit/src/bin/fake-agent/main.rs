//! A scripted agent program for tests.
fn main() {}
