//! `project teardown`: the end of a project, its agents and its rows; work is never lost by it.

use std::collections::BTreeSet;

use drover_core::workspace::Loss;
use drover_store::agents::{self, Agent};
use drover_store::projects::{self, Counts, Project};
use drover_store::workspaces;

use crate::agents as verbs;
use crate::ctx::Ctx;
use crate::error::{ProjectError, Result};
use crate::resolve;
use crate::workspaces::How;

/// What to tear down.
#[derive(Debug, Clone)]
pub struct Teardown {
    /// The project.
    pub name: String,
    /// Says that it is meant.
    pub yes: bool,
}

/// What is, or was, torn down.
#[derive(Debug, Clone)]
pub struct TornDown {
    /// The project.
    pub project: Project,
    /// How many rows go with it.
    pub counts: Counts,
    /// Its agents, by name.
    pub agents: Vec<String>,
    /// The checkouts that go, each with its agent.
    pub workspaces: Vec<(String, String)>,
    /// Branches that stay in the repository: the integration branch and those that were kept.
    pub branches: Vec<String>,
    /// What would be lost, by agent; while there is anything, only a preview is possible.
    pub losses: Vec<(String, Vec<Loss>)>,
    /// Whether it is done.
    pub is_done: bool,
    /// Processes that live in spite of everything, as pid and name.
    pub left: Vec<(u32, String)>,
}

/// Closes every agent of a project and deletes its rows; without `yes` only says what would go.
///
/// Refused while a workspace holds work that is not landed. The project's session goes with its
/// last pane: one that a person has opened there keeps it.
pub fn teardown(ctx: &mut Ctx, request: &Teardown) -> Result<TornDown> {
    ctx.people_only("project teardown")?;
    let project = resolve::named(&ctx.read(), &request.name)?;
    verbs::reconcile(ctx)?;
    let running = agents::list(&ctx.read(), project.pk)?;
    let mut torn = preview(ctx, project, &running)?;
    if !request.yes {
        return Ok(torn);
    }
    if !torn.losses.is_empty() {
        let (name, losses) = (torn.project.name, torn.losses);
        return Err(ProjectError::WouldLose { name, losses }.into());
    }
    let servers = servers(ctx, &torn.project, &running)?;
    for agent in &running {
        torn.left.extend(verbs::close_agent(ctx, &torn.project, agent, How::Safe)?.left);
    }
    delete(ctx, &torn.project)?;
    verbs::remove_hooks(ctx, &servers)?;
    torn.is_done = true;
    Ok(torn)
}

fn preview(ctx: &Ctx, project: Project, running: &[Agent]) -> Result<TornDown> {
    let mut losses = Vec::new();
    for agent in running {
        let lost = verbs::losses(ctx, &project, agent, How::Safe)?;
        if !lost.is_empty() {
            losses.push((agent.name.clone(), lost));
        }
    }
    let tx = ctx.read();
    let mut branches = BTreeSet::new();
    let repository = projects::repository(&tx, project.pk)?;
    if repository.is_some_and(|it| it.kind != crate::workspaces::Kind::Copy.word()) {
        branches.insert(crate::workspaces::trunk(&project.name));
    }
    let kept = workspaces::list(&tx, project.pk)?;
    let checkouts = kept.iter().filter(|it| it.state != "branch_only").filter_map(|it| {
        let agent = running.iter().find(|agent| agent.pk == it.agent_pk)?;
        Some((agent.name.clone(), it.path.clone()))
    });
    let checkouts = checkouts.collect();
    branches.extend(kept.into_iter().filter(|it| it.state == "branch_only").map(|it| it.branch));
    Ok(TornDown {
        workspaces: checkouts,
        counts: projects::counts(&tx, project.pk)?,
        agents: running.iter().map(|it| it.name.clone()).collect(),
        branches: branches.into_iter().collect(),
        losses,
        is_done: false,
        left: Vec::new(),
        project,
    })
}

/// The servers that panes of the project are or were on.
fn servers(ctx: &Ctx, project: &Project, running: &[Agent]) -> Result<BTreeSet<(String, String)>> {
    let place = projects::place(&ctx.read(), project.pk)?.map(|it| (it.mux, it.mux_socket));
    Ok(running.iter().filter_map(|it| it.server.clone()).chain(place).collect())
}

/// Deletes the rows, unless an agent was started meanwhile.
fn delete(ctx: &mut Ctx, project: &Project) -> Result<()> {
    ctx.step("project.teardown", |tx| {
        let started = agents::list(tx, project.pk)?;
        if !started.is_empty() {
            let agents = started.into_iter().map(|it| it.name).collect();
            return Err(ProjectError::Busy { name: project.name.clone(), agents }.into());
        }
        Ok(projects::delete(tx, project.pk)?)
    })
}
