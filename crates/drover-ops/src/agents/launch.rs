//! One launch: a pane that runs our launcher, and its answer; and taking a launch back.

use std::os::fd::AsFd as _;
use std::path::Path;
use std::time::Duration;

use drover_core::agent::Lifecycle;
use drover_core::step;
use drover_core::text::Text;
use drover_host::fifo::{Fifo, FifoError};
use drover_host::mux::{
    self, Listing, Mux, MuxError, PaneId, PaneIds, ServerState, SessionId, SpawnPane, WindowId,
};
use drover_host::proc;
use drover_store::agents::{self, Agent};
use drover_store::projects::Project;
use drover_store::time_text;

use super::place::{self, Window};
use crate::ctx::Ctx;
use crate::error::{AgentError, Result};
use crate::workspaces;

/// How long a launcher may take until its program runs.
pub(crate) const LAUNCH_LIMIT: Duration = Duration::from_secs(30);

/// Where a program is started.
pub(crate) enum Target {
    /// In a window of its own in the project's session.
    NewPane,
    /// In a pane that is there, ending what runs in it.
    Pane(PaneId),
}

/// When a launch that begins now counts as failed.
pub(crate) fn deadline(ctx: &Ctx) -> String {
    let limit = jiff::SignedDuration::try_from(LAUNCH_LIMIT).unwrap_or_default();
    time_text(ctx.now().saturating_add(limit).unwrap_or(jiff::Timestamp::MAX))
}

/// Starts the launcher of an agent whose row says `launching` or `restoring` and waits until its program runs.
///
/// Returns the agent as it is then; in a dry run as it was. When this fails the caller takes the
/// launch back.
pub(crate) fn launch(
    ctx: &mut Ctx,
    project: &Project,
    agent: Agent,
    nonce: &str,
    target: &Target,
) -> Result<Agent> {
    let mux = server(ctx, &agent)?;
    let program = place::launcher(ctx, &agent, nonce)?;
    let window_name = agent.tab.clone().unwrap_or_else(|| agent.name.clone());
    let window = if agent.tab.is_some() { Window::Shared } else { Window::Own };
    let pane = SpawnPane { window_name, program };
    let (fifo, locks) = (place::fifo(ctx, &agent.uid, nonce)?, place::locks(ctx)?);
    let what = match target {
        Target::NewPane => {
            format!("make a {} pane for {} in {}", mux.name(), agent.name, agent.profile.cwd)
        }
        Target::Pane(pane) => format!("run {} again in the pane {pane}", agent.name),
    };
    let name = agent.name.clone();
    let made = ctx.act(what, || {
        let mut fifo = Fifo::create(&fifo)?;
        let pid = match target {
            Target::NewPane => {
                Some(place::new_pane(mux.as_ref(), &locks, project, (&pane, window))?.pid)
            }
            Target::Pane(id) => {
                mux.respawn(id, &pane.program)?;
                None
            }
        };
        Ok(answer(&mut fifo, pid))
    })?;
    let Some(answer) = made else { return Ok(agent) };
    let now = agents::by_pk(&ctx.read(), agent.pk)?.unwrap_or(agent);
    match answer {
        Ok(None) if !now.lifecycle.has_deadline() => Ok(now),
        // Nothing was heard in time, and yet it has bound itself: it runs.
        Err(_) if now.lifecycle.is_running() => Ok(now),
        Ok(None) => {
            let why = "its launcher ended without a word".to_owned();
            Err(AgentError::NotStarted { name, why }.into())
        }
        Ok(Some(why)) => Err(AgentError::NotStarted { name, why }.into()),
        Err(err) => Err(AgentError::NotStarted { name, why: err.to_string() }.into()),
    }
}

/// The server that an agent is, or is to be, launched on.
pub(crate) fn server(ctx: &Ctx, agent: &Agent) -> Result<Box<dyn Mux>> {
    Ok(match &agent.server {
        Some((backend, socket)) => mux::recorded(ctx.env(), backend, Path::new(socket))?,
        None => mux::for_new_panes(ctx.env())?,
    })
}

