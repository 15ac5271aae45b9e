//! Launches whose caller is gone: what was begun is taken back, what runs is left running.

use drover_core::agent::Lifecycle;
use drover_core::text::Text;
use drover_store::agents::{self, Agent};
use drover_store::projects;

use super::{launch, place};
use crate::ctx::Ctx;
use crate::error::{OpError, Result};

const WHY: &str = "the call that launched it ended half-way";

/// Takes back every launch whose caller is gone, and every first launch that failed.
///
/// A caller holds a lock for as long as it launches, so a launch under way is never touched. A
/// server that does not answer puts its launches off to a later call.
pub fn settle_launches(ctx: &mut Ctx) -> Result<()> {
    let unsettled = agents::unsettled(&ctx.read())?;
    if unsettled.is_empty() || ctx.is_dry_run() {
        return Ok(());
    }
    let locks = place::locks(ctx)?;
    for agent in unsettled {
        let Some(project) = projects::by_pk(&ctx.read(), agent.project_pk)? else { continue };
        let Some(_lock) = locks.try_lock(&place::launch_lock(&project, &agent.name))? else {
            continue;
        };
        match ctx.as_part("reaper", |ctx| settle(ctx, &agent)) {
            Ok(()) | Err(OpError::Mux(_)) => {}
            Err(err) => return Err(err),
        }
    }
    Ok(())
}

fn settle(ctx: &mut Ctx, agent: &Agent) -> Result<()> {
    if agent.restarts == 0 {
        return launch::take_back(ctx, agent, WHY).map(|_| ());
    }
    let is_under_way = agent.lifecycle.has_deadline();
    let (Some(nonce), true) = (agent.nonce.as_deref(), is_under_way) else { return Ok(()) };
    let is_over =
        ctx.step("agent.fail", |tx| Ok(agents::abandon(tx, agent.pk, nonce, &Text::new(WHY))?))?;
    if is_over && agent.lifecycle == Lifecycle::Restoring {
        return launch::clear(ctx, agent, nonce);
    }
    launch::remove_fifo(&place::fifo(ctx, &agent.uid, nonce)?);
    Ok(())
}
