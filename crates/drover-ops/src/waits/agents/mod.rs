//! `agent wait`: until turns of agents have ended, or agents are gone, or in need of a person.

use drover_core::agent::Presence;
use drover_core::duration::Limit;
use drover_store::projects::Project;

use super::look::{self, Watched};
use super::need::{AgentState, End, Need};
use crate::agents::Observed;
use crate::ctx::Ctx;
use crate::engines;
use crate::error::{OpError, Result};
use crate::reporters::Turn;
use crate::resolve;
use crate::waiting::{Event, Waiter};

/// Which agents to wait for, and how long.
#[derive(Debug, Clone)]
pub struct AgentWait {
    /// The agents.
    pub names: Vec<String>,
    /// How many of them.
    pub need: Need,
    /// Wait for a turn with a higher number, also one that ended before; none waits until they are idle.
    pub after_runs: Option<i64>,
    /// How long.
    pub timeout: Limit,
}

/// An agent that was waited for.
#[derive(Debug, Clone)]
pub struct WaitedAgent {
    /// Its project.
    pub project: Project,
    /// What was seen of it last, with the last turn that was seen at all.
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

/// An agent under watch.
struct Watch {
    project: Project,
    uid: String,
    /// How many of its turns had ended when it was first asked.
    first_turn: Option<i64>,
    /// The last turn that was seen.
    turn: Option<Turn>,
    /// Where it got; it stays there unless it dies.
    reached: Option<AgentState>,
}

/// Waits until the agents have ended the turn that is meant, are gone, or need a person.
///
/// Without `after_runs` one that is idle already counts at once: the turn that was meant may be over.
pub fn wait_for_agents(ctx: &mut Ctx, request: &AgentWait) -> Result<AgentWaited> {
    let mut watches = watches(ctx, request)?;
    let uids: Vec<String> = watches.iter().map(|it| it.uid.clone()).collect();
    let until = request.timeout.deadline(ctx.now());
    let mut waiter = Waiter::start(ctx)?;
    let mut seen: Vec<Watched> = Vec::new();
    let mut event = None;
    let mut empty_until = None;
    loop {
        seen = look::look(ctx, &uids, &seen)?;
        let stood = watches.iter_mut().filter_map(|it| it.stand(request.after_runs, &seen));
        let agents: Vec<WaitedAgent> = stood.collect();
        let is_settled = if agents.iter().any(is_wordless) {
            ctx.now() >= *empty_until.get_or_insert_with(|| ctx.after(super::WORDS_FOLLOW))
        } else {
            true
        };
        let is_stopped = matches!(event, Some(Event::Interrupted | Event::Deadline));
        if let Some(end) = end(&agents, request.need, event).filter(|_| is_settled || is_stopped) {
            return Ok(AgentWaited { agents: at_the_end(agents, end), end });
        }
        warn_once(ctx, &agents, event.is_none());
        event = Some(waiter.wait_at_most(ctx, until, look::POLL)?);
    }
}

/// Whether a turn that its engine counts has ended, and no word of it is known yet.
fn is_wordless(agent: &WaitedAgent) -> bool {
    agent.state == AgentState::Empty && agent.observed.turn.is_some()
}

/// Whether a later look may see more: a need that is met, or the words of a turn.
fn is_for_now(state: AgentState) -> bool {
    matches!(state, AgentState::NeedsPerson | AgentState::Empty)
}

fn watches(ctx: &Ctx, request: &AgentWait) -> Result<Vec<Watch>> {
    let mut watches: Vec<Watch> = Vec::new();
    for name in &request.names {
        let (project, agent) = resolve::agent(ctx, name)?;
        let engine = &agent.profile.engine;
        if request.after_runs.is_some() && !engines::counts_turns(engine) {
            return Err(OpError::Usage(format!(
                "--after-runs needs an engine that counts its turns, and {name} runs {engine}, whose turns nothing \
                 counts; without it the wait ends when {name} is idle"
            )));
        }
        if watches.iter().all(|it| it.uid != agent.uid) {
            let uid = agent.uid;
            watches.push(Watch { project, uid, first_turn: None, turn: None, reached: None });
        }
    }
    if watches.is_empty() {
        return Err(OpError::Usage("no agent is named".to_owned()));
    }
    Ok(watches)
}

impl Watch {
    /// Where the agent stands now; none if its row is gone.
    fn stand(&mut self, after: Option<i64>, seen: &[Watched]) -> Option<WaitedAgent> {
        let watched = seen.iter().find(|it| it.seen.agent.uid == self.uid)?;
        if let Some(turn) = &watched.seen.turn {
            self.first_turn.get_or_insert(turn.number);
            self.turn = Some(turn.clone());
        }
        let state = match (watched.state(), self.reached) {
            (Presence::Exited, _) => AgentState::Died,
            (_, Some(reached)) => reached,
            (state, None) => {
                let now = self.state(after, state, watched.was_busy);
                self.reached = Some(now).filter(|it| it.is_over() && !is_for_now(*it));
                now
            }
        };
        let observed = Observed { turn: self.turn.clone(), ..watched.seen.clone() };
        let (project, was_busy) = (self.project.clone(), watched.was_busy);
        Some(WaitedAgent { project, observed, state, was_busy })
    }

    fn state(&self, after: Option<i64>, state: Presence, was_busy: bool) -> AgentState {
        let number = self.turn.as_ref().map(|it| it.number);
        let has_ended = after.is_some_and(|after| number.is_some_and(|it| it > after));
        match state {
            _ if has_ended => self.ended(),
            Presence::Idle if after.is_none() => {
                if was_busy || number > self.first_turn {
                    self.ended()
                } else {
                    AgentState::Idle
                }
            }
            other if look::needs_person(other) => AgentState::NeedsPerson,
            _ => AgentState::Pending,
        }
    }

    /// How the last turn ended.
    fn ended(&self) -> AgentState {
        match &self.turn {
            Some(Turn { last_error: Some(_), .. }) => AgentState::Error,
            Some(Turn { last_text: Some(text), .. }) if !text.is_empty() => AgentState::Done,
            Some(_) | None => AgentState::Empty,
        }
    }
}

/// How the wait ends now, if it does; a death counts more than a need, and that more than time.
fn end(agents: &[WaitedAgent], need: Need, event: Option<Event>) -> Option<End> {
    let has = |state: AgentState| agents.iter().any(|it| it.state == state);
    let is_over = match need {
        Need::All => agents.iter().all(|it| it.state.is_over()),
        Need::Any => agents.iter().any(|it| it.state.is_over()),
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

/// The agents of a wait that is over: those that got nowhere say whether time or another ended it.
fn at_the_end(mut agents: Vec<WaitedAgent>, end: End) -> Vec<WaitedAgent> {
    let was_time = end == End::TimedOut;
    for agent in agents.iter_mut().filter(|it| was_time && !it.state.is_over()) {
        let is_unknown = agent.observed.decided.state == Presence::Unknown;
        agent.state = if is_unknown { AgentState::Unknown } else { AgentState::TimedOut };
    }
    agents
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

#[cfg(test)]
mod tests;
