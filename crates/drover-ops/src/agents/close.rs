//! `agent close`: the end of an agent's processes, pane and row; its name is free again.

use std::path::Path;
use std::time::Duration;

use drover_core::workspace::{Loss, LossKind};
use drover_host::mux::{self, MuxError};
use drover_host::proc::{self, Ended};
use drover_store::agents::{self, Agent};
use drover_store::projects::Project;
use drover_store::tasks;
use drover_store::workspaces as workspace_rows;

use super::look::{Look, identity};
use super::reconcile::{self, reconcile};
use super::{launch, list, place};
use crate::ctx::Ctx;
use crate::engines;
use crate::error::{Ending, Result};
use crate::resolve;
use crate::usage;
use crate::workspaces::{self, How, Released};

/// How long a launch under way may take to end.
const LOCK_LIMIT: Duration = Duration::from_mins(1);
const WHY: &str = "it was closed";
/// How long a process has between the signals that end it.
const GRACE: Duration = Duration::from_secs(5);

/// What to close and what becomes of its workspace.
#[derive(Debug, Clone, Default)]
pub struct Close {
    /// The agent: `<name>` or `<project>/<name>`.
    pub name: String,
    /// How its workspace is let go.
    pub how: How,
    /// Says that a discard is meant.
    pub yes: bool,
}

/// What became of it.
#[derive(Debug, Clone)]
pub enum Closing {
    /// It is closed.
    Done(Box<Closed>),
    /// A discard was not confirmed: this is what would go, and be kept as a rescue.
    Preview {
        /// Where.
        project: Project,
        /// The agent.
        agent: Box<Agent>,
        /// What would go.
        losses: Vec<Loss>,
        /// What would have it refused.
        held: Vec<Loss>,
    },
}

/// An agent that was closed.
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
    /// What became of its workspace; none when it had none.
    pub workspace: Option<Released>,
}

/// Ends an agent; one that is closed already is left as it is.
pub fn close(ctx: &mut Ctx, request: &Close) -> Result<Closing> {
    let (project, name) = resolve::project_and_name(ctx, &request.name)?;
    reconcile(ctx)?;
    if agents::find(&ctx.read(), project.pk, &name)?.is_none()
        && let Some(agent) = agents::last_closed(&ctx.read(), project.pk, &name)?
    {
        return Ok(Closing::Done(Box::new(closed_before(project, agent))));
    }
    let agent = resolve::agent_in(&ctx.read(), &project, &name)?;
    if request.how == How::Discard && !request.yes {
        let losses = losses(ctx, &project, &agent, How::Safe)?;
        let is_live = |it: &Loss| it.kind == LossKind::LiveProcess;
        let (held, losses) = losses.into_iter().partition(is_live);
        return Ok(Closing::Preview { project, agent: Box::new(agent), losses, held });
    }
    close_agent(ctx, &project, &agent, request.how).map(|it| Closing::Done(Box::new(it)))
}

/// Closes one agent: refusals first, then its processes, its workspace, its row.
pub(crate) fn close_agent(
    ctx: &mut Ctx,
    project: &Project,
    agent: &Agent,
    how: How,
) -> Result<Closed> {
    let locks = place::locks(ctx)?;
    let _lock = locks.lock(&place::launch_lock(project, &agent.name), LOCK_LIMIT)?;
    // A launch that was under way has bound it meanwhile, or taken it back.
    let agent = &resolve::agent_in(&ctx.read(), project, &agent.name)?;
    let look = Look::at(ctx.env(), std::slice::from_ref(agent));
    list::check_answers(&look, agent)?;
    let losses = losses(ctx, project, agent, how)?;
    if !losses.is_empty() {
        let whose = (project.name.as_str(), agent.name.as_str());
        return Err(workspaces::refusal(whose, (how, Ending::Close), losses));
    }
    // Before its end, which the death hook would take for a loss.
    let mut released = release_tasks(ctx, agent)?;
    let ended = end(ctx, &look, agent)?;
    // Nobody looks into its files later.
    usage::refresh(ctx, std::slice::from_ref(agent));
    let workspace = workspaces::release(ctx, project, agent, how)?;
    // What it claimed with its last breath is open again, too.
    released.extend(ctx.step("agent.close", |tx| {
        let released = reconcile::release_tasks(tx, agent, WHY)?;
        agents::close(tx, agent.pk)?;
        Ok(released)
    })?);
    engines::forget(ctx.state_path(), agent);
    let left = ended.left.iter().map(|it| (it.identity.pid, it.name.clone())).collect();
    Ok(Closed {
        project: project.clone(),
        agent: agents::by_pk(&ctx.read(), agent.pk)?.unwrap_or_else(|| agent.clone()),
        is_repeat: false,
        ended: ended.ended.len(),
        left,
        released,
        workspace,
    })
}

