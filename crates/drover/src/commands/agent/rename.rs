//! `drover agent rename`.

use clap::Args;
use drover_ops::{Ctx, OpError, agents};

use crate::input::Input;
use crate::output::Report;
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::{AgentRenamed, AgentView};

/// Give an agent another name, also where it stands as the holder of tasks.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent rename w1 builder\n\nExit codes: 0, 2 the name breaks its rule, 3 unknown, 4 the name is taken."
)]
pub(crate) struct Rename {
    /// The agent: `<name>` or `<project>/<name>`.
    name: String,
    /// Its new name.
    new: String,
}

impl Verb for Rename {
    fn name(&self) -> &'static str {
        "agent rename"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let renamed = agents::rename(ctx, &self.name, &self.new)?;
        let project = &renamed.project.name;
        let observed = agents::observe_one(ctx, renamed.agent);
        let new = observed.agent.name.clone();
        let card = format!("{project}/{} is now {project}/{new}", renamed.was);
        let agent = AgentView::new(project, &observed);
        Ok(Report::new("renamed", AgentRenamed { agent, was: renamed.was.clone() })
            .card(card)
            .next("take it back", format!("drover agent rename {project}/{new} {}", renamed.was)))
    }
}
