//! Landing in passing: every branch whose tasks are closed goes onto the trunk.

use std::path::Path;

use drover_host::workspace::git;
use drover_store::agents::Agent;
use drover_store::projects::Project;
use drover_store::workspaces::{self as rows, Workspace};
use drover_store::{agents, tasks};

use super::board::Crew;
use super::types::{Dispatcher, LandFailure, LandedBranch, Pass, Tips};
use crate::ctx::Ctx;
use crate::error::{OpError, Result};
use crate::waiting::is_interrupted;
use crate::workspaces::{self, Land};

/// Lands the branch of every agent that is at rest and holds nothing; what failed is tried again only when
/// the branch or the trunk has moved.
pub(super) fn land_closed(
    ctx: &mut Ctx,
    dispatcher: &mut Dispatcher,
    crew: &Crew,
    pass: &mut Pass,
) -> Result<()> {
    let project = dispatcher.project.clone();
    for workspace in rows::list(&ctx.read(), project.pk)? {
        if workspace.state != "ready" || is_interrupted() {
            continue;
        }
        let Some(agent) = agents::by_pk(&ctx.read(), workspace.agent_pk)? else { continue };
        let Some(tips) = tips(&project, &workspace)? else {
            dispatcher.tried.remove(&agent.name);
            dispatcher.unfinished.remove(&agent.name);
            continue;
        };
        pass.unlanded += 1;
        if !tasks::held_by(&ctx.read(), &agent.uid)?.is_empty() || crew.may_get_idle(agent.pk) {
            pass.landing_later += 1;
            continue;
        }
        let is_at_rest = crew.is_idle(agent.pk) || !agent.lifecycle.may_have_pane();
        if !is_at_rest || is_unfinished(ctx, dispatcher, (&agent, &workspace), pass)? {
            continue;
        }
        if dispatcher.tried.get(&agent.name) != Some(&tips) {
            land(ctx, dispatcher, (&agent, tips), pass)?;
        }
    }
    Ok(())
}

/// Whether a branch holds work that no done task speaks for; said once.
fn is_unfinished(
    ctx: &Ctx,
    dispatcher: &mut Dispatcher,
    (agent, workspace): (&Agent, &Workspace),
    pass: &mut Pass,
) -> Result<bool> {
    let Some(why) = workspaces::not_finished(ctx, &dispatcher.project, workspace)? else {
        dispatcher.unfinished.remove(&agent.name);
        return Ok(false);
    };
    if dispatcher.unfinished.insert(agent.name.clone()) {
        pass.failures.push(LandFailure { agent: agent.name.clone(), why });
    }
    Ok(true)
}

fn land(
    ctx: &mut Ctx,
    dispatcher: &mut Dispatcher,
    (agent, tips): (&Agent, Tips),
    pass: &mut Pass,
) -> Result<()> {
    let project = dispatcher.project.clone();
    ctx.new_group()?;
    let request = Land { agent: format!("{}/{}", project.name, agent.name), ..Land::default() };
    match workspaces::land(ctx, &request) {
        Ok(landed) => {
            finish_step(ctx)?;
            pass.unlanded -= 1;
            dispatcher.tried.remove(&agent.name);
            if !landed.is_repeat {
                let (agent, branch) = (agent.name.clone(), landed.branch);
                pass.landed.push(LandedBranch { agent, branch, commit: landed.commit });
            }
        }
        // Not a failure of the branch: it was stopped, and the watch ends of the same cause.
        Err(_) if is_interrupted() => finish_step(ctx)?,
        Err(err @ (OpError::Workspace(_) | OpError::Git(_))) => {
            finish_step(ctx)?;
            dispatcher.tried.insert(agent.name.clone(), tips);
            pass.failures.push(LandFailure { agent: agent.name.clone(), why: err.to_string() });
        }
        Err(err) => return Err(err),
    }
    Ok(())
}

/// Commits what a landing left to its caller; in a dry run it is rolled back with the rest.
fn finish_step(ctx: &mut Ctx) -> Result<()> {
    if ctx.is_dry_run() { Ok(()) } else { ctx.commit() }
}

/// Where the branch and the trunk are; `None` when the trunk holds the branch already, or one is gone.
fn tips(project: &Project, workspace: &Workspace) -> Result<Option<Tips>> {
    let repository = Path::new(&workspace.source);
    let branch = git::branch_tip(repository, &workspace.branch)?;
    let tip = git::branch_tip(repository, &workspaces::trunk(&project.name))?;
    let (Some(branch), Some(tip)) = (branch, tip) else { return Ok(None) };
    if git::holds(repository, &tip, &branch)? {
        return Ok(None);
    }
    Ok(Some(Tips { branch: branch.as_str().to_owned(), trunk: tip.as_str().to_owned() }))
}
