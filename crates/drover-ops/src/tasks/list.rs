//! `task list`: the tasks of a project, or of every project, narrowed and ordered.

use drover_core::task::{State, Status};
use drover_store::projects::{self, Project};
use drover_store::tasks::{self, Query, Task};
use drover_store::{ReadTx, agents};

use super::tracks::members;
use crate::ctx::Ctx;
use crate::error::{OpError, Result};
use crate::resolve;
use crate::roles;

pub use drover_store::tasks::Sort;

/// Whose tasks to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Owner {
    /// Everybody's and nobody's.
    #[default]
    Any,
    /// The caller's.
    Caller,
    /// An agent's, or a person's as `user:NAME`; `<name>@<machine>` where that is another machine.
    Named(String),
}

/// Which tasks to list.
#[derive(Debug, Clone, Default)]
pub struct List {
    /// Statuses in any case, as `open`; all when empty.
    pub statuses: Vec<String>,
    /// Substates in any case, as `parked`; all when empty.
    pub substates: Vec<String>,
    /// Whose.
    pub owner: Owner,
    /// Only those with this label.
    pub label: Option<String>,
    /// Only those of the track that this task belongs to.
    pub track: Option<String>,
    /// Those of every project, whichever is meant.
    pub is_all: bool,
    /// The order.
    pub sort: Sort,
    /// At most so many.
    pub limit: Option<u32>,
}

/// What a listing found.
#[derive(Debug, Clone)]
pub struct TaskList {
    /// Where; none for every project.
    pub project: Option<Project>,
    /// The tasks, each with the name of its project.
    pub tasks: Vec<(String, Task)>,
    /// How many there are without the limit.
    pub total: usize,
}

/// The tasks that a request lets through.
pub fn list(ctx: &Ctx, request: &List) -> Result<TaskList> {
    let statuses = words(&request.statuses, "status", Status::WORDS)?;
    let substates = words(&request.substates, "substate", &State::ALL.map(State::substate))?;
    let (label, sort, limit) = (request.label.clone(), request.sort, request.limit);
    let mut query = Query { statuses, substates, label, sort, limit, ..Query::default() };
    if request.is_all {
        roles::every_project(ctx)?;
        return list_all(ctx, request, &query);
    }
    let (project, owner) = match (&request.track, &request.owner) {
        (Some(id), owner) => {
            let (project, task) = resolve::task(ctx, id)?;
            query.keys = Some(members(&ctx.read(), &project, &task)?);
            (project, owner.clone())
        }
        // A name with its project says where to look.
        (None, Owner::Named(text)) if text.contains('/') => {
            let (project, name) = resolve::project_and_name(ctx, text)?;
            (project, Owner::Named(name))
        }
        (None, owner) => (resolve::project(ctx)?, owner.clone()),
    };
    let mut found = Found::default();
    found.add(ctx, &owner, (&project, &query))?;
    Ok(TaskList { project: Some(project), tasks: found.tasks, total: found.total })
}

/// The same over every project; an agent's name is asked of each, and must be known to one.
fn list_all(ctx: &Ctx, request: &List, query: &Query) -> Result<TaskList> {
    let (mut found, mut unknown, mut is_known) = (Found::default(), None, false);
    for project in projects::list(&ctx.read())?.into_iter().filter(|it| it.state != "archived") {
        match found.add(ctx, &request.owner, (&project, query)) {
            Ok(()) => is_known = true,
            Err(err @ OpError::Agent(_)) => unknown = Some(err),
            Err(err) => return Err(err),
        }
    }
    if let Some(err) = unknown.filter(|_| !is_known) {
        return Err(err);
    }
    let order = |one: &Task, two: &Task| match query.sort {
        Sort::Id => one.id.cmp(&two.id),
        Sort::Roi => two.roi.total_cmp(&one.roi),
        Sort::Recency => two.updated_at.cmp(&one.updated_at),
        Sort::Age => one.created_at.cmp(&two.created_at),
    };
    // Stable: what is equal stays in the order of its project.
    found.tasks.sort_by(|one, two| order(&one.1, &two.1));
    found.tasks.truncate(query.limit.map_or(usize::MAX, |it| it as usize));
    Ok(TaskList { project: None, tasks: found.tasks, total: found.total })
}

/// What was found so far.
#[derive(Debug, Default)]
struct Found {
    tasks: Vec<(String, Task)>,
    total: usize,
}

impl Found {
    fn add(
        &mut self,
        ctx: &Ctx,
        owner: &Owner,
        (project, query): (&Project, &Query),
    ) -> Result<()> {
        let tx = ctx.read();
        let holder = match owner {
            Owner::Any => None,
            Owner::Caller => {
                Some(ctx.actor().agent_uid().map_or_else(|| ctx.holder(), str::to_owned))
            }
            Owner::Named(name) => Some(holder(&tx, ctx.machine(), project, name)?),
        };
        let query = Query { holder, ..query.clone() };
        let tasks = tasks::list(&tx, project.pk, &query)?;
        self.tasks.extend(tasks.into_iter().map(|it| (project.name.clone(), it)));
        self.total += tasks::count(&tx, project.pk, &query)?;
        Ok(())
    }
}

/// Each word as it is stored; one that is none of `known` is refused.
fn words(given: &[String], what: &str, known: &[&'static str]) -> Result<Vec<String>> {
    let stored = given.iter().map(|word| {
        let found = known.iter().find(|it| it.eq_ignore_ascii_case(word));
        found.map(|it| (*it).to_owned()).ok_or_else(|| {
            OpError::Usage(format!("{word:?} is not a {what}; it is one of {}", known.join(", ")))
        })
    });
    stored.collect()
}

/// The uid of a live agent, or the stored text of a person, of another machine's agent or of one that is closed.
fn holder(tx: &ReadTx<'_>, machine: &str, project: &Project, name: &str) -> Result<String> {
    if name.contains('@') {
        return Ok(name.to_owned());
    }
    let text = format!("{name}@{machine}");
    if name.starts_with("user:") {
        return Ok(text);
    }
    if let Some(agent) = agents::find(tx, project.pk, name)? {
        return Ok(agent.uid);
    }
    let query = Query { holder: Some(text.clone()), ..Query::default() };
    if tasks::count(tx, project.pk, &query)? > 0 {
        return Ok(text);
    }
    resolve::agent_in(tx, project, name).map(|it| it.uid)
}
