//! `drover project teardown`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::call::Healing;
use drover_ops::projects::{self, TornDown};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{Effect, Verb};
use crate::ways;
use crate::wire::ProjectTornDown;

/// Close every agent of a project and delete its rows; refused while unlanded work would be lost.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover project teardown web\n\nExit codes: 0 (without --yes a preview), 3 unknown, work would be lost, or an agent called it, 4 an agent was started meanwhile, 5 a multiplexer does not answer."
)]
pub(crate) struct Teardown {
    /// The project.
    name: String,
    /// Do it; without this, only show what would go.
    #[arg(long)]
    yes: bool,
}

impl Verb for Teardown {
    fn name(&self) -> &'static str {
        "project teardown"
    }

    fn effect(&self) -> Effect {
        Effect::Changes(Healing::Looks)
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let request = projects::Teardown { name: self.name.clone(), yes: self.yes };
        let torn = projects::teardown(ctx, &request)?;
        let name = &torn.project.name;
        let outcome = if torn.is_done { "torn_down" } else { "preview" };
        let report = Report::new(outcome, ProjectTornDown::from(&torn)).card(card(&torn));
        Ok(match (torn.is_done, torn.losses.is_empty()) {
            (true, _) => report.next("see the projects", "drover project list"),
            (false, true) => report.next("do it", format!("drover project teardown {name} --yes")),
            (false, false) => torn.losses.iter().fold(report, |report, (agent, losses)| {
                report.nexts(ways::of_close(name, agent, losses))
            }),
        })
    }
}

fn card(torn: &TornDown) -> String {
    let (name, counts) = (&torn.project.name, &torn.counts);
    let verb = if torn.is_done { "Torn down" } else { "Would tear down" };
    let mut card = format!(
        "{verb}: {name} with {} tasks, {} edges, {} notes\n",
        counts.tasks, counts.edges, counts.notes
    );
    if !torn.agents.is_empty() {
        let verb = if torn.is_done { "Closed" } else { "Would close" };
        let _ = writeln!(card, "{verb}: {}", torn.agents.join(", "));
    }
    for (agent, losses) in &torn.losses {
        for loss in losses {
            let _ = writeln!(card, "Would lose of {agent}: {}", visible(&loss.to_string()));
        }
    }
    for (pid, program) in &torn.left {
        let _ = writeln!(card, "Still there: process {pid} ({})", visible(program));
    }
    for branch in &torn.branches {
        let _ = writeln!(card, "Stays in the repository: {branch}");
    }
    card
}
