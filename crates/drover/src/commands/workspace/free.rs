//! `drover workspace free`.

use std::fmt::Write as _;

use clap::Args;
use drover_core::workspace::Loss;
use drover_ops::call::Healing;
use drover_ops::error::Ending;
use drover_ops::workspaces::{self, Freed, How, Released};
use drover_ops::{Ctx, OpError};

use crate::commands::released;
use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{Effect, Verb};
use crate::ways;
use crate::wire::{Items, LossView, WorkspaceDiscardPreview, WorkspaceFreed};

/// Let a workspace go; refused where something would be lost.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover workspace free w1\n\nExit codes: 0 gone, or the preview of --discard without --yes, 3 something would be lost or a process works inside."
)]
pub(crate) struct Free {
    /// The agent: `<agent>` or `<project>/<agent>`.
    agent: String,
    /// Let the checkout go and keep the branch.
    #[arg(long, conflicts_with = "discard")]
    keep_branch: bool,
    /// Let everything go; what would be lost is kept as a rescue first.
    #[arg(long)]
    discard: bool,
    /// Do it; without this, --discard only shows what it would take.
    #[arg(long, requires = "discard")]
    yes: bool,
}

impl Verb for Free {
    fn name(&self) -> &'static str {
        "workspace free"
    }

    fn effect(&self) -> Effect {
        Effect::Changes(Healing::Looks)
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let how = match (self.keep_branch, self.discard) {
            (true, _) => How::KeepBranch,
            (false, true) => How::Discard,
            (false, false) => How::Safe,
        };
        let request = workspaces::Free { agent: self.agent.clone(), how, yes: self.yes };
        Ok(match workspaces::free(ctx, &request)? {
            Freed::Done(released) => done(&released),
            Freed::Preview { project, agent, losses, held } => {
                preview(&project, &agent, (&losses, &held))
            }
        })
    }
}

fn preview(project: &str, agent: &str, (losses, held): (&[Loss], &[Loss])) -> Report {
    let mut card = format!("Would let the workspace of {agent} go\n");
    for loss in losses {
        let _ = writeln!(card, "  to be kept as a rescue: {}", visible(&loss.to_string()));
    }
    for held in held {
        let _ = writeln!(card, "Refused while there is {}", visible(&held.to_string()));
    }
    let data = WorkspaceDiscardPreview {
        agent: agent.to_owned(),
        losses: Items::new(losses.iter().map(LossView::from).collect()),
        held: Items::new(held.iter().map(LossView::from).collect()),
    };
    let report = Report::new("preview", data).card(card);
    if held.is_empty() {
        let run = format!("drover workspace free {agent} -p {project} --discard --yes");
        return report.next("do it", run);
    }
    report.nexts(ways::out_of_held((project, agent), Ending::Free, held))
}

fn done(gone: &Released) -> Report {
    let card = format!("Gone: {}\n{}", visible(&gone.path), released::card(gone));
    Report::new("freed", WorkspaceFreed::from(gone)).card(card).nexts(released::nexts(gone))
}
