//! `drover agent restart`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::call::Healing;
use drover_ops::{Ctx, OpError, agents};

use super::card::card;
use crate::input::Input;
use crate::output::Report;
use crate::verb::{Effect, Verb};
use crate::wire::{AgentRestarted, AgentView};

/// End what an agent runs and start it again: same profile, same pane, same name.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent restart w1\n\nExit codes: 0, 3 unknown, 5 its multiplexer does not answer, 6 it did not start."
)]
pub(crate) struct Restart {
    /// The agent: `<name>` or `<project>/<name>`.
    name: String,
}

impl Verb for Restart {
    fn name(&self) -> &'static str {
        "agent restart"
    }

    fn effect(&self) -> Effect {
        Effect::Changes(Healing::Looks)
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let restarted = agents::restart(ctx, &self.name)?;
        let project = &restarted.project.name;
        let observed = agents::observe_one(ctx, restarted.agent);
        let mut text = format!("Started anew {}", card(project, &observed));
        if !restarted.released.is_empty() {
            let _ = writeln!(text, "Open again: {}", restarted.released.join(", "));
        }
        let name = observed.agent.name.clone();
        let agent = AgentView::new(project, &observed);
        Ok(Report::new("restarted", AgentRestarted { agent, released: restarted.released })
            .card(text)
            .next("read its screen", format!("drover agent read {project}/{name}")))
    }
}
