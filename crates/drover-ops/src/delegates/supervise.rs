//! The process beside a delegate that waits for its answer, ends it, and starts those that wait.

use std::time::Duration;

use drover_host::env::{self, Env};
use drover_host::lock::Locks;
use drover_host::state_dir::Folder;
use drover_store::agents;
use drover_store::delegates::{self, Delegate};
use jiff::Timestamp;

use super::finish::{Outcome, finish};
use super::start;
use super::types::is_over;
use crate::ctx::Ctx;
use crate::error::{Result, at_file};
use crate::waits;

/// The actor in the log.
pub(super) const PART: &str = "delegates";

/// Waits for a delegate's answer and ends with it; the second of two that would wait ends at once.
///
/// A state directory that is gone is not made anew.
pub fn supervise(uid: &str) -> Result<()> {
    env::leave_directory().map_err(at_file("/"))?;
    let env = Env::capture();
    if !env.state_dir()?.join("drover.db").exists() {
        return Ok(());
    }
    let mut ctx = Ctx::open_for_part(env, PART)?;
    let locks = Locks::new(ctx.state().folder(Folder::Locks)?);
    let Some(lock) = locks.try_lock(&format!("delegate-{uid}"))? else { return Ok(()) };
    let followed = follow(&mut ctx, uid);
    drop(lock);
    start::advance(&mut ctx)?;
    followed
}

fn follow(ctx: &mut Ctx, uid: &str) -> Result<()> {
    let Some(delegate) = delegates::by_uid(&ctx.read(), uid)? else { return Ok(()) };
    let own = ctx.own_process()?;
    if !ctx.step("delegate.watch", |tx| Ok(delegates::supervised(tx, delegate.pk, &own)?))? {
        return Ok(());
    }
    if delegate.state == "starting" {
        // Its start was cut off. The process that goes on with it ends at once, since we hold the lock.
        start::start(ctx, &delegate)?;
    }
    let Some(delegate) = delegates::by_uid(&ctx.read(), uid)? else { return Ok(()) };
    let (Some(agent_uid), Some(message_uid)) = (&delegate.agent_uid, &delegate.message_uid) else {
        return Ok(());
    };
    let Some(agent) = agents::by_uid(&ctx.read(), agent_uid)? else { return Ok(()) };
    let mut has_ended = |ctx: &Ctx| -> Result<bool> {
        let now = delegates::by_pk(&ctx.read(), delegate.pk)?;
        Ok(now.is_none_or(|it| is_over(&it.state)))
    };
    let until = deadline(&delegate);
    let answer = waits::wait_for_answer(ctx, &agent, message_uid, until, &mut has_ended)?;
    let Some(answer) = answer else { return Ok(()) };
    let outcome = Outcome::of(ctx, &answer);
    finish(ctx, &delegate, &outcome)?;
    Ok(())
}

fn deadline(delegate: &Delegate) -> Option<Timestamp> {
    let time = u64::try_from(delegate.timeout_ms).ok().filter(|it| *it > 0)?;
    let started = delegate.started_at.as_deref().unwrap_or(&delegate.created_at);
    let started: Timestamp = started.parse().ok()?;
    started.checked_add(Duration::from_millis(time)).ok()
}
