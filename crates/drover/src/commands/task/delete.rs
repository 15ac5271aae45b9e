//! `drover task delete`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::tasks::{self, Consent};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, one_line};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::{TaskDeleted, TaskView};

/// Delete a task with its edges and notes; without --yes show what would go.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task delete write_the_guide --yes\n\nExit codes: 0 (also for the preview), 3 unknown, 4 held by another."
)]
pub(crate) struct Delete {
    /// The task: `<id>` or `<project>/<id>`.
    id: String,
    /// Do it.
    #[arg(short, long)]
    yes: bool,
}

impl Verb for Delete {
    fn name(&self) -> &'static str {
        "task delete"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let consent = if self.yes { Consent::Given } else { Consent::Preview };
        let deleted = tasks::delete(ctx, &self.id, consent)?;
        let (project, task, attached) = (&deleted.project.name, &deleted.task, deleted.attached);
        let verb = if deleted.is_deleted { "Deleted" } else { "Would delete" };
        let mut card = format!(
            "{verb} {} ({}) with {} edges and {} notes: {}\n",
            task.id,
            task.state,
            attached.edges,
            attached.notes,
            one_line(&task.title)
        );
        if let Some(holder) = &task.claimed_by {
            let _ = writeln!(card, "Held by {}", one_line(holder));
        }
        if !deleted.unblocked.is_empty() {
            let _ = writeln!(card, "Can start without it: {}", deleted.unblocked.join(", "));
        }
        let data = TaskDeleted {
            task: TaskView::new(project, task),
            deleted: deleted.is_deleted,
            group: (deleted.is_deleted && !ctx.is_dry_run()).then(|| ctx.group().to_owned()),
            edges: attached.edges,
            notes: attached.notes,
            unblocked: deleted.unblocked.clone(),
        };
        if deleted.is_deleted {
            let undo = format!("drover undo {} --yes", ctx.group());
            return Ok(Report::new("deleted", data).card(card).next("take it back", undo));
        }
        Ok(Report::new("preview", data)
            .card(card)
            .next("do it", format!("drover task delete {project}/{} --yes", task.id)))
    }
}
