//! The call that an agent's own hooks and extension make when it has become idle.

use std::time::Duration;

use drover_host::env::{self, Env};
use drover_store::agents as rows;

use super::deliver;
use crate::agents;
use crate::ctx::Ctx;
use crate::error::{Result, at_file};

/// How long an agent that said that it is idle may take until a message can be handed to it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Delivers the oldest message that is due to an agent which has just become idle.
///
/// Any number of these may run at once: the one that has the lock of the agent's pane delivers, the others
/// end. A state directory that is gone is not made anew.
pub fn agent_idle(uid: &str) -> Result<()> {
    // We are started in the agent's directory, which may be about to go.
    env::leave_directory().map_err(at_file("/"))?;
    let env = Env::capture();
    if !env.state_dir()?.join("drover.db").exists() {
        return Ok(());
    }
    let mut ctx = Ctx::open_for_part(env, "idle")?;
    let Some(agent) = rows::by_uid(&ctx.read(), uid)? else { return Ok(()) };
    if !agent.lifecycle.is_running() {
        return Ok(());
    }
    let seen = agents::observe(&ctx, vec![agent.clone()]);
    agents::follow_conversations(&mut ctx, &seen);
    let until = ctx.now().saturating_add(PATIENCE).unwrap_or(jiff::Timestamp::MAX);
    deliver::deliver_due_until(&mut ctx, &agent, until)?;
    Ok(())
}
