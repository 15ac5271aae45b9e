//! `drover agent list`.

use clap::Args;
use drover_ops::{Ctx, OpError, agents, delegates};

use super::card::{doing, line};
use crate::input::Input;
use crate::output::{Report, Table};
use crate::verb::{Effect, Verb};
use crate::wire::{AgentView, Items};

/// List the agents of a project and what they are doing; asks every multiplexer once.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent list\n\nExit codes: 0 (a server that does not answer makes its agents `unknown`), 2 no project is meant clearly."
)]
pub(crate) struct List {}

impl Verb for List {
    fn name(&self) -> &'static str {
        "agent list"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        delegates::settle(ctx)?;
        let (project, agents) = agents::list(ctx)?;
        let mut table = Table::new(&["name", "engine", "role", "state", "command"], 4);
        for it in &agents {
            table.row([
                it.agent.name.clone(),
                it.agent.profile.engine.clone(),
                it.agent.profile.role.clone(),
                doing(it),
                line(&it.agent.profile.command),
            ]);
        }
        let card = if agents.is_empty() {
            format!("The project {} has no agents.", project.name)
        } else {
            table.render_for_terminal()
        };
        let items = agents.iter().map(|it| AgentView::new(&project.name, it)).collect();
        Ok(Report::new("listed", Items::new(items))
            .card(card)
            .next("start one", format!("drover agent spawn <name> -p {}", project.name)))
    }
}
