//! `agent restart`: the same profile once more, in the same pane, under the same name.

use std::time::Duration;

use drover_core::agent::Lifecycle;
use drover_core::text::Text;
use drover_store::agents::{self, Agent};
use drover_store::projects::Project;

use super::close;
use super::launch::{self, Target};
use super::look::Look;
use super::reconcile::{self, reconcile};
use super::{list, place};
use crate::ctx::Ctx;
use crate::engines;
use crate::error::{AgentError, Result};
use crate::resolve;

const LOCK_LIMIT: Duration = Duration::from_mins(1);

/// An agent that was started anew.
#[derive(Debug, Clone)]
pub struct Restarted {
    /// Where.
    pub project: Project,
    /// The agent as it is now.
    pub agent: Agent,
    /// The tasks it held, which are open again: a new conversation knows nothing of them.
    pub released: Vec<String>,
}

/// Ends what an agent runs and starts it again with the profile it was launched with.
pub fn restart(ctx: &mut Ctx, name: &str) -> Result<Restarted> {
    let (project, agent) = resolve::agent(ctx, name)?;
    reconcile(ctx)?;
    let locks = place::locks(ctx)?;
    let _lock = locks.lock(&place::launch_lock(&project, &agent.name), LOCK_LIMIT)?;
    let agent = resolve::agent_in(&ctx.read(), &project, &agent.name)?;
    if agent.is_adopted {
        return Err(AgentError::Adopted { name: agent.name, project: project.name }.into());
    }
    let token = ctx.token_for(&format!("restart/{}", agent.uid))?;
    if agent.nonce.as_deref() == Some(token.as_str()) && agent.lifecycle != Lifecycle::Failed {
        // An earlier call with the same key got as far as this.
        return Ok(Restarted { project, agent, released: Vec::new() });
    }
    let look = Look::at(ctx.env(), std::slice::from_ref(&agent));
    list::check_answers(&look, &agent)?;
    let target = match look.pane(&agent) {
        Some(pane) => Target::Pane(pane.id.clone()),
        None => Target::NewPane,
    };
    let deadline_at = launch::deadline(ctx);
    // The row goes first, so that the end of the old process is not taken for the agent's.
    let (again, released) = ctx.step("agent.restart", |tx| {
        let released = reconcile::release_tasks(tx, &agent, "it was restarted")?;
        agents::relaunch(tx, agent.pk, &token, &deadline_at)?;
        agents::count_restart(tx, agent.pk)?;
        engines::begin_conversation(tx, &agent)?;
        Ok((agents::by_pk(tx, agent.pk)?.unwrap_or_else(|| agent.clone()), released))
    })?;
    close::end_processes(ctx, &look, &agent)?;
    match launch::launch(ctx, &project, again, &token, &target) {
        Ok(agent) => Ok(Restarted { project, agent, released }),
        Err(err) => {
            let why = Text::new(&err.to_string());
            ctx.step("agent.fail", |tx| Ok(agents::abandon(tx, agent.pk, &token, &why)?))?;
            Err(err)
        }
    }
}
