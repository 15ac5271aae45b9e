//! `drover agent adopt`.

use clap::Args;
use drover_ops::call::Healing;
use drover_ops::{Ctx, OpError, agents};

use super::card::card;
use crate::input::Input;
use crate::output::Report;
use crate::verb::{Effect, Verb};
use crate::wire::{AgentAdopted, AgentView};

/// Make an agent of what somebody has started in a pane; nothing is typed there, ended or started.
///
/// The agent is the program in front. When that ends the agent has ended, and a close leaves it as it is.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent adopt %1 --name helper\n\nExit codes: 0 (also when it is that agent already), 2 no name, 3 no such pane, or nothing runs in it, 4 the name or the pane is taken, or several have the title, 5 no multiplexer."
)]
pub(crate) struct Adopt {
    /// The pane: its id, its title, or the name of its window.
    #[arg(value_name = "PANE")]
    pane: String,
    /// The name, `<name>` or `<project>/<name>`; that with which the title begins if it is not given.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The engine; what runs in front if it is not given.
    #[arg(long, alias = "cli")]
    engine: Option<String>,
    /// What it is for: operator, coordinator, worker or reviewer.
    #[arg(long)]
    role: Option<String>,
}

impl Verb for Adopt {
    fn name(&self) -> &'static str {
        "agent adopt"
    }

    fn effect(&self) -> Effect {
        Effect::Changes(Healing::Looks)
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let adoption = agents::adopt(
            ctx,
            &agents::Adopt {
                pane: self.pane.clone(),
                name: self.name.clone(),
                engine: self.engine.clone(),
                role: self.role.clone(),
            },
        )?;
        let project = &adoption.project.name;
        let observed = agents::observe_one(ctx, adoption.agent);
        let name = format!("{project}/{}", observed.agent.name);
        let (outcome, word) =
            if adoption.is_new { ("adopted", "Adopted") } else { ("unchanged", "Adopted before:") };
        let data = AgentAdopted {
            agent: AgentView::new(project, &observed),
            adopted: adoption.is_new,
            title: adoption.title,
            by_hand: adoption.better.clone(),
        };
        let report = Report::new(outcome, data)
            .card(format!("{word} {}", card(project, &observed)))
            .next("see it", format!("drover agent attach {name}"));
        let report = match (&adoption.better, &observed.agent.binding) {
            (Some(line), Some(binding)) => {
                report.next("end it there, and start it so that it can be spoken to", line).next(
                    "adopt it again after that",
                    format!("drover agent adopt {} --name {name}", binding.pane_id),
                )
            }
            _ => report,
        };
        Ok(report.next("let it go, as it is", format!("drover agent close {name}")))
    }
}
