//! One look at the agents of a wait: reaped where they are gone, given what is due where they are idle.

use std::time::Duration;

use drover_core::agent::{Presence, Source};
use drover_store::agents::{self, Agent};

use crate::agents::{Observed, follow_conversations, observe_by, reconcile};
use crate::ctx::Ctx;
use crate::error::Result;
use crate::messages;

/// Between two looks at agents whose state must be polled.
pub(super) const POLL: Duration = Duration::from_millis(250);

/// How many looks in a row must agree before a state that was read from a screen counts.
const CALM: u32 = 2;

/// What an agent does, and how many looks in a row have said so.
#[derive(Debug, Clone)]
pub(super) struct Watched {
    pub(super) seen: Observed,
    looks: u32,
    /// Whether it was seen at work.
    pub(super) was_busy: bool,
}

impl Watched {
    /// What it does; `Unknown` until enough looks agree.
    pub(super) fn state(&self) -> Presence {
        let decided = &self.seen.decided;
        let needed = if decided.source == Source::Screen { CALM } else { 1 };
        if self.looks >= needed { decided.state } else { Presence::Unknown }
    }
}

/// Whether only a person can move an agent in this state on.
pub(super) fn needs_person(state: Presence) -> bool {
    match state {
        Presence::NeedsInput | Presence::NeedsPermission | Presence::Limited => true,
        Presence::Starting
        | Presence::Working
        | Presence::Idle
        | Presence::Exited
        | Presence::Unknown => false,
    }
}

/// Looks at agents again; `before` is what the last look saw, in any order.
pub(super) fn look(ctx: &mut Ctx, uids: &[String], before: &[Watched]) -> Result<Vec<Watched>> {
    let mut glance = glance(ctx, uids)?;
    let is_unreaped =
        |it: &Observed| it.decided.state == Presence::Exited && it.agent.lifecycle.is_running();
    if glance.iter().any(is_unreaped) {
        // It died between the two calls: what it held is given back before its death is told.
        glance = self::glance(ctx, uids)?;
    }
    let mut watched = Vec::new();
    for seen in glance {
        let last = before.iter().find(|it| it.seen.agent.uid == seen.agent.uid);
        let mut now = counted(seen, last);
        if messages::is_being_typed(ctx, &now.seen.agent)? {
            // What stands in its composer is a message under way, not somebody's draft.
            now.looks = 0;
        }
        if now.state() == Presence::Idle
            && let Some(delivery) = messages::deliver_due(ctx, &now.seen.agent)?
        {
            now.looks = 0;
            // Its turn may be over before anybody looks again.
            now.was_busy |= delivery.obstacle.is_none();
        }
        watched.push(now);
    }
    Ok(watched)
}

fn glance(ctx: &mut Ctx, uids: &[String]) -> Result<Vec<Observed>> {
    let look = reconcile(ctx)?;
    let rows = uids.iter().filter_map(|it| agents::by_uid(&ctx.read(), it).transpose());
    let rows: Vec<Agent> = rows.collect::<std::result::Result<_, _>>()?;
    let seen = observe_by(ctx, &look, rows);
    follow_conversations(ctx, &seen);
    Ok(seen)
}

pub(super) fn counted(seen: Observed, last: Option<&Watched>) -> Watched {
    let is_same = |it: &&Watched| it.seen.decided.state == seen.decided.state;
    let looks = last.filter(is_same).map_or(0, |it| it.looks) + 1;
    let was_busy = seen.decided.state == Presence::Working || last.is_some_and(|it| it.was_busy);
    Watched { seen, looks, was_busy }
}
