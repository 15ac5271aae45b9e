//! `drover task block`, `unblock` and `reparent`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::tasks::{self, EdgesChanged};
use drover_ops::{Ctx, OpError};

use crate::input::{Input, parts, parts_or_none};
use crate::output::Report;
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::{TaskEdges, TaskReparented, TaskView};

/// Let tasks block a task: all of the edges, or none.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task block write_the_guide --by design_the_schema,build_the_page\n\nExit codes: 0 (also when they block it already), 3 unknown, a cycle, or another project's."
)]
pub(crate) struct Block {
    /// The task that waits: `<id>` or `<project>/<id>`.
    id: String,
    /// The tasks that must be done first; repeat or separate by commas.
    #[arg(short, long, required = true, value_delimiter = ',', value_name = "ID")]
    by: Vec<String>,
}

/// Take blockers off a task.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task unblock build_the_page --by design_the_schema\n\nExit codes: 0 (also when they did not block it), 3 unknown."
)]
pub(crate) struct Unblock {
    /// The task that waits: `<id>` or `<project>/<id>`.
    id: String,
    /// The tasks that it no longer waits for; repeat or separate by commas.
    #[arg(short, long, required = true, value_delimiter = ',', value_name = "ID")]
    by: Vec<String>,
}

/// Replace all blockers of a task.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task reparent build_the_page --blocked-by write_the_guide\n\nExit codes: 0 (also when they are the same), 3 unknown, a cycle, or another project's."
)]
pub(crate) struct Reparent {
    /// The task that waits: `<id>` or `<project>/<id>`.
    id: String,
    /// The only tasks that must be done first; '' for none.
    #[arg(short, long, required = true, value_delimiter = ',', value_name = "ID")]
    blocked_by: Vec<String>,
}

fn report(changed: &EdgesChanged, outcome: &str, words: [&str; 2]) -> Report {
    let (project, task) = (&changed.project.name, &changed.task);
    let [now, already] = words;
    let mut card = String::new();
    for edge in &changed.edges {
        let word = if edge.changed { now } else { already };
        let _ = writeln!(card, "{} {word} {}", edge.blocker, task.id);
    }
    let is_changed = changed.edges.iter().any(|it| it.changed);
    let data: TaskEdges = changed.into();
    let report = Report::new(if is_changed { outcome } else { "unchanged" }, data).card(card);
    if task.is_ready() {
        report.next("see what can start", format!("drover task next -p {project}"))
    } else {
        report.next("see what it waits for", format!("drover task why {project}/{}", task.id))
    }
}

impl Verb for Block {
    fn name(&self) -> &'static str {
        "task block"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let request = tasks::Edges { id: self.id.clone(), by: parts("--by", &self.by)? };
        let changed = tasks::block(ctx, &request)?;
        for id in &changed.hopeless {
            ctx.warn(format!("{id} was closed without being done, so it blocks for ever"));
        }
        Ok(report(&changed, "blocked", ["now blocks", "blocks already"]))
    }
}

impl Verb for Unblock {
    fn name(&self) -> &'static str {
        "task unblock"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let request = tasks::Edges { id: self.id.clone(), by: parts("--by", &self.by)? };
        let changed = tasks::unblock(ctx, &request)?;
        Ok(report(&changed, "unblocked", ["no longer blocks", "did not block"]))
    }
}

impl Verb for Reparent {
    fn name(&self) -> &'static str {
        "task reparent"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let by = parts_or_none("--blocked-by", &self.blocked_by)?;
        let reparented = tasks::reparent(ctx, &tasks::Edges { id: self.id.clone(), by })?;
        let (project, task) = (&reparented.project.name, &reparented.task);
        let blockers = if reparented.blockers.is_empty() {
            "nothing".to_owned()
        } else {
            reparented.blockers.join(", ")
        };
        let is_changed = !(reparented.added.is_empty() && reparented.removed.is_empty());
        let data = TaskReparented {
            task: TaskView::new(project, task),
            blocked_by: reparented.blockers.clone(),
            added: reparented.added.clone(),
            removed: reparented.removed.clone(),
        };
        Ok(Report::new(if is_changed { "reparented" } else { "unchanged" }, data)
            .card(format!("{} waits for {blockers}", task.id))
            .next("see what it waits for", format!("drover task why {project}/{}", task.id)))
    }
}
