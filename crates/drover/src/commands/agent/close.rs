//! `drover agent close`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::{Ctx, OpError, agents};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::{AgentClosed, AgentView, ProcessView};

/// End an agent's processes, close its pane and free its name.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent close w1\n\nExit codes: 0 (again, too), 3 unknown, 5 its multiplexer does not answer, 6 processes are left."
)]
pub(crate) struct Close {
    /// The agent: `<name>` or `<project>/<name>`.
    name: String,
}

impl Verb for Close {
    fn name(&self) -> &'static str {
        "agent close"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let closed = agents::close(ctx, &agents::Close { name: self.name.clone() })?;
        let project = &closed.project.name;
        let name = closed.agent.name.clone();
        let outcome = match (closed.is_repeat, closed.left.is_empty()) {
            (true, _) => "already_closed",
            (false, true) => "closed",
            (false, false) => "closed_in_part",
        };
        let mut card = match outcome {
            "already_closed" => format!("{project}/{name} was closed before.\n"),
            _ => format!("Closed {project}/{name}: {} processes ended\n", closed.ended),
        };
        for (pid, program) in &closed.left {
            let _ = writeln!(card, "Still there: process {pid} ({})", visible(program));
        }
        if !closed.released.is_empty() {
            let _ = writeln!(card, "Open again: {}", closed.released.join(", "));
        }
        let observed = agents::observe_one(ctx, closed.agent);
        let left = closed.left.into_iter().map(|(pid, name)| ProcessView { pid, name });
        let data = AgentClosed {
            agent: AgentView::new(project, &observed),
            ended: closed.ended,
            left: left.collect(),
            released: closed.released,
        };
        Ok(Report::new(outcome, data)
            .card(card)
            .next("see who is left", format!("drover agent list -p {project}")))
    }
}