/// Waits for the launcher's end as a launcher: what it said, if it failed.
fn answer(fifo: &mut Fifo, pid: Option<u32>) -> std::result::Result<Option<String>, FifoError> {
    let process = pid.and_then(proc::identity).as_ref().and_then(proc::pidfd);
    fifo.wait(LAUNCH_LIMIT, process.as_ref().map(|it| it.as_fd()))
}

/// Takes back a first launch: its pane, its workspace, its row. `false` when it runs after all.
///
/// The row is failed first, so that a launcher on its way finds itself refused.
pub(crate) fn take_back(ctx: &mut Ctx, agent: &Agent, why: &str) -> Result<bool> {
    let Some(nonce) = agent.nonce.clone() else { return Ok(false) };
    let why = Text::new(why);
    let is_ours = ctx.step("agent.fail", |tx| {
        let now = agents::by_pk(tx, agent.pk)?.map(|it| it.lifecycle);
        Ok(now == Some(Lifecycle::Failed) || agents::abandon(tx, agent.pk, &nonce, &why)?)
    })?;
    if !is_ours {
        return Ok(false);
    }
    clear(ctx, agent, &nonce)?;
    // Work in it, as of a setup hook, keeps the workspace, and the failed agent names it.
    if !workspaces::undo_prepare(ctx, agent.pk)? {
        return Ok(true);
    }
    ctx.step("agent.undo", |tx| Ok(agents::undo(tx, agent.pk, &nonce)?))?;
    Ok(true)
}

/// Closes what was made for a launch that is over: its pane, its fifo.
pub(crate) fn clear(ctx: &mut Ctx, agent: &Agent, nonce: &str) -> Result<()> {
    let mux = server(ctx, agent)?;
    let (uid, fifo) = (agent.uid.clone(), place::fifo(ctx, &agent.uid, nonce)?);
    ctx.act(format!("close what is left of the launch of {}", agent.name), || {
        remove_pane(mux.as_ref(), &uid, nonce)?;
        remove_fifo(&fifo);
        Ok(())
    })?;
    Ok(())
}

/// Closes the panes that were made for a launch; those of other launches of the agent stay.
fn remove_pane(mux: &dyn Mux, uid: &str, nonce: &str) -> Result<()> {
    let listing = mux.panes()?;
    if let ServerState::NoAnswer { reason } = listing.server {
        return Err(MuxError::NoAnswer { socket: mux.socket().to_owned(), reason }.into());
    }
    for pane in panes_of_launch(&listing, uid, nonce) {
        mux.kill_pane(&pane)?;
    }
    Ok(())
}

fn panes_of_launch(listing: &Listing, uid: &str, nonce: &str) -> Vec<PaneId> {
    let is_of_launch = |command: &str| {
        command.contains("agent-launch") && command.contains(uid) && command.contains(nonce)
    };
    let panes = listing.panes.iter();
    panes.filter(|it| is_of_launch(&it.start_command)).map(|it| it.id.clone()).collect()
}

pub(crate) fn remove_fifo(path: &Path) {
    // The launcher may have been here first.
    let _ = std::fs::remove_file(path);
    step::reached("file");
}

/// The ids of a bound agent's pane, as the multiplexer takes them.
pub(crate) fn pane_ids(agent: &Agent) -> Result<Option<PaneIds>> {
    let Some(binding) = &agent.binding else { return Ok(None) };
    let ids = || -> std::result::Result<PaneIds, MuxError> {
        Ok(PaneIds {
            session: SessionId::parse(&binding.session_id)?,
            window: WindowId::parse(&binding.window_id)?,
            pane: PaneId::parse(&binding.pane_id)?,
            pid: u32::try_from(binding.pane.pid).unwrap_or(0),
        })
    };
    Ok(Some(ids()?))
}
