//! Landing in passing: every branch whose agent holds nothing goes onto the trunk.

use std::path::Path;

use drover_host::workspace::git;
use drover_store::projects::Project;
use drover_store::workspaces::{self as rows, Workspace};
use drover_store::{agents, tasks};

use super::board::Crew;
use super::types::{Dispatcher, LandFailure, LandedBranch, Pass, Tips};
use crate::ctx::Ctx;
use crate::error::{OpError, Result};
use crate::workspaces::{self, Land};

/// Lands the branch of every agent that is idle and holds nothing; what failed is tried again only when
/// the branch or the trunk has moved.
pub(super) fn land_closed(
    ctx: &mut Ctx,
    dispatcher: &mut Dispatcher,
    crew: &Crew,
    pass: &mut Pass,
) -> Result<()> {
    let project = dispatcher.project.clone();
    for workspace in rows::list(&ctx.read(), project.pk)? {
        if workspace.state != "ready" {
            continue;
        }
        let Some(agent) = agents::by_pk(&ctx.read(), workspace.agent_pk)? else { continue };
        let Some(tips) = tips(&project, &workspace)? else { continue };
        pass.unlanded += 1;
        if !is_at_rest(ctx, crew, &workspace)? || dispatcher.tried.get(&agent.name) == Some(&tips) {
            continue;
        }
        ctx.new_group()?;
        match workspaces::land(
            ctx,
            &Land { agent: format!("{}/{}", project.name, agent.name), ..Land::default() },
        ) {
            Ok(landed) => {
                ctx.commit()?;
                if let Some(commit) = landed.commit.filter(|_| !landed.is_repeat) {
                    pass.landed.push(LandedBranch { agent: agent.name.clone(), commit });
                }
                pass.unlanded -= 1;
                dispatcher.tried.remove(&agent.name);
            }
            Err(err @ (OpError::Workspace(_) | OpError::Git(_))) => {
                ctx.commit()?;
                dispatcher.tried.insert(agent.name.clone(), tips);
                pass.failures.push(LandFailure { agent: agent.name, why: err.to_string() });
            }
            Err(err) => return Err(err),
        }
    }
    Ok(())
}

/// Whether nobody works in a workspace: its agent is idle or gone, and holds no task in progress.
fn is_at_rest(ctx: &Ctx, crew: &Crew, workspace: &Workspace) -> Result<bool> {
    let Some(agent) = agents::by_pk(&ctx.read(), workspace.agent_pk)? else { return Ok(false) };
    let is_quiet = crew.is_idle(agent.pk) || !agent.lifecycle.may_have_pane();
    Ok(is_quiet && tasks::held_by(&ctx.read(), &agent.uid)?.is_empty())
}

/// Where the branch and the trunk are; `None` when the trunk holds the branch already.
fn tips(project: &Project, workspace: &Workspace) -> Result<Option<Tips>> {
    let repository = Path::new(&workspace.source);
    let trunk = workspaces::trunk(&project.name);
    let branch = git::resolve(repository, &format!("refs/heads/{}", workspace.branch))?;
    let tip = git::resolve(repository, &format!("refs/heads/{trunk}"))?;
    if git::is_ancestor(repository, &branch, &tip)? {
        return Ok(None);
    }
    Ok(Some(Tips { branch: branch.as_str().to_owned(), trunk: tip.as_str().to_owned() }))
}
