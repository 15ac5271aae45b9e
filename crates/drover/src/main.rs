//! The `drover` command.
fn main() {}
