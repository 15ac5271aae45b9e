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
    loop {
        let last = pass(ctx, dispatcher)?;
        told(&last);
        if let Some(end) = end_of(&last) {
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
        return (!is_moving).then_some(End::NeedsPerson);
    }
    if last.workers == 0 {
        return Some(End::NoAgent);
    }
    let waits_for_agent =
        last.skipped.iter().any(|it| ["no_idle_agent", "wip_limit"].contains(&it.reason));
    (!is_moving && last.in_progress == 0 && !waits_for_agent).then_some(End::NeedsPerson)
}
