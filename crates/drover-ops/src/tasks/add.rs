//! `task add`: a new task with its blockers and its first note.

use drover_core::name::{TaskId, slug};
use drover_core::task::{OwnedPath, State};
use drover_core::text::Text;
use drover_store::projects::Project;
use drover_store::tasks::{self, NewTask, Task};
use drover_store::{ReadTx, edges, notes};

use super::shared::{self, without_secret};
use crate::ctx::Ctx;
use crate::error::{OpError, Result, TaskError};
use crate::resolve;
use crate::roles::Caller;

/// What to add.
#[derive(Debug, Clone)]
pub struct Add {
    /// What is to be done.
    pub title: String,
    /// The id; made from the title when absent.
    pub id: Option<String>,
    /// 1 to 100.
    pub impact: i64,
    /// Days of work, above 0.
    pub effort_days: f64,
    /// Ids of tasks that must be done first.
    pub blocked_by: Vec<String>,
    /// A first note.
    pub note: Option<String>,
    /// Repository paths that the work stays within.
    pub owns: Vec<String>,
    /// Labels.
    pub labels: Vec<String>,
    /// The command that proves it done.
    pub verify: Option<String>,
    /// Proposed only: it must be admitted before it can start.
    pub triage: bool,
}

/// What was added.
#[derive(Debug, Clone)]
pub struct Added {
    /// Where.
    pub project: Project,
    /// The task.
    pub task: Task,
    /// What blocks it.
    pub blockers: Vec<String>,
    /// The id that the whole title would have made, when it was cut.
    pub uncut_id: Option<String>,
}

/// Adds a task, its edges and its note in one transaction.
pub fn add(ctx: &mut Ctx, request: &Add) -> Result<Added> {
    let project = resolve::project(ctx)?;
    let title = shared::title(&request.title)?;
    check_numbers(request.impact, request.effort_days)?;
    let (id, uncut_id) = wanted_id(request, &title)?;
    let owns = owned_paths(&request.owns)?;
    let labels = shared::labels(&request.labels)?;
    let verify = request.verify.as_deref().map(shared::command).transpose()?;
    let note = request.note.as_deref().map(|it| shared::prose("note", it)).transpose()?;
    let author = ctx.actor().word();
    // What workers and reviewers add are proposals, whatever they call it.
    let is_proposal = request.triage || Caller::of(ctx).is_some();
    let task = ctx.write("task.add", |tx| {
        let id = free_id(tx, &project, &id, request.id.is_some())?;
        let pk = tasks::insert(
            tx,
            project.pk,
            &NewTask {
                id: id.as_str(),
                title: &title,
                state: if is_proposal { State::Triage } else { State::Todo },
                impact: request.impact,
                effort_days: request.effort_days,
                owns: &owns,
                labels: &labels,
                verify: verify.map(|it| (it, "caller")),
                source: None,
            },
        )?;
        for blocker in &request.blocked_by {
            edges::insert(tx, blocker_in(tx, &project, blocker, id.as_str())?, pk)?;
        }
        if let Some(note) = &note {
            notes::insert(tx, pk, &author, note)?;
        }
        tasks::by_pk(tx, pk)?.ok_or_else(|| {
            TaskError::Exists { id: id.to_string(), project: project.name.clone() }.into()
        })
    })?;
    ctx.note_redactions(&title);
    if let Some(note) = &note {
        ctx.note_redactions(note);
    }
    let blockers = edges::blockers(&ctx.read(), task.pk)?.into_iter().map(|it| it.id).collect();
    Ok(Added { project, task, blockers, uncut_id })
}

/// Refuses an impact or an effort out of its range.
pub(crate) fn check_numbers(impact: i64, effort_days: f64) -> Result<()> {
    if !(1..=100).contains(&impact) {
        return Err(OpError::Usage(format!("the impact is {impact}, and it goes from 1 to 100")));
    }
    if !(effort_days.is_finite() && effort_days > 0.0) {
        return Err(OpError::Usage(format!(
            "the effort is {effort_days} days, and it must be above 0"
        )));
    }
    Ok(())
}

/// Owned paths as a JSON array, or a refusal that names the bad one.
pub(crate) fn owned_paths(paths: &[String]) -> Result<String> {
    for path in paths {
        without_secret("--owns", path)?;
    }
    let parsed = paths.iter().map(|it| OwnedPath::parse(it).map(|it| it.to_string()));
    let parsed: Vec<String> = parsed
        .collect::<std::result::Result<_, _>>()
        .map_err(|err| OpError::Usage(err.to_string()))?;
    Ok(serde_json::Value::from(parsed).to_string())
}

fn wanted_id(request: &Add, title: &Text) -> Result<(TaskId, Option<String>)> {
    if let Some(id) = &request.id {
        return Ok((TaskId::parse_new(id)?, None));
    }
    let slug = slug(title.as_str())?;
    let uncut = slug.truncated.then_some(slug.full);
    Ok((slug.id, uncut))
}

/// The id itself when it is free; a made one is numbered, a given one refused.
pub(crate) fn free_id(
    tx: &ReadTx<'_>,
    project: &Project,
    id: &TaskId,
    is_given: bool,
) -> Result<TaskId> {
    if tasks::find(tx, project.pk, id.as_str())?.is_none() {
        return Ok(id.clone());
    }
    if !is_given {
        for number in 2..=999 {
            let numbered = id.numbered(number);
            if tasks::find(tx, project.pk, numbered.as_str())?.is_none() {
                return Ok(numbered);
            }
        }
    }
    Err(TaskError::Exists { id: id.to_string(), project: project.name.clone() }.into())
}

/// The key of a blocker, which must be in the same project.
pub(crate) fn blocker_in(
    tx: &ReadTx<'_>,
    project: &Project,
    blocker: &str,
    blocked: &str,
) -> Result<i64> {
    let (named, id) = match blocker.split_once('/') {
        Some((name, id)) => (resolve::named(tx, name)?, id),
        None => (project.clone(), blocker),
    };
    let found = tasks::find(tx, named.pk, id)?;
    if let (Some(task), true) = (&found, named.pk == project.pk) {
        return Ok(task.pk);
    }
    let elsewhere = match found {
        Some(_) => Some(named.name.clone()),
        None => tasks::projects_with(tx, id)?.into_iter().map(|it| it.0).next(),
    };
    match elsewhere {
        Some(blocker_project) => Err(TaskError::CrossProject {
            blocker: id.to_owned(),
            blocker_project,
            blocked: blocked.to_owned(),
            blocked_project: project.name.clone(),
        }
        .into()),
        None => {
            let nearest = drover_core::name::nearest(id, tasks::ids(tx, project.pk)?, 3);
            Err(TaskError::Unknown { id: id.to_owned(), project: project.name.clone(), nearest }
                .into())
        }
    }
}
