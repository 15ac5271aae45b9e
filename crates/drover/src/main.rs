//! The `drover` command: parse, run one verb, print its answer, exit with its code.

mod call;
mod cli;
mod commands;
#[cfg(feature = "crash-walk")]
mod crash;
mod error;
mod input;
mod internal;
mod mcp;
mod outcome;
mod output;
mod perform;
#[cfg(test)]
mod reference;
mod verb;
mod ways;
mod wire;

use std::process::ExitCode;

fn main() -> ExitCode {
    call::main()
}
