//! `task list`: the tasks of a project, narrowed and ordered.

use drover_core::task::{State, Status};
use drover_store::projects::Project;
use drover_store::tasks::{self, Query, Task};
use drover_store::{ReadTx, agents};

use crate::ctx::Ctx;
use crate::error::{OpError, Result};
use crate::resolve;

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
    /// The order.
    pub sort: Sort,
    /// At most so many.
    pub limit: Option<u32>,
}

/// What a listing found.
#[derive(Debug, Clone)]
pub struct TaskList {
    /// Where.
    pub project: Project,
    /// The tasks.
    pub tasks: Vec<Task>,
    /// How many there are without the limit.
    pub total: usize,
}

/// The tasks that a request lets through.
pub fn list(ctx: &Ctx, request: &List) -> Result<TaskList> {
    let statuses = words(&request.statuses, "status", Status::WORDS)?;
    let substates = words(&request.substates, "substate", &State::ALL.map(State::substate))?;
    let project = resolve::project(ctx)?;
    let tx = ctx.read();
    let holder = match &request.owner {
        Owner::Any => None,
        Owner::Caller => Some(ctx.actor().agent_uid().map_or_else(|| ctx.holder(), str::to_owned)),
        Owner::Named(name) => Some(holder(&tx, ctx.machine(), &project, name)?),
    };
    let query = Query { statuses, substates, holder, sort: request.sort, limit: request.limit };
    let tasks = tasks::list(&tx, project.pk, &query)?;
    let total = tasks::count(&tx, project.pk, &query)?;
    Ok(TaskList { project, tasks, total })
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
