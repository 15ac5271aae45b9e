//! `agent wait`: until agents are idle, gone, or in need of a person.

use drover_core::agent::Presence;
use drover_core::duration::Limit;
use drover_store::agents::Agent;
use drover_store::projects::Project;

use super::look::{self, Watched};
use super::need::{AgentState, End, Need};
use crate::agents::Observed;
use crate::ctx::Ctx;
use crate::error::{OpError, Result};
use crate::resolve;
use crate::waiting::{Event, Waiter};

/// Which agents to wait for, and how long.
#[derive(Debug, Clone)]
pub struct AgentWait {
    /// The agents.
    pub names: Vec<String>,
    /// How many of them.
    pub need: Need,
    /// How long.
    pub timeout: Limit,
}

/// An agent that was waited for.
#[derive(Debug, Clone)]
pub struct WaitedAgent {
    /// Its project.
    pub project: Project,
    /// What was seen of it last.
    pub observed: Observed,
    /// Where it stands.
    pub state: AgentState,
    /// Whether it was seen at work.
    pub was_busy: bool,
}

/// How a wait for agents ended.
#[derive(Debug, Clone)]
pub struct AgentWaited {
    /// Each agent, in the order given.
    pub agents: Vec<WaitedAgent>,
    /// How it ended.
    pub end: End,
}

/// Waits until the agents wait for work, are gone, or need a person.
///
/// One that is idle already counts at once: the run that was waited for may be over.
pub fn wait_for_agents(ctx: &mut Ctx, request: &AgentWait) -> Result<AgentWaited> {
    let mut wanted: Vec<(Project, Agent)> = Vec::new();
    for name in &request.names {
        let (project, agent) = resolve::agent(ctx, name)?;
        if !wanted.iter().any(|it| it.1.uid == agent.uid) {
            wanted.push((project, agent));
        }
    }
    if wanted.is_empty() {
        return Err(OpError::Usage("no agent is named".to_owned()));
    }
    let uids: Vec<String> = wanted.iter().map(|it| it.1.uid.clone()).collect();
    let until = request.timeout.deadline(ctx.now());
    let mut waiter = Waiter::start(ctx)?;
    let mut seen: Vec<Watched> = Vec::new();
    let mut is_idle = vec![false; wanted.len()];
    let mut event = None;
    loop {
        seen = look::look(ctx, &uids, &seen)?;
        let agents = stand(&wanted, &seen, &mut is_idle);
        if let Some(end) = end(&agents, request.need, event) {
            return Ok(AgentWaited { agents, end });
        }
        warn_once(ctx, &agents, event.is_none());
        event = Some(waiter.wait_at_most(ctx, until, look::POLL)?);
    }
}

/// Where each agent stands; one that was idle once stays so.
fn stand(wanted: &[(Project, Agent)], seen: &[Watched], is_idle: &mut [bool]) -> Vec<WaitedAgent> {
    let stood = wanted.iter().zip(is_idle).filter_map(|((project, agent), is_idle)| {
        let watched = seen.iter().find(|it| it.seen.agent.uid == agent.uid)?;
        let state = match watched.state() {
            Presence::Exited => AgentState::Died,
            Presence::Idle => {
                *is_idle = true;
                AgentState::Idle
            }
            _ if *is_idle => AgentState::Idle,
            other if look::needs_person(other) => AgentState::NeedsPerson,
            _ => AgentState::Waiting,
        };
        let (observed, was_busy) = (watched.seen.clone(), watched.was_busy);
        Some(WaitedAgent { project: project.clone(), observed, state, was_busy })
    });
    stood.collect()
}

/// How the wait ends now, if it does; a death counts more than a need, and that more than time.
fn end(agents: &[WaitedAgent], need: Need, event: Option<Event>) -> Option<End> {
    let has = |state: AgentState| agents.iter().any(|it| it.state == state);
    let is_over = match need {
        Need::All => !has(AgentState::Waiting),
        Need::Any => agents.iter().any(|it| it.state != AgentState::Waiting),
    };
    let ended = if has(AgentState::Died) {
        End::Died
    } else if has(AgentState::NeedsPerson) {
        End::NeedsPerson
    } else {
        End::Reached
    };
    match event {
        _ if is_over => Some(ended),
        Some(Event::Interrupted) => Some(End::Interrupted),
        Some(Event::Deadline) if ended == End::Reached => Some(End::TimedOut),
        Some(Event::Deadline) => Some(ended),
        Some(Event::Changed | Event::Tick) | None => None,
    }
}

/// Says of agents about which nothing can be known that the wait may be a long one.
fn warn_once(ctx: &mut Ctx, agents: &[WaitedAgent], is_first: bool) {
    for agent in agents.iter().filter(|_| is_first) {
        let decided = &agent.observed.decided;
        if decided.state == Presence::Unknown {
            let why = decided.reason.as_ref().unwrap_or(&decided.evidence);
            ctx.warn(format!("what {} does is not known: {why}", agent.observed.agent.name));
        }
    }
}
