//! How one project, or every project, stands.

use drover_core::task::State as TaskState;
use drover_host::workspace::git::Commit;
use drover_store::agents::{self as agent_rows, Agent};
use drover_store::log::{self, Filter};
use drover_store::projects::{self, Project};
use drover_store::tasks::{self, Query, Sort, Task};

use super::needs;
use super::types::Need;
use crate::agents::{Look, Observed, Orphan, orphans, reconcile};
use crate::ctx::Ctx;
use crate::error::{OpError, ProjectError, Result};
use crate::log::{Item, items};
use crate::messages;
use crate::resolve;
use crate::roles;
use crate::tasks::{Tracks, tracks};
use crate::usage::{self, Usage};
use crate::workspaces::{self, Glanced, Orphan as WorkspaceOrphan};

/// How many tasks each list of `state` shows at most.
const SHOWN: u32 = 10;
/// How many tracks it shows at most.
const SHOWN_TRACKS: usize = 10;

/// How one project stands.
#[derive(Debug, Clone)]
pub struct ProjectState {
    /// The project.
    pub project: Project,
    /// What waits on a person, the most urgent first.
    pub needs: Vec<Need>,
    /// Its agents and what they do.
    pub agents: Vec<Observed>,
    /// Chat agents in panes of its session that nobody has told Drover of.
    pub orphans: Vec<Orphan>,
    /// Its workspaces, and which of them would conflict with which.
    pub workspaces: Vec<Glanced>,
    /// Directories and rows of its workspaces that have lost each other.
    pub workspace_orphans: Vec<WorkspaceOrphan>,
    /// What its agents used, closed ones included.
    pub used: Usage,
    /// What each of its agents used, in their order.
    pub used_by: Vec<Usage>,
    /// How many tasks have each state.
    pub counts: Vec<(TaskState, i64)>,
    /// The best ready tasks.
    pub ready: Vec<Task>,
    /// The tasks in progress.
    pub in_progress: Vec<Task>,
    /// How many open tasks wait for others.
    pub blocked: i64,
    /// The tasks that were closed last.
    pub closed: Vec<Task>,
    /// The proposed tasks, oldest first.
    pub triage: Vec<Task>,
    /// Connected groups of open goals and what they need.
    pub tracks: Tracks,
    /// The ready task that was made first.
    pub oldest_ready: Option<Task>,
    /// What happened last, oldest first.
    pub recent: Vec<Item>,
    /// What came onto its trunk last, since it was made, newest first.
    pub commits: Vec<Commit>,
}

/// What `state` shows.
#[derive(Debug, Clone)]
pub struct State {
    /// The projects, by name.
    pub projects: Vec<ProjectState>,
}

/// The state of the project that is meant, or of every project; looks at every agent first.
///
/// Each tells the last `events` changes of its rows.
pub fn state(ctx: &mut Ctx, all: bool, events: u32) -> Result<State> {
    let wanted = chosen(ctx, all)?;
    let look = reconcile(ctx)?;
    let mut projects = Vec::new();
    for project in wanted {
        projects.push(of_project(ctx, &look, project, events)?);
    }
    Ok(State { projects })
}

fn chosen(ctx: &Ctx, all: bool) -> Result<Vec<Project>> {
    let every = || -> Result<Vec<Project>> {
        let listed = projects::list(&ctx.read())?;
        Ok(listed.into_iter().filter(|it| it.state != "archived").collect())
    };
    if all {
        roles::every_project(ctx)?;
        return every();
    }
    match resolve::project(ctx) {
        Ok(project) => Ok(vec![project]),
        Err(OpError::Project(ProjectError::Unclear { .. })) => every(),
        Err(err) => Err(err),
    }
}

fn of_project(ctx: &mut Ctx, look: &Look, project: Project, events: u32) -> Result<ProjectState> {
    workspaces::settle(ctx, &project)?;
    let rows = agent_rows::list(&ctx.read(), project.pk)?;
    let agents = messages::observe_delivering(ctx, look, rows);
    let orphans = orphans(ctx, look, &project)?;
    let crew: Vec<Agent> = agents.iter().map(|it| it.agent.clone()).collect();
    usage::refresh(ctx, &crew);
    let used = usage::of_project(ctx, &project)?;
    let used_by = crew.iter().map(|it| usage::of_agent(ctx, it)).collect::<Result<_>>()?;
    let tx = ctx.read();
    let (workspaces, workspace_orphans) = workspaces::glance(ctx, &project)?;
    let needs = needs::of_project(ctx, &project, &agents, &used)?;
    let proposed = Query {
        substates: vec!["triage".to_owned()],
        sort: Sort::Age,
        limit: Some(SHOWN),
        ..Query::default()
    };
    Ok(ProjectState {
        needs,
        agents,
        orphans,
        workspaces,
        workspace_orphans,
        used,
        used_by,
        counts: tasks::count_by_state(&tx, project.pk)?,
        ready: tasks::ready(&tx, project.pk, Some(SHOWN))?,
        in_progress: tasks::in_progress(&tx, project.pk)?,
        blocked: tasks::count_blocked(&tx, project.pk)?,
        closed: tasks::closed_last(&tx, project.pk, SHOWN)?,
        triage: tasks::list(&tx, project.pk, &proposed)?,
        tracks: tracks(&tx, &project, SHOWN_TRACKS)?,
        oldest_ready: tasks::oldest_ready(&tx, project.pk)?,
        recent: recent(ctx, &project, events)?,
        commits: workspaces::landed_last(ctx, &project)?,
        project,
    })
}

fn recent(ctx: &Ctx, project: &Project, count: u32) -> Result<Vec<Item>> {
    let (project, limit) = (Some(project.uid.clone()), Some(count));
    let ops = log::read(&ctx.read(), &Filter { project, limit, ..Filter::default() })?;
    items(ctx.read(), ops)
}
