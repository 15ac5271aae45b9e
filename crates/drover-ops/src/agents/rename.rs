//! `agent rename`: another name, also where it stands on tasks and on the window.

use std::path::Path;
use std::time::Duration;

use drover_core::agent::label;
use drover_core::name::AgentName;
use drover_host::mux;
use drover_store::agents::{self, Agent};
use drover_store::projects::Project;
use drover_store::tasks;

use super::look::Look;
use super::reconcile::reconcile;
use super::{labels, launch, place, spawn};
use crate::ctx::Ctx;
use crate::error::Result;
use crate::resolve;

const LOCK_LIMIT: Duration = Duration::from_mins(1);

/// An agent under its new name.
#[derive(Debug, Clone)]
pub struct Renamed {
    /// Where.
    pub project: Project,
    /// The agent.
    pub agent: Agent,
    /// The name it had.
    pub was: String,
}

/// Gives an agent another name; its tasks keep it as their holder.
pub fn rename(ctx: &mut Ctx, old: &str, new: &str) -> Result<Renamed> {
    let (project, agent) = resolve::agent(ctx, old)?;
    let new = AgentName::parse_new(new)?;
    reconcile(ctx)?;
    let locks = place::locks(ctx)?;
    let _lock = locks.lock(&place::launch_lock(&project, &agent.name), LOCK_LIMIT)?;
    let agent = resolve::agent_in(&ctx.read(), &project, &agent.name)?;
    let was = agent.name.clone();
    let look = Look::at(ctx.env(), std::slice::from_ref(&agent));
    let holder = format!("{new}@{}", ctx.machine());
    let renamed = ctx.step("agent.rename", |tx| {
        if let Some(there) = agents::find(tx, project.pk, new.as_str())?
            && there.pk != agent.pk
        {
            return Err(spawn::exists(&project, &there).into());
        }
        agents::rename(tx, agent.pk, new.as_str())?;
        tasks::rename_holder(tx, &agent.uid, &holder)?;
        Ok(agents::by_pk(tx, agent.pk)?.unwrap_or_else(|| agent.clone()))
    })?;
    if look.pane(&agent).is_some()
        && let (Some(ids), Some(binding)) = (launch::pane_ids(&agent)?, &agent.binding)
    {
        let mux = mux::recorded(ctx.env(), &binding.mux, Path::new(&binding.mux_socket))?;
        // A window that others share, or that a person has made, keeps its name.
        if agent.tab.is_none() && !agent.is_adopted {
            let effect = format!("rename the window {} to {new}", ids.window);
            ctx.act(effect, || Ok(mux.rename_window(&ids.window, new.as_str())?))?;
        }
        let held = tasks::held_by(&ctx.read(), &agent.uid)?;
        let held: Vec<String> = held.into_iter().map(|it| it.id).collect();
        if !ctx.is_dry_run() {
            labels::write(ctx, &agent, &ids.pane, &label::label(new.as_str(), &held));
        }
    }
    Ok(Renamed { project, agent: renamed, was })
}
