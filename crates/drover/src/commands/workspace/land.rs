//! `drover workspace land`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::call::Healing;
use drover_ops::workspaces::{self, Landed};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{Effect, Verb};
use crate::wire::WorkspaceLanded;

/// Merge an agent's branch in private, verify the merged tree, and move the integration branch to it.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover workspace land w1\n\nExit codes: 0 landed, or landed before, 3 not all committed or the verify command failed, 4 it conflicts, or its target moved or is checked out."
)]
pub(crate) struct Land {
    /// The agent: `<agent>` or `<project>/<agent>`.
    agent: String,
    /// Onto this branch instead; never one that is checked out.
    #[arg(long, value_name = "BRANCH")]
    onto: Option<String>,
    /// Run no verify command on the merged tree.
    #[arg(long)]
    unverified: bool,
    /// Land it though it takes away lines of others that are newer than it: said on purpose.
    #[arg(long)]
    takes_away: bool,
}

impl Verb for Land {
    fn name(&self) -> &'static str {
        "workspace land"
    }

    fn effect(&self) -> Effect {
        Effect::Changes(Healing::Looks)
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let request = workspaces::Land {
            agent: self.agent.clone(),
            onto: self.onto.clone(),
            unverified: self.unverified,
            takes_away: self.takes_away,
        };
        Ok(report(&workspaces::land(ctx, &request)?))
    }
}

fn report(landed: &Landed) -> Report {
    let (outcome, words) =
        if landed.is_repeat { ("already_landed", "is on") } else { ("landed", "landed on") };
    let mut card = format!("{} {words} {}", visible(&landed.branch), visible(&landed.target));
    if let Some(commit) = &landed.commit {
        let _ = write!(card, " as {commit}");
    }
    card.push('\n');
    if !landed.tasks.is_empty() {
        let _ = writeln!(card, "Brought in: {}", landed.tasks.join(", "));
    }
    for check in &landed.checks {
        let command = visible(check.command.as_deref().unwrap_or_default());
        let seconds = check.duration_ms.unwrap_or_default() / 1000;
        let _ = writeln!(card, "Passed on the merged tree in {seconds} s: {command}");
    }
    if landed.branch_is_gone {
        let _ = writeln!(card, "The branch, which was kept for this, is gone.");
    }
    let report = Report::new(outcome, WorkspaceLanded::from(landed)).card(card);
    match &landed.fast_forward {
        Some(command) => report.next("bring it onto your branch", command.clone()),
        None => report,
    }
}
