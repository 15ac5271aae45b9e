//! `agent abort`: the end of a running turn, over the engine's own channel.

use std::time::Duration;

use drover_core::agent::Presence;
use drover_core::duration::Limit;
use drover_store::agents::Agent;
use drover_store::projects::Project;
use jiff::Timestamp;

use super::channel::Channel;
use super::deliver;
use super::driver::{Aborted, Driver};
use crate::agents::{self, Observed};
use crate::ctx::Ctx;
use crate::error::{AgentError, OpError, Result};
use crate::resolve;
use crate::waiting::{Event, Waiter};

/// Between two looks at an agent that was told to stop.
const POLL: Duration = Duration::from_millis(250);

/// Whose turn to stop, and how long it may take until that is seen.
#[derive(Debug, Clone)]
pub struct Abort {
    /// The agent: `<name>` or `<project>/<name>`.
    pub name: String,
    /// How long.
    pub timeout: Limit,
}

/// An agent whose turn was stopped, or that had none.
#[derive(Debug, Clone)]
pub struct Stopping {
    /// Where.
    pub project: Project,
    /// What it did before.
    pub before: Observed,
    /// What it does now; as before in a dry run.
    pub after: Observed,
    /// Whether a turn was running.
    pub was_busy: bool,
}

/// Stops the running turn of an agent and returns when it is seen idle.
///
/// No message is delivered meanwhile: what waits in the outbox begins a turn of its own afterwards.
pub fn abort(ctx: &mut Ctx, request: &Abort) -> Result<Stopping> {
    let (project, agent) = resolve::agent(ctx, &request.name)?;
    agents::reconcile(ctx)?;
    let agent = resolve::agent_in(&ctx.read(), &project, &agent.name)?;
    let before = agents::observe_one(ctx, agent.clone());
    if before.decided.state == Presence::Exited {
        let why = before.decided.evidence.clone();
        return Err(AgentError::NotRunning { name: agent.name, why }.into());
    }
    let driver = driver(ctx, &project, &agent)?;
    let until = request.timeout.deadline(ctx.now());
    let lock = deliver::hold_pane(ctx, &agent)?;
    if ctx.is_dry_run() {
        ctx.act(format!("stop the turn of {}", agent.name), || Ok(()))?;
        let (after, was_busy) = (before.clone(), before.decided.state == Presence::Working);
        return Ok(Stopping { project, before, after, was_busy });
    }
    match driver.abort(ctx, &agent)? {
        Aborted::Refused(why) => Err(refused(&project, &agent, why)),
        Aborted::WasIdle => {
            let after = agents::observe_one(ctx, agent);
            Ok(Stopping { project, before, after, was_busy: false })
        }
        Aborted::Stopped => {
            let after = until_idle(ctx, &project, &agent, until)?;
            drop(lock);
            // Who was told that it is idle while we had the lock has gone, and Escape calls no hook.
            if let Err(err) = deliver::deliver_due(ctx, &agent) {
                ctx.warn(format!("nothing was sent to {}: {err}", agent.name));
            }
            Ok(Stopping { project, before, after, was_busy: true })
        }
    }
}

fn driver(ctx: &Ctx, project: &Project, agent: &Agent) -> Result<Box<dyn Driver>> {
    match Channel::of(ctx, agent, None)? {
        Channel::Exact(driver) => Ok(driver),
        Channel::Screen(_) | Channel::Shell | Channel::Blind => {
            let engine = &agent.profile.engine;
            let why = format!("{engine} has no channel over which a turn is stopped");
            Err(refused(project, agent, why))
        }
    }
}

fn refused(project: &Project, agent: &Agent, why: String) -> OpError {
    let (name, project) = (agent.name.clone(), project.name.clone());
    AgentError::NotStopped { name, project, why }.into()
}

/// What an agent does once it is seen idle, or dead.
fn until_idle(
    ctx: &mut Ctx,
    project: &Project,
    agent: &Agent,
    until: Option<Timestamp>,
) -> Result<Observed> {
    let mut waiter = Waiter::start(ctx)?;
    loop {
        let seen = agents::observe_one(ctx, agent.clone());
        let (name, state) = (agent.name.clone(), seen.decided.state);
        match state {
            Presence::Idle => return Ok(seen),
            Presence::Exited => {
                let why = seen.decided.evidence;
                return Err(AgentError::NotRunning { name, why }.into());
            }
            Presence::Starting
            | Presence::Working
            | Presence::NeedsInput
            | Presence::NeedsPermission
            | Presence::Limited
            | Presence::Unknown => {}
        }
        match waiter.wait_at_most(ctx, until, POLL)? {
            Event::Changed | Event::Tick => {}
            Event::Deadline => {
                let project = project.name.clone();
                return Err(
                    AgentError::StillBusy { name, project, state: state.to_string() }.into()
                );
            }
            Event::Interrupted => {
                return Err(OpError::Interrupted(format!("{name} was told to stop its turn")));
            }
        }
    }
}
