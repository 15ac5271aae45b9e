//! `agent close`: the end of an agent's processes, pane and row; its name is free again.

use std::path::Path;
use std::time::Duration;

use drover_host::mux;
use drover_host::proc::{self, Ended};
use drover_store::agents::{self, Agent};
use drover_store::projects::Project;

use super::look::{Look, identity};
use super::reconcile::{self, reconcile};
use super::{launch, list};
use crate::ctx::Ctx;
use crate::error::Result;
use crate::resolve;

/// How long a process has between the signals that end it.
const GRACE: Duration = Duration::from_secs(5);

/// What to close and what becomes of its workspace.
#[derive(Debug, Clone, Default)]
pub struct Close {
    /// The agent: `<name>` or `<project>/<name>`.
    pub name: String,
}

/// What became of an agent.
#[derive(Debug, Clone)]
pub struct Closed {
    /// Where.
    pub project: Project,
    /// The agent as it is now.
    pub agent: Agent,
    /// Whether it was closed before.
    pub is_repeat: bool,
    /// How many processes were ended.
    pub ended: usize,
    /// The processes that live in spite of everything, as pid and name.
    pub left: Vec<(u32, String)>,
    /// The tasks it held, which are open again.
    pub released: Vec<String>,
}

/// Ends an agent; one that is closed already is left as it is.
pub fn close(ctx: &mut Ctx, request: &Close) -> Result<Closed> {
    let (project, name) = resolve::project_and_name(ctx, &request.name)?;
    reconcile(ctx)?;
    if agents::find(&ctx.read(), project.pk, &name)?.is_none()
        && let Some(agent) = agents::last_closed(&ctx.read(), project.pk, &name)?
    {
        let (ended, left, released) = (0, Vec::new(), Vec::new());
        return Ok(Closed { project, agent, is_repeat: true, ended, left, released });
    }
    let agent = resolve::agent_in(&ctx.read(), &project, &name)?;
    let ended = end(ctx, &agent)?;
    let released = ctx.step("agent.close", |tx| {
        let why = "it was closed";
        let released = reconcile::release_tasks(tx, &agent, why)?;
        agents::close(tx, agent.pk)?;
        Ok(released)
    })?;
    let agent = agents::by_pk(&ctx.read(), agent.pk)?.unwrap_or(agent);
    let left = ended.left.iter().map(|it| (it.identity.pid, it.name.clone())).collect();
    Ok(Closed { project, agent, is_repeat: false, ended: ended.ended.len(), left, released })
}

/// Ends the processes of an agent and closes its pane, if its server says that it is its own.
///
/// Refused, before anything is ended, while its server does not answer.
fn end(ctx: &mut Ctx, agent: &Agent) -> Result<Ended> {
    let look = Look::at(ctx.env(), std::slice::from_ref(agent));
    list::check_answers(&look, agent)?;
    let ended = end_processes(ctx, agent)?;
    if look.pane(agent).is_some()
        && let (Some(ids), Some(binding)) = (launch::pane_ids(agent)?, &agent.binding)
    {
        let mux = mux::recorded(ctx.env(), &binding.mux, Path::new(&binding.mux_socket))?;
        ctx.act(format!("close the pane {}", ids.pane), || Ok(mux.kill_pane(&ids.pane)?))?;
    }
    Ok(ended)
}

/// Ends all that an agent has started, by process and start time, never by name.
pub(crate) fn end_processes(ctx: &mut Ctx, agent: &Agent) -> Result<Ended> {
    let Some(binding) = &agent.binding else { return Ok(Ended::default()) };
    let (root, uid) = (identity(&binding.pane), agent.uid.clone());
    let ended = ctx.act(format!("end the processes of {}", agent.name), || {
        Ok(proc::end_tree(&root, Some(&uid), GRACE))
    })?;
    Ok(ended.unwrap_or_default())
}
