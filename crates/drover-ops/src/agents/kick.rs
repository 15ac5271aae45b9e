//! `agent kick`: a signal to what an agent has in front on its terminal, when it hangs.

use drover_core::agent::reap::{self, Reap};
use drover_host::proc::{self, Kicked, StopSignal};
use drover_store::agents::Agent;
use drover_store::projects::Project;

use super::look::{Look, identity};
use super::reconcile::reconcile;
use crate::ctx::Ctx;
use crate::error::{AgentError, Result};
use crate::resolve;

/// Whom to kick and how hard.
#[derive(Debug, Clone)]
pub struct Kick {
    /// The agent: `<name>` or `<project>/<name>`.
    pub name: String,
    /// The signal.
    pub signal: StopSignal,
}

/// Who got a signal.
#[derive(Debug, Clone)]
pub struct Signalled {
    /// Where.
    pub project: Project,
    /// The agent.
    pub agent: Agent,
    /// The process group and the name of its leader; none in a dry run.
    pub group: Option<(u32, String)>,
}

/// Signals the process group in front on the agent's terminal, never the agent's own program.
pub fn kick(ctx: &mut Ctx, request: &Kick) -> Result<Signalled> {
    let (project, agent) = resolve::agent(ctx, &request.name)?;
    reconcile(ctx)?;
    let agent = resolve::agent_in(&ctx.read(), &project, &agent.name)?;
    let name = agent.name.clone();
    let look = Look::at(ctx.env(), std::slice::from_ref(&agent));
    let not_running =
        |why: &str| AgentError::NotRunning { name: name.clone(), why: why.to_owned() };
    match look.probe(&agent).as_ref().map(reap::verdict) {
        Some(Reap::Alive) => {}
        Some(Reap::Gone { proof, .. }) => return Err(not_running(proof).into()),
        Some(Reap::Unknown { reason }) => {
            return Err(AgentError::ServerSilent { name, why: reason }.into());
        }
        None => return Err(not_running(agent.lifecycle.as_str()).into()),
    }
    let Some(binding) = &agent.binding else { return Err(not_running("it has no pane").into()) };
    let own = identity(&binding.pane);
    let kicked = ctx
        .act(format!("signal what {name} has in front"), || Ok(proc::kick(&own, request.signal)))?;
    let group = match kicked {
        None => None,
        Some(Kicked::Signalled { group, program }) => Some((group, program)),
        Some(Kicked::OwnProgram) => {
            return Err(AgentError::NothingToKick { name, project: project.name }.into());
        }
        Some(Kicked::Gone) => return Err(not_running("its process is gone").into()),
    };
    Ok(Signalled { project, agent, group })
}