fn release_tasks(ctx: &mut Ctx, agent: &Agent) -> Result<Vec<String>> {
    if tasks::held_by(&ctx.read(), &agent.uid)?.is_empty() {
        return Ok(Vec::new());
    }
    ctx.step("agent.close", |tx| reconcile::release_tasks(tx, agent, WHY))
}

fn closed_before(project: Project, agent: Agent) -> Closed {
    let (left, released) = (Vec::new(), Vec::new());
    Closed { project, agent, is_repeat: true, ended: 0, left, released, workspace: None }
}

/// What a close would lose of the agent's workspace, its own processes left out: they end with it.
pub(crate) fn losses(ctx: &Ctx, project: &Project, agent: &Agent, how: How) -> Result<Vec<Loss>> {
    let mut losses = workspaces::obstacles(ctx, project, agent, how)?;
    if let Some(at) = losses.iter().position(|it| it.kind == LossKind::LiveProcess) {
        let strangers = Loss::of(LossKind::LiveProcess, strangers(ctx, agent)?);
        losses.splice(at..=at, strangers);
    }
    Ok(losses)
}

/// The processes that work in an agent's workspace and are not its own, as pid and name.
fn strangers(ctx: &Ctx, agent: &Agent) -> Result<Vec<String>> {
    let Some(row) = workspace_rows::of_agent(&ctx.read(), agent.pk)? else { return Ok(Vec::new()) };
    let caller = proc::own_identity();
    let own = match &agent.binding {
        Some(binding) => proc::tree_of(&identity(&binding.pane), Some(&agent.uid)),
        None => Vec::new(),
    };
    Ok(proc::in_directory(Path::new(&row.path))
        .into_iter()
        .filter(|it| !own.contains(it) && Some(&it.identity) != caller.as_ref())
        .map(|it| format!("{} {}", it.identity.pid, it.name))
        .collect())
}

/// Ends the processes of an agent and closes its pane, if its server says that it is its own.
///
/// What was adopted stays as it is, without our marks.
fn end(ctx: &mut Ctx, look: &Look, agent: &Agent) -> Result<Ended> {
    if agent.is_adopted {
        return let_go(ctx, look, agent).map(|()| Ended::default());
    }
    let ended = end_processes(ctx, look, agent)?;
    if look.pane(agent).is_some()
        && let (Some(ids), Some(binding)) = (launch::pane_ids(agent)?, &agent.binding)
    {
        let mux = mux::recorded(ctx.env(), &binding.mux, Path::new(&binding.mux_socket))?;
        ctx.act(format!("close the pane {}", ids.pane), || Ok(mux.kill_pane(&ids.pane)?))?;
    }
    Ok(ended)
}

fn let_go(ctx: &mut Ctx, look: &Look, agent: &Agent) -> Result<()> {
    let (Some(pane), Some(binding)) = (look.pane(agent), &agent.binding) else { return Ok(()) };
    let mux = mux::recorded(ctx.env(), &binding.mux, Path::new(&binding.mux_socket))?;
    let marks = ["@drover_uid", "@drover_state", "@drover_label"];
    let what = format!("take our marks off the pane {}", pane.id);
    ctx.act(what, || match mux.unset_pane_options(&pane.id, &marks) {
        Ok(()) | Err(MuxError::NoPane { .. } | MuxError::NoServer { .. }) => Ok(()),
        Err(err) => Err(err.into()),
    })?;
    Ok(())
}

/// Ends all that an agent has started, by process and start time, never by name.
///
/// Its pane loses the mark of the death hook first: this end is known, and the hook's process would
/// stand in the agent's directory.
pub(crate) fn end_processes(ctx: &mut Ctx, look: &Look, agent: &Agent) -> Result<Ended> {
    let Some(binding) = &agent.binding else { return Ok(Ended::default()) };
    let (root, uid) = (identity(&binding.pane), agent.uid.clone());
    let mux = mux::recorded(ctx.env(), &binding.mux, Path::new(&binding.mux_socket))?;
    let pane = look.pane(agent).map(|it| it.id.clone());
    let ended = ctx.act(format!("end the processes of {}", agent.name), || {
        if let Some(pane) = &pane {
            match mux.set_pane_options(pane, &[("@drover_state", "closing")]) {
                Ok(()) | Err(MuxError::NoPane { .. } | MuxError::NoServer { .. }) => {}
                Err(err) => return Err(err.into()),
            }
        }
        Ok(proc::end_tree(&root, Some(&uid), GRACE))
    })?;
    Ok(ended.unwrap_or_default())
}
