//! `task block`, `unblock` and `reparent`: edges, each verb all or nothing.

use std::collections::BTreeSet;

use drover_store::projects::Project;
use drover_store::tasks::{self, Task};
use drover_store::{ReadTx, WriteTx, edges, order};

use super::add::blocker_in;
use super::shared;
use crate::ctx::Ctx;
use crate::error::{Result, TaskError};
use crate::resolve;

/// A task and those that are to block it, or no longer.
#[derive(Debug, Clone)]
pub struct Edges {
    /// The blocked task.
    pub id: String,
    /// The blockers.
    pub by: Vec<String>,
}

/// One edge and whether it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeChange {
    /// The blocker.
    pub blocker: String,
    /// Whether it was added or removed just now.
    pub changed: bool,
}

/// What became of the edges of a task.
#[derive(Debug, Clone)]
pub struct EdgesChanged {
    /// Where.
    pub project: Project,
    /// The blocked task, as it is now.
    pub task: Task,
    /// Each blocker that was named, once.
    pub edges: Vec<EdgeChange>,
    /// Blockers that were closed without being done, and so block for ever.
    pub hopeless: Vec<String>,
}

/// Which blockers a task has now, and which it lost and got.
#[derive(Debug, Clone)]
pub struct Reparented {
    /// Where.
    pub project: Project,
    /// The blocked task, as it is now.
    pub task: Task,
    /// Its blockers.
    pub blockers: Vec<String>,
    /// Those that are new.
    pub added: Vec<String>,
    /// Those that are gone.
    pub removed: Vec<String>,
}

/// Adds edges; those that are there stay.
pub fn block(ctx: &mut Ctx, request: &Edges) -> Result<EdgesChanged> {
    let (project, task) = resolve::task(ctx, &request.id)?;
    ctx.write("task.block", |tx| {
        let task = shared::again(tx, &project, &task)?;
        let blockers = blockers(tx, &project, &task, &request.by)?;
        let mut edges = Vec::new();
        for blocker in &blockers {
            edges.push(EdgeChange {
                changed: add_edge(tx, &project, blocker, &task)?,
                blocker: blocker.id.clone(),
            });
        }
        let is_hopeless = |it: &&Task| it.state.is_closed() && !it.state.satisfies_edge();
        let hopeless = blockers.iter().filter(is_hopeless).map(|it| it.id.clone()).collect();
        let task = shared::again(tx, &project, &task)?;
        Ok(EdgesChanged { project, task, edges, hopeless })
    })
}

/// Removes edges; those that are not there are passed over.
pub fn unblock(ctx: &mut Ctx, request: &Edges) -> Result<EdgesChanged> {
    let (project, task) = resolve::task(ctx, &request.id)?;
    ctx.write("task.unblock", |tx| {
        let task = shared::again(tx, &project, &task)?;
        let mut edges = Vec::new();
        for blocker in blockers(tx, &project, &task, &request.by)? {
            let changed = edges::delete(tx, blocker.pk, task.pk)?;
            edges.push(EdgeChange { blocker: blocker.id, changed });
        }
        let task = shared::again(tx, &project, &task)?;
        Ok(EdgesChanged { project, task, edges, hopeless: Vec::new() })
    })
}

/// Replaces the blockers of a task by those that are named, none for none.
pub fn reparent(ctx: &mut Ctx, request: &Edges) -> Result<Reparented> {
    let (project, task) = resolve::task(ctx, &request.id)?;
    ctx.write("task.reparent", |tx| {
        let task = shared::again(tx, &project, &task)?;
        let wanted = blockers(tx, &project, &task, &request.by)?;
        let mut removed = Vec::new();
        for end in edges::blockers(tx, task.pk)? {
            if !wanted.iter().any(|it| it.pk == end.pk) {
                edges::delete(tx, end.pk, task.pk)?;
                removed.push(end.id);
            }
        }
        let mut added = Vec::new();
        for blocker in &wanted {
            if add_edge(tx, &project, blocker, &task)? {
                added.push(blocker.id.clone());
            }
        }
        let blockers = edges::blockers(tx, task.pk)?.into_iter().map(|it| it.id).collect();
        let task = shared::again(tx, &project, &task)?;
        Ok(Reparented { project, task, blockers, added, removed })
    })
}

fn blockers(
    tx: &ReadTx<'_>,
    project: &Project,
    task: &Task,
    named: &[String],
) -> Result<Vec<Task>> {
    let mut seen = BTreeSet::new();
    let mut blockers = Vec::new();
    for id in named {
        let blocker = task_in(tx, project, id, &task.id)?;
        if seen.insert(blocker.pk) {
            blockers.push(blocker);
        }
    }
    Ok(blockers)
}

/// A task of the same project as `beside`, by `<id>` or `<project>/<id>`.
pub(super) fn task_in(tx: &ReadTx<'_>, project: &Project, id: &str, beside: &str) -> Result<Task> {
    let pk = blocker_in(tx, project, id, beside)?;
    tasks::by_pk(tx, pk)?.ok_or_else(|| {
        let (id, project) = (id.to_owned(), project.name.clone());
        TaskError::Unknown { id, project, nearest: Vec::new() }.into()
    })
}

fn add_edge(tx: &WriteTx<'_>, project: &Project, blocker: &Task, blocked: &Task) -> Result<bool> {
    check_path(tx, project, (blocker.pk, &blocker.id), (blocked.pk, &blocked.id))?;
    Ok(edges::insert(tx, blocker.pk, blocked.pk)?)
}

/// Refuses an edge that would close a cycle, with the whole cycle; else makes place for it in the order.
pub(super) fn check_path(
    tx: &WriteTx<'_>,
    project: &Project,
    (blocker, blocker_id): (i64, &str),
    (blocked, blocked_id): (i64, &str),
) -> Result<()> {
    let Some(back) = order::admit(tx, blocker, blocked)? else { return Ok(()) };
    let mut path = vec![blocker_id.to_owned()];
    for pk in back.into_iter().filter(|_| blocker != blocked) {
        path.push(tasks::by_pk(tx, pk)?.map_or_else(|| pk.to_string(), |it| it.id));
    }
    if blocker == blocked {
        path.push(blocked_id.to_owned());
    }
    let (blocker, blocked) = (blocker_id.to_owned(), blocked_id.to_owned());
    let project = project.name.clone();
    Err(TaskError::Cycle { project, blocker, blocked, path }.into())
}
