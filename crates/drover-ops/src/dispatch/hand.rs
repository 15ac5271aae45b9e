//! Handing one task to one agent: its checkout brought onto the trunk, the claim, and the word to begin.

use std::path::Path;

use drover_host::mux::{self, PaneId};
use drover_host::workspace::git::{self, Refresh, RefreshBy};
use drover_store::agents::Agent;
use drover_store::projects::Project;
use drover_store::tasks::{self, Task};
use drover_store::workspaces::{self as rows, Workspace};

use crate::ctx::Ctx;
use crate::error::{DispatchError, Result};
use crate::{agents, messages, words, workspaces};

/// Claims a task for an agent and tells it to begin; a word that cannot be given releases the claim.
pub(super) fn hand(ctx: &mut Ctx, project: &Project, task: &Task, agent: &Agent) -> Result<()> {
    if let Some(workspace) = rows::of_agent(&ctx.read(), agent.pk)? {
        bring_to_trunk(ctx, project, &workspace)?;
    }
    claim(ctx, task, agent)?;
    let told = tell(ctx, agent);
    if told.is_err() {
        ctx.new_group()?;
        ctx.step("task.release", |tx| {
            Ok(tasks::release(tx, task.pk, drover_core::task::State::Todo)?)
        })?;
    }
    told
}

/// Brings a clean checkout whose work is landed onto the trunk, so that new work sees what came before.
fn bring_to_trunk(ctx: &mut Ctx, project: &Project, workspace: &Workspace) -> Result<()> {
    let path = Path::new(&workspace.path);
    let trunk = git::resolve(path, &format!("refs/heads/{}", workspaces::trunk(&project.name)))?;
    let what = format!("bring {} onto {}", workspace.branch, workspaces::trunk(&project.name));
    let moved = ctx.act(what, || Ok(git::refresh(path, &trunk, RefreshBy::Rebase)?))?;
    match moved {
        Some(Refresh::Conflict(files)) => {
            let files = files.iter().map(|it| it.display().to_string()).collect();
            Err(DispatchError::NotOnTrunk { branch: workspace.branch.clone(), files }.into())
        }
        Some(Refresh::Moved(_)) => {
            ctx.new_group()?;
            ctx.step("workspace.refresh", |tx| {
                Ok(rows::set_base(tx, workspace.pk, trunk.as_str())?)
            })
        }
        Some(Refresh::UpToDate) | None => Ok(()),
    }
}

fn claim(ctx: &mut Ctx, task: &Task, agent: &Agent) -> Result<()> {
    let holder = format!("{}@{}", agent.name, ctx.machine());
    ctx.new_group()?;
    let is_taken = ctx.step("task.claim", |tx| {
        let now = tasks::by_pk(tx, task.pk)?;
        let is_ready = now.is_some_and(|it| it.is_ready() && it.claimed_by.is_none());
        Ok(is_ready && tasks::claim(tx, task.pk, &holder, Some(&agent.uid))?)
    })?;
    if is_taken { Ok(()) } else { Err(DispatchError::Taken { task: task.id.clone() }.into()) }
}

/// Tells an agent to work on what it holds.
pub(super) fn tell(ctx: &mut Ctx, agent: &Agent) -> Result<()> {
    match agent.profile.takes_work.as_str() {
        "run" => type_work(ctx, agent),
        other => {
            let (agent, takes_work) = (agent.name.clone(), other.to_owned());
            Err(DispatchError::TakesNoWork { agent, takes_work }.into())
        }
    }
}

/// Types the one fixed line into the agent's own shell; it holds nothing that anybody wrote.
fn type_work(ctx: &mut Ctx, agent: &Agent) -> Result<()> {
    let Some(binding) = agent.binding.clone() else { return Ok(()) };
    let program = agents::own_program()?;
    let line = format!("{} me work", words::quote(&program.to_string_lossy()));
    let pane = PaneId::parse(&binding.pane_id).map_err(mux::MuxError::from)?;
    let mux = mux::recorded(ctx.env(), &binding.mux, Path::new(&binding.mux_socket))?;
    let what = format!("tell {} to work", agent.name);
    // A text that somebody types there now must not be cut in two by the line.
    let _lock = messages::hold_pane(ctx, agent)?;
    ctx.act(what, || Ok(mux.type_line(&pane, &line)?)).map(|_| ())
}
