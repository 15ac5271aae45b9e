//! `task delete`: a task, its edges and its notes, or a preview of that.

use drover_store::projects::Project;
use drover_store::tasks::{self, Attached, Task};
use drover_store::{ReadTx, edges};

use super::shared::{self, open_dependents};
use crate::ctx::Ctx;
use crate::error::Result;
use crate::resolve;

/// Whether to act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// Only show what would go.
    Preview,
    /// Delete.
    Given,
}

/// What was deleted, or would be.
#[derive(Debug, Clone)]
pub struct Deleted {
    /// Where.
    pub project: Project,
    /// The task as it was.
    pub task: Task,
    /// What goes with it.
    pub attached: Attached,
    /// Dependents that can start without it.
    pub unblocked: Vec<String>,
    /// Whether it is gone.
    pub is_deleted: bool,
}

/// Deletes a task with its edges and notes; its evidence and messages stay in the record.
pub fn delete(ctx: &mut Ctx, id: &str, consent: Consent) -> Result<Deleted> {
    let (project, task) = resolve::task(ctx, id)?;
    if consent == Consent::Preview {
        let tx = ctx.read();
        let (attached, unblocked) = (tasks::attached(&tx, task.pk)?, freed(&tx, &task)?);
        return Ok(Deleted { project, task, attached, unblocked, is_deleted: false });
    }
    ctx.write("task.delete", |tx| {
        let task = shared::again(tx, &project, &task)?;
        let (attached, unblocked) = (tasks::attached(tx, task.pk)?, freed(tx, &task)?);
        tasks::delete(tx, task.pk)?;
        Ok(Deleted { project, task, attached, unblocked, is_deleted: true })
    })
}

/// The dependents whose only open blocker is this task.
fn freed(tx: &ReadTx<'_>, task: &Task) -> Result<Vec<String>> {
    let mut freed = Vec::new();
    if task.state.satisfies_edge() {
        return Ok(freed);
    }
    for end in open_dependents(tx, task.pk)? {
        let open = edges::blockers(tx, end.pk)?.into_iter().filter(|it| !it.is_satisfied()).count();
        if open == 1 {
            freed.push(end.id);
        }
    }
    Ok(freed)
}
