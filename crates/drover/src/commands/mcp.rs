//! `drover mcp`.

use clap::Args;
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::Report;
use crate::verb::{Effect, Face, Verb};

/// Serve the verbs as tools of the Model Context Protocol on standard input and output.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover mcp < /dev/null\n\nA client starts it and ends it with its input; `drover link` tells clients of it. The tools are those that the caller's role may use, and each answers as its verb does with --json.\n\nExit codes: 0 the input ended, 1 the streams failed."
)]
pub(crate) struct Mcp {}

impl Verb for Mcp {
    fn name(&self) -> &'static str {
        "mcp"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn face(&self) -> Option<Face> {
        Some(Face::Mcp)
    }

    fn run(&self, _: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        Err(OpError::Usage("mcp is served by a process of its own".to_owned()))
    }
}
