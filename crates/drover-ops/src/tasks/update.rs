//! `task update` and `task rename`: what a task says of itself.

use drover_core::name::TaskId;
use drover_store::projects::Project;
use drover_store::tasks::{self, Changes, Task};

use super::add::{check_numbers, free_id, owned_paths};
use super::shared;
use crate::ctx::Ctx;
use crate::error::{OpError, Result};
use crate::resolve;

/// What becomes of the verify command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Verify {
    /// It stays.
    #[default]
    Keep,
    /// It is this one.
    Set(String),
    /// There is none.
    Remove,
}

/// What to change; what is absent stays.
#[derive(Debug, Clone, Default)]
pub struct Update {
    /// The task.
    pub id: String,
    /// What is to be done.
    pub title: Option<String>,
    /// 1 to 100.
    pub impact: Option<i64>,
    /// Days of work, above 0.
    pub effort_days: Option<f64>,
    /// Repository paths that the work stays within; replaces them all.
    pub owns: Option<Vec<String>>,
    /// Labels; replaces them all.
    pub labels: Option<Vec<String>>,
    /// The command that proves it done.
    pub verify: Verify,
}

/// A task whose fields were written.
#[derive(Debug, Clone)]
pub struct Updated {
    /// Where.
    pub project: Project,
    /// The task, as it is now.
    pub task: Task,
    /// The fields that differ from before.
    pub changed: Vec<&'static str>,
}

/// Writes the fields that are given and differ.
pub fn update(ctx: &mut Ctx, request: &Update) -> Result<Updated> {
    let changes = changes(request)?;
    let (project, task) = resolve::task(ctx, &request.id)?;
    if let Some(title) = &changes.title {
        ctx.note_redactions(title);
    }
    ctx.write("task.update", |tx| {
        let before = shared::again(tx, &project, &task)?;
        tasks::update(tx, before.pk, &changes)?;
        let task = shared::again(tx, &project, &before)?;
        Ok(Updated { changed: differing(&before, &task), project, task })
    })
}

fn changes(request: &Update) -> Result<Changes> {
    check_numbers(request.impact.unwrap_or(1), request.effort_days.unwrap_or(1.0))?;
    let changes = Changes {
        title: request.title.as_deref().map(shared::title).transpose()?,
        impact: request.impact,
        effort_days: request.effort_days,
        owns: request.owns.as_deref().map(owned_paths).transpose()?,
        labels: request.labels.as_deref().map(shared::labels).transpose()?,
        verify: match &request.verify {
            Verify::Keep => None,
            Verify::Remove => Some(None),
            Verify::Set(command) => {
                Some(Some((shared::command(command)?.to_owned(), "caller".to_owned())))
            }
        },
    };
    let is_empty = changes.title.is_none()
        && changes.impact.is_none()
        && changes.effort_days.is_none()
        && changes.owns.is_none()
        && changes.labels.is_none()
        && changes.verify.is_none();
    if is_empty {
        return Err(OpError::Usage(
            "there is nothing to update: name at least one field".to_owned(),
        ));
    }
    Ok(changes)
}

#[expect(clippy::float_cmp, reason = "a stored effort is compared with itself, not computed")]
fn differing(before: &Task, after: &Task) -> Vec<&'static str> {
    let fields = [
        ("title", before.title != after.title),
        ("impact", before.impact != after.impact),
        ("effort_days", before.effort_days != after.effort_days),
        ("owns", before.owns != after.owns),
        ("labels", before.labels != after.labels),
        ("verify", before.verify != after.verify),
    ];
    fields.into_iter().filter(|it| it.1).map(|it| it.0).collect()
}

/// A task under its new id.
#[derive(Debug, Clone)]
pub struct Renamed {
    /// Where.
    pub project: Project,
    /// The task, as it is now.
    pub task: Task,
    /// The id it had.
    pub was: String,
}

/// Gives a task another id, which must be free; edges, notes and claims stay with it.
pub fn rename(ctx: &mut Ctx, id: &str, new: &str) -> Result<Renamed> {
    let new = TaskId::parse_new(new)?;
    let (project, task) = resolve::task(ctx, id)?;
    ctx.write("task.rename", |tx| {
        let before = shared::again(tx, &project, &task)?;
        if before.id != new.as_str() {
            free_id(tx, &project, &new, true)?;
            tasks::rename(tx, before.pk, new.as_str())?;
        }
        let task = shared::again(tx, &project, &before)?;
        Ok(Renamed { project, task, was: before.id })
    })
}
