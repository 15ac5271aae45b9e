//! `drover agent close`.

use std::fmt::Write as _;

use clap::Args;
use drover_core::workspace::Loss;
use drover_ops::agents::{self, Closed, Closing};
use drover_ops::call::Healing;
use drover_ops::error::Ending;
use drover_ops::workspaces::How;
use drover_ops::{Ctx, OpError};

use crate::commands::released;
use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{Effect, Verb};
use crate::ways;
use crate::wire::{
    AgentClosePreview, AgentClosed, AgentView, Items, LossView, ProcessView, WorkspaceFreed,
};

/// End an agent's processes, close its pane, let its workspace go and free its name.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent close w1\n\nExit codes: 0 (again, too, and for the preview of --discard without --yes), 3 unknown or work would be lost, 5 its multiplexer does not answer, 6 processes are left."
)]
pub(crate) struct Close {
    /// The agent: `<name>` or `<project>/<name>`.
    name: String,
    /// Let its checkout go and keep its branch.
    #[arg(long, conflicts_with = "discard")]
    keep_branch: bool,
    /// Let its workspace go whole; what would be lost is kept as a rescue first.
    #[arg(long)]
    discard: bool,
    /// Do it; without this, --discard only shows what it would take.
    #[arg(long, requires = "discard")]
    yes: bool,
}

impl Verb for Close {
    fn name(&self) -> &'static str {
        "agent close"
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
        let request = agents::Close { name: self.name.clone(), how, yes: self.yes };
        Ok(match agents::close(ctx, &request)? {
            Closing::Done(closed) => done(ctx, *closed),
            Closing::Preview { project, agent, losses, held } => {
                preview(&project.name, &agent.name, (&losses, &held))
            }
        })
    }
}

fn preview(project: &str, agent: &str, (losses, held): (&[Loss], &[Loss])) -> Report {
    let mut card = format!("Would close {project}/{agent}, its workspace and its branch\n");
    for loss in losses {
        let _ = writeln!(card, "  to be kept as a rescue: {}", visible(&loss.to_string()));
    }
    for held in held {
        let _ = writeln!(card, "Refused while there is {}", visible(&held.to_string()));
    }
    let data = AgentClosePreview {
        agent: agent.to_owned(),
        losses: Items::new(losses.iter().map(LossView::from).collect()),
        held: Items::new(held.iter().map(LossView::from).collect()),
    };
    let report = Report::new("preview", data).card(card);
    if held.is_empty() {
        let run = format!("drover agent close {project}/{agent} --discard --yes");
        return report.next("do it", run);
    }
    report.nexts(ways::out_of_held((project, agent), Ending::Close, held))
}

fn done(ctx: &Ctx, closed: Closed) -> Report {
    let project = &closed.project.name;
    let name = closed.agent.name.clone();
    let outcome = match (closed.is_repeat, closed.left.is_empty()) {
        (true, _) => "already_closed",
        (false, true) => "closed",
        (false, false) => "closed_in_part",
    };
    let mut card = match outcome {
        "already_closed" => format!("{project}/{name} was closed before.\n"),
        _ if closed.agent.is_adopted => {
            format!("Closed {project}/{name}: what runs in its pane was adopted, and goes on\n")
        }
        _ => format!("Closed {project}/{name}: {} processes ended\n", closed.ended),
    };
    for (pid, program) in &closed.left {
        let _ = writeln!(card, "Still there: process {pid} ({})", visible(program));
    }
    if !closed.released.is_empty() {
        let _ = writeln!(card, "Open again: {}", closed.released.join(", "));
    }
    if let Some(workspace) = &closed.workspace {
        let _ = writeln!(card, "Its checkout is gone: {}", visible(&workspace.path));
        card.push_str(&released::card(workspace));
    }
    let nexts = closed.workspace.as_ref().map(released::nexts).unwrap_or_default();
    let observed = agents::observe_one(ctx, closed.agent);
    let left = closed.left.into_iter().map(|(pid, name)| ProcessView { pid, name });
    let data = AgentClosed {
        agent: AgentView::new(project, &observed),
        ended: closed.ended,
        left: left.collect(),
        released: closed.released,
        workspace: closed.workspace.as_ref().map(WorkspaceFreed::from),
    };
    Report::new(outcome, data)
        .card(card)
        .nexts(nexts)
        .next("see who is left", format!("drover agent list -p {project}"))
}
