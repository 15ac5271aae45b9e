//! `me`: who the caller is and what it holds.

use drover_store::agents::Agent;
use drover_store::projects::{self, Project};
use drover_store::tasks::{self, Query, Sort, Task};

use crate::actor::Actor;
use crate::ctx::Ctx;
use crate::error::Result;
use crate::resolve;

/// The caller.
#[derive(Debug, Clone)]
pub struct Me {
    /// The word in the log.
    pub word: String,
    /// The agent, when it is one.
    pub agent: Option<Agent>,
    /// The project that is meant, when there is one.
    pub project: Option<Project>,
    /// The tasks it holds, with their projects.
    pub tasks: Vec<(Project, Task)>,
}

/// Which of the tasks that the caller holds are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// Those in progress.
    Active,
    /// The open and the closed ones, too.
    All,
}

/// Who acts, and what it holds.
pub fn me(ctx: &Ctx, which: Held) -> Result<Me> {
    let tx = ctx.read();
    let agent = match ctx.actor() {
        Actor::Agent(agent) => Some((**agent).clone()),
        Actor::Person { .. } | Actor::Part(_) => None,
    };
    let held = match (&agent, which) {
        (Some(agent), Held::Active) => tasks::held_by(&tx, &agent.uid)?,
        (Some(agent), Held::All) => tasks::claimed(&tx, &agent.uid)?,
        (None, which) => held_by_person(ctx, which)?,
    };
    let mut tasks = Vec::new();
    for task in held {
        if let Some(project) = projects::by_pk(&tx, task.project_pk)? {
            tasks.push((project, task));
        }
    }
    let project = match &agent {
        Some(agent) => projects::by_pk(&tx, agent.project_pk)?,
        None => resolve::project(ctx).ok(),
    };
    Ok(Me { word: ctx.actor().word(), agent, project, tasks })
}

fn held_by_person(ctx: &Ctx, which: Held) -> Result<Vec<Task>> {
    let tx = ctx.read();
    let statuses = match which {
        Held::Active => vec!["IN_PROGRESS".to_owned()],
        Held::All => Vec::new(),
    };
    let (holder, sort) = (Some(ctx.holder()), Sort::Recency);
    let query = Query { statuses, holder, sort, ..Query::default() };
    let mut held = Vec::new();
    for project in projects::list(&tx)? {
        held.extend(tasks::list(&tx, project.pk, &query)?);
    }
    held.sort_by(|one, two| two.updated_at.cmp(&one.updated_at));
    Ok(held)
}
