//! `drover agent list`.

use clap::Args;
use drover_ops::agents::{self, Listed, Orphan};
use drover_ops::{Ctx, OpError, delegates, words};

use super::card::{doing, line};
use crate::input::Input;
use crate::output::{Report, Table};
use crate::verb::{Effect, Verb};
use crate::ways;
use crate::wire::{AgentView, AgentsListed, OrphanPaneView};

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
        let Listed { project, agents, orphans } = agents::list(ctx)?;
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
        let items: Vec<AgentView> =
            agents.iter().map(|it| AgentView::new(&project.name, it)).collect();
        let data = AgentsListed {
            count: items.len(),
            items,
            orphans: orphans.iter().map(OrphanPaneView::from).collect(),
        };
        let report = Report::new("listed", data)
            .card(format!("{card}{}", orphan_card(&orphans)))
            .nexts(ways::of_orphans(&project.name, &orphans))
            .nexts(ways::of_idle(&project.name, &agents));
        Ok(report.next("start one", format!("drover agent spawn <name> -p {}", project.name)))
    }
}

/// Chat agents that have no row, below those that have one.
fn orphan_card(orphans: &[Orphan]) -> String {
    if orphans.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["pane", "engine", "title", "command"], 3);
    for it in orphans {
        table.row([
            it.pane.id.to_string(),
            it.engine.clone(),
            it.pane.title.clone(),
            words::join(it.command.iter().map(String::as_str)),
        ]);
    }
    format!("\nIn its session, and no agents of Drover:\n{}", table.render_for_terminal())
}
