//! The wait for the answer to one message: its delivery, the turn that took it, and the end of that.

use std::time::Duration;

use drover_core::agent::Presence;
use drover_store::agents::Agent;
use drover_store::messages::{self, Message};
use jiff::Timestamp;

use super::look::{self, Watched};
use super::need::AgentState;
use crate::agents::Observed;
use crate::ctx::Ctx;
use crate::engines;
use crate::error::Result;
use crate::reporters::Turn;
use crate::waiting::{Event, Waiter};

/// Between two looks at an agent that says by itself when something changes.
const SAFETY: Duration = Duration::from_secs(1);
/// How long an agent whose turns nothing counts must be idle behind a message until its turn counts as over.
const SETTLED: Duration = Duration::from_secs(2);

/// What became of a message.
#[derive(Debug, Clone)]
pub struct Answer {
    /// How its turn ended, or why there is none.
    pub state: AgentState,
    /// What was seen of the agent last.
    pub observed: Observed,
    /// Why there is none.
    pub reason: Option<String>,
}

/// Waits until the turn that takes a message has ended, its agent is gone, or the time is over.
///
/// A need of a person ends nothing: a person may answer. None when `is_over` says that nobody waits any more.
pub fn wait_for_answer(
    ctx: &mut Ctx,
    agent: &Agent,
    message_uid: &str,
    until: Option<Timestamp>,
    is_over: &mut dyn FnMut(&Ctx) -> Result<bool>,
) -> Result<Option<Answer>> {
    let uids = [agent.uid.clone()];
    let counts = engines::counts_turns(&agent.profile.engine);
    let tick = if counts { SAFETY } else { look::POLL };
    let mut waiter = Waiter::start(ctx)?;
    let mut seen: Vec<Watched> = Vec::new();
    let (mut idle_since, mut words_until) = (None, None);
    loop {
        seen = look::look(ctx, &uids, &seen)?;
        if is_over(ctx)? {
            return Ok(None);
        }
        let (Some(watched), Some(message)) =
            (seen.first(), messages::by_uid(&ctx.read(), message_uid)?)
        else {
            return Ok(None);
        };
        let is_idle = watched.state() == Presence::Idle && !message.level.is_pending();
        idle_since = is_idle.then(|| idle_since.unwrap_or_else(|| ctx.now()));
        if let Some(answer) = answer(watched, &message, counts, (idle_since, ctx.now())) {
            let is_wordless = answer.state == AgentState::Empty && answer.observed.turn.is_some();
            let until = *words_until.get_or_insert_with(|| ctx.after(super::WORDS_FOLLOW));
            if !is_wordless || ctx.now() >= until {
                return Ok(Some(answer));
            }
        }
        match waiter.wait_at_most(ctx, until, tick)? {
            Event::Changed | Event::Tick => {}
            Event::Interrupted => return Ok(None),
            Event::Deadline => {
                let observed = watched.seen.clone();
                let reason = Some(format!("it is {}: {}", observed.decided.state, observed.need()));
                return Ok(Some(Answer { state: AgentState::TimedOut, observed, reason }));
            }
        }
    }
}

/// What a look makes of it; none while it goes on.
fn answer(
    watched: &Watched,
    message: &Message,
    counts: bool,
    (idle_since, now): (Option<Timestamp>, Timestamp),
) -> Option<Answer> {
    let observed = watched.seen.clone();
    let ended = |state: AgentState, reason: Option<String>| {
        Some(Answer { state, observed: observed.clone(), reason })
    };
    let turn =
        observed.turn.as_ref().filter(|it| message.turn.is_some_and(|taken| it.number >= taken));
    if let Some(turn) = turn {
        return match turn {
            Turn { last_error: Some(error), .. } => ended(AgentState::Error, Some(error.clone())),
            Turn { last_text: Some(text), .. } if !text.is_empty() => ended(AgentState::Done, None),
            Turn { .. } => ended(AgentState::Empty, None),
        };
    }
    if watched.state() == Presence::Exited {
        return ended(AgentState::Died, Some(observed.decided.evidence.clone()));
    }
    if message.level.is_pending() {
        return None;
    }
    if let Some(reason) = &message.reason {
        return ended(
            AgentState::Error,
            Some(format!("its task did not arrive for certain: {reason}")),
        );
    }
    let is_settled = idle_since.is_some_and(|it| now.duration_since(it).unsigned_abs() >= SETTLED);
    let is_uncounted = !counts || message.turn.is_none();
    if is_uncounted && is_settled { ended(AgentState::Empty, None) } else { None }
}
