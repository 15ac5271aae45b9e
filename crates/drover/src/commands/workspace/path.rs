//! `drover workspace path`.

use clap::Args;
use drover_ops::{Ctx, OpError, workspaces};

use crate::input::Input;
use crate::output::Report;
use crate::verb::{Effect, Verb};
use crate::wire::WorkspacePath;

/// Print where an agent's workspace is, and nothing else.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cd \"$(drover workspace path w1)\"\n\nExit codes: 0, 3 it has none, or it is gone."
)]
pub(crate) struct Path {
    /// The agent: `<agent>` or `<project>/<agent>`.
    agent: String,
}

impl Verb for Path {
    fn name(&self) -> &'static str {
        "workspace path"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let found = workspaces::path(ctx, &self.agent)?;
        let path = found.path.display().to_string();
        let data = WorkspacePath { agent: found.agent, kind: found.kind, path: path.clone() };
        Ok(Report::new("shown", data).card(path))
    }
}
