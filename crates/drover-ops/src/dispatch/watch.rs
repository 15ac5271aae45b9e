//! Passes until nothing is left to do, or only people can move it on.

use std::time::Duration;

use jiff::Timestamp;

use super::pass::pass;
use super::types::{Dispatcher, Pass};
use crate::ctx::Ctx;
use crate::error::Result;
use crate::waiting::{Event, Waiter};

/// How often to look at what cannot wake us.
const TICK: Duration = Duration::from_secs(1);
/// The same while an agent is between two tasks.
const SETTLING: Duration = Duration::from_millis(100);

/// How long an end other than success must stand: between two tasks an agent is for a moment neither at
/// work nor idle.
const STANDS: Duration = Duration::from_secs(2);

/// Why a watch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Every task is closed and every branch landed.
    Done,
    /// Only people can move it on.
    NeedsPerson,
    /// No agent lives.
    NoAgent,
    /// The time is over.
    TimedOut,
    /// The person asked to stop.
    Interrupted,
}

/// Repeats the pass on every change until an end is reached; `told` hears of each pass.
pub fn watch(
    ctx: &mut Ctx,
    dispatcher: &mut Dispatcher,
    until: Option<Timestamp>,
    told: &mut dyn FnMut(&Pass),
) -> Result<(End, Pass)> {
    let mut waiter = Waiter::start(ctx)?;
    let mut seen: Option<(End, Timestamp)> = None;
    loop {
        let last = pass(ctx, dispatcher)?;
        told(&last);
        let now = ctx.now();
        seen = end_of(&last).map(|end| match seen {
            Some((before, since)) if before == end => (end, since),
            _ => (end, now),
        });
        if let Some((end, since)) = seen
            && (end == End::Done || now.duration_since(since).unsigned_abs() >= STANDS)
        {
            return Ok((end, last));
        }
        let tick = if last.is_settling { SETTLING } else { TICK };
        match waiter.wait_at_most(ctx, until, tick)? {
            Event::Changed | Event::Tick => {}
            Event::Deadline => return Ok((End::TimedOut, last)),
            Event::Interrupted => return Ok((End::Interrupted, last)),
        }
    }
}

/// The end that a pass shows, if it shows one.
fn end_of(last: &Pass) -> Option<End> {
    if last.open == 0 && last.unlanded == 0 {
        return Some(End::Done);
    }
    let is_moving = last.is_settling || !last.handed.is_empty() || !last.landed.is_empty();
    if last.open == 0 {
        return (!is_moving && last.landing_later == 0).then_some(End::NeedsPerson);
    }
    if last.workers == 0 {
        return Some(End::NoAgent);
    }
    let waits_for_agent =
        last.skipped.iter().any(|it| ["no_idle_agent", "wip_limit"].contains(&it.reason));
    let is_waiting = last.landing_later > 0 || (waits_for_agent && last.freeing > 0);
    (!is_moving && last.in_progress == 0 && !is_waiting).then_some(End::NeedsPerson)
}
