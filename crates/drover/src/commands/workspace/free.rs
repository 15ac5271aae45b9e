//! `drover workspace free`.

use std::fmt::Write as _;

use clap::Args;
use drover_core::workspace::Loss;
use drover_ops::call::Healing;
use drover_ops::words::quote;
use drover_ops::workspaces::{self, Freed, How, Released};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{Effect, Verb};
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
            Freed::Preview { project, agent, losses } => preview(&project, &agent, &losses),
        })
    }
}

fn preview(project: &str, agent: &str, losses: &[Loss]) -> Report {
    let mut card = format!("Would let the workspace of {agent} go");
    for (at, loss) in losses.iter().enumerate() {
        let before = if at == 0 { ", keeping as a rescue:\n" } else { "" };
        let _ = writeln!(card, "{before}  {}", visible(&loss.to_string()));
    }
    let data = WorkspaceDiscardPreview {
        agent: agent.to_owned(),
        losses: Items::new(losses.iter().map(LossView::from).collect()),
    };
    let run = format!("drover workspace free {agent} -p {project} --discard --yes");
    Report::new("preview", data).card(card).next("do it", run)
}

fn done(released: &Released) -> Report {
    let mut card = format!("Gone: {}\n", visible(&released.path));
    let fate = if released.branch_stays { "stays" } else { "is gone" };
    let _ = writeln!(card, "The branch {} {fate}", released.branch);
    for stash in &released.stashes {
        let _ = writeln!(card, "Stays in the repository: {}", visible(stash));
    }
    let mut report = Report::new("freed", WorkspaceFreed::from(released));
    if let Some(rescue) = &released.rescue {
        if let Some(prefix) = &rescue.ref_prefix {
            let _ = writeln!(card, "Kept under {prefix}");
            let at = quote(&released.repository);
            report = report.next("see what was kept", format!("git -C {at} for-each-ref {prefix}"));
        }
        if let Some(trash) = &rescue.trash_path {
            let _ = writeln!(card, "Files that git ignores are in {}", visible(trash));
        }
    }
    if released.branch_stays {
        report = report.next("land it", format!("drover workspace land {}", released.agent));
    }
    report.card(card)
}
