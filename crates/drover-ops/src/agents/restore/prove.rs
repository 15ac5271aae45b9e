//! Seeing that agents which were brought back came up, in the conversations they were in.

use std::time::Duration;

use drover_core::agent::Presence;
use drover_core::duration::Limit;
use drover_store::agents::{self, Agent};
use drover_store::projects::Project;

use super::types::{Back, Restored};
use crate::agents::Range;
use crate::agents::conversation;
use crate::agents::list;
use crate::agents::observe::{self, Observed};
use crate::agents::reconcile::reconcile;
use crate::ctx::Ctx;
use crate::error::{AgentError, Result};
use crate::waiting::{Event, Waiter};
use crate::words;

/// Between two looks at a program that comes up.
const POLL: Duration = Duration::from_millis(250);
/// What is read of the screen of one that ended again.
const LINES: u32 = 200;
/// What the multiplexer writes below the last words of a program.
const EPITAPH: &str = "Pane is dead";

/// An agent whose launch was begun, and what came of that.
pub(super) type Begun = (Project, Agent, Result<Back>);

/// Waits until each agent that was started is seen to be up or to have ended again.
pub(super) fn prove(ctx: &mut Ctx, begun: Vec<Begun>, timeout: Limit) -> Result<Vec<Restored>> {
    let until = timeout.deadline(ctx.now());
    let mut waiter = Waiter::start(ctx)?;
    loop {
        let look = reconcile(ctx)?;
        let rows: Vec<Agent> = begun.iter().map(|it| reload(ctx, &it.1)).collect::<Result<_>>()?;
        let seen = observe::observe_by(ctx, &look, rows);
        conversation::follow(ctx, &seen);
        let is_coming = |it: &Observed| {
            matches!(it.decided.state, Presence::Starting | Presence::Unknown)
                && it.agent.lifecycle.is_running()
        };
        let waits = begun.iter().zip(&seen).any(|(begun, seen)| begun.2.is_ok() && is_coming(seen));
        if !waits || ctx.is_dry_run() {
            return Ok(told(ctx, begun, seen));
        }
        match waiter.wait_at_most(ctx, until, POLL)? {
            Event::Changed | Event::Tick => {}
            Event::Deadline | Event::Interrupted => return Ok(told(ctx, begun, seen)),
        }
    }
}

fn reload(ctx: &Ctx, agent: &Agent) -> Result<Agent> {
    Ok(agents::by_pk(&ctx.read(), agent.pk)?.unwrap_or_else(|| agent.clone()))
}

fn told(ctx: &Ctx, begun: Vec<Begun>, seen: Vec<Observed>) -> Vec<Restored> {
    let told = begun.into_iter().zip(seen).map(|((project, before, came), observed)| {
        let came = came.and_then(|back| came_up(ctx, &before, &observed, back));
        Restored { project, observed, came }
    });
    told.collect()
}

/// What a look says of an agent that was started.
fn came_up(ctx: &Ctx, before: &Agent, seen: &Observed, mut back: Back) -> Result<Back> {
    let decided = &seen.decided;
    if ctx.is_dry_run() {
        return Ok(back);
    }
    match decided.state {
        Presence::Exited => {
            let screen = list::screen(ctx, seen, Range::Last(LINES)).unwrap_or_default();
            let words: Vec<&str> = screen.lines().filter(|it| !it.starts_with(EPITAPH)).collect();
            let how = format!("it ended again, {}", decided.evidence);
            let why = match words::ending(&words.join("\n")) {
                shown if shown.is_empty() => how,
                shown => format!("{how}; its screen: {shown}"),
            };
            return Err(AgentError::NotStarted { name: before.name.clone(), why }.into());
        }
        Presence::Unknown | Presence::Starting => {
            let why = decided.reason.as_ref().unwrap_or(&decided.evidence);
            back.differences.push(format!("it runs, and was not seen to be ready: {why}"));
        }
        Presence::Working
        | Presence::Idle
        | Presence::NeedsInput
        | Presence::NeedsPermission
        | Presence::Limited => {}
    }
    let named = seen.conversation.as_ref().map(|it| it.id.as_str());
    let is = named.or(seen.agent.conversation_id.as_deref());
    let was = before.conversation_id.as_deref();
    if was != is {
        let (was, is) = (was.unwrap_or("none"), is.unwrap_or("none"));
        back.differences.push(format!("it is in the conversation {is} and was in {was}"));
    }
    Ok(back)
}
