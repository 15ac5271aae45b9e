//! `agent list`, `show`, `read` and `explain`: what agents are, do and display.

use drover_host::mux::{self, Capture, MuxError};
use drover_store::agents::{self, Agent};
use drover_store::projects::Project;

use super::look::Look;
use super::observe::{Observed, observed};
use super::orphans::{Orphan, orphans};
use super::reconcile::reconcile;
use crate::ctx::Ctx;
use crate::error::{AgentError, Result};
use crate::messages;
use crate::resolve;

/// The agents of a project, and those of its session that have no row.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The project.
    pub project: Project,
    /// Its agents, by name.
    pub agents: Vec<Observed>,
    /// Chat agents in panes of its session that nobody has told Drover of.
    pub orphans: Vec<Orphan>,
}

/// The agents of the project that is meant, by name, and those that could be adopted.
pub fn list(ctx: &mut Ctx) -> Result<Listed> {
    let project = resolve::project(ctx)?;
    let look = reconcile(ctx)?;
    let rows = agents::list(&ctx.read(), project.pk)?;
    let agents = messages::observe_delivering(ctx, &look, rows);
    let orphans = orphans(ctx, &look, &project)?;
    Ok(Listed { project, agents, orphans })
}

/// One agent and what it is doing.
pub fn show(ctx: &mut Ctx, name: &str) -> Result<(Project, Observed)> {
    let (project, agent) = resolve::agent(ctx, name)?;
    let look = reconcile(ctx)?;
    let agent = agents::by_pk(&ctx.read(), agent.pk)?.unwrap_or(agent);
    let seen = messages::observe_delivering(ctx, &look, vec![agent.clone()]).pop();
    let seen = seen.unwrap_or_else(|| observed(ctx, &look, agent));
    Ok((project, seen))
}

/// What one agent is doing.
pub fn observe_one(ctx: &Ctx, agent: Agent) -> Observed {
    let look = Look::at(ctx.env(), std::slice::from_ref(&agent));
    observed(ctx, &look, agent)
}

/// Refuses to touch an agent whose server does not answer: what runs there is not known.
pub(crate) fn check_answers(look: &Look, agent: &Agent) -> Result<()> {
    match look.silence(agent) {
        Some(why) => Err(AgentError::ServerSilent { name: agent.name.clone(), why }.into()),
        None => Ok(()),
    }
}

/// The text an agent's pane shows; `lines` from the end, all that is kept without.
pub fn screen(ctx: &Ctx, observed: &Observed, range: Capture) -> Result<String> {
    let agent = &observed.agent;
    let (Some(binding), Some(pane)) = (&agent.binding, &observed.pane) else {
        let why = observed.decided.reason.as_ref().unwrap_or(&observed.decided.evidence).clone();
        return Err(AgentError::NoPane { name: agent.name.clone(), why }.into());
    };
    let mux = mux::recorded(ctx.env(), &binding.mux, binding.mux_socket.as_ref())?;
    match mux.capture(&pane.id, range) {
        Err(MuxError::NoPane { .. }) => {
            let why = "it was closed just now".to_owned();
            Err(AgentError::NoPane { name: agent.name.clone(), why }.into())
        }
        other => Ok(other?),
    }
}
