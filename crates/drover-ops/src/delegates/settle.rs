//! Delegates that nobody waits for any more: the next call has somebody wait again.

use drover_store::delegates;

use super::start;
use crate::agents::is_alive;
use crate::ctx::Ctx;
use crate::error::Result;

/// Finds delegates whose waiting process is gone, as after a reboot, and starts another for each.
pub fn settle(ctx: &mut Ctx) -> Result<()> {
    if ctx.is_dry_run() {
        return Ok(());
    }
    let open = delegates::open(&ctx.read())?;
    let is_watched = |it: &delegates::Delegate| it.supervisor.as_ref().is_some_and(is_alive);
    let is_anybody_there = open.iter().any(is_watched);
    for delegate in open.iter().filter(|it| !is_watched(it)) {
        // Those that wait are started by whoever ends one, as long as there is one.
        if delegate.state != "queued" || !is_anybody_there {
            start::watch_over(ctx, &delegate.uid)?;
        }
        if delegate.state == "queued" {
            break;
        }
    }
    Ok(())
}
