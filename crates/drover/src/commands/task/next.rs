//! `drover task next`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::{Ctx, OpError, tasks};

use super::claim;
use crate::input::Input;
use crate::output::{Report, Table};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::{Items, NextTask};

/// Show what can start, best first, or take the best.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task next --claim\n\nExit codes: 0 (also when nothing is ready), 2 no project is meant clearly."
)]
pub(crate) struct Next {
    /// How many to list; 0 lists all.
    #[arg(short = 'n', long, default_value_t = 1, conflicts_with = "claim")]
    count: u32,
    /// Take the best one that nobody holds.
    #[arg(long)]
    claim: bool,
    /// The agent to take it for; yourself when absent.
    #[arg(short, long = "for", value_name = "AGENT", requires = "claim")]
    for_agent: Option<String>,
    /// What you say about it, kept as said; `-` reads standard input.
    #[arg(long, value_name = "TEXT", requires = "claim")]
    evidence: Option<String>,
}

impl Verb for Next {
    fn name(&self) -> &'static str {
        "task next"
    }

    fn effect(&self) -> Effect {
        if self.claim { CHANGES_ROWS } else { Effect::Reads }
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        if self.claim {
            let evidence = input.said("evidence", self.evidence.as_deref())?;
            let request = tasks::ClaimNext { for_agent: self.for_agent.clone(), evidence };
            return Ok(match tasks::claim_next(ctx, &request)? {
                Some(claimed) => claim::report(&claimed),
                None => nothing_ready(),
            });
        }
        let (project, ready) = tasks::next(ctx, (self.count > 0).then_some(self.count))?;
        if ready.is_empty() {
            return Ok(nothing_ready());
        }
        let mut table = Table::new(&["id", "title", "impact", "days", "roi"], 1);
        for task in ready.iter().map(|it| &it.task) {
            table.row([
                task.id.clone(),
                task.title.clone(),
                task.impact.to_string(),
                task.effort_days.to_string(),
                format!("{:.1}", task.roi),
            ]);
        }
        let mut card = table.render_for_terminal();
        for it in ready.iter().filter(|it| !it.unlanded_blockers.is_empty()) {
            let (id, blockers) = (&it.task.id, it.unlanded_blockers.join(", "));
            let _ = writeln!(card, "{id} can start, but dispatch waits: {blockers} has not landed");
        }
        let items = ready.iter().map(|it| NextTask::new(&project.name, it)).collect();
        Ok(Report::new("listed", Items::<NextTask>::new(items))
            .card(card)
            .next("take the best", format!("drover task next --claim -p {}", project.name)))
    }
}

fn nothing_ready() -> Report {
    Report::new("nothing_ready", Items::<NextTask>::new(Vec::new()))
        .card("Nothing is ready.")
        .next("see what is open", "drover task list --status OPEN")
}
