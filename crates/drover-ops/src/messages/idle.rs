//! The call that an agent's own hooks and extension make when it has become idle.

use std::time::Duration;

use drover_core::agent::Presence;
use drover_host::env::{self, Env};
use drover_store::agents as rows;

use super::deliver;
use crate::agents;
use crate::ctx::Ctx;
use crate::error::{Result, at_file};

/// How long an agent that said that it is idle may take until a message can be handed to it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether a text given now would come to nothing, as every text after it would.
fn cannot_go_on(state: Presence) -> bool {
    match state {
        Presence::Limited | Presence::NeedsInput | Presence::NeedsPermission => true,
        // Its status may lag behind the word that it is idle.
        Presence::Starting
        | Presence::Working
        | Presence::Idle
        | Presence::Exited
        | Presence::Unknown => false,
    }
}

/// Delivers the oldest message that is due to an agent which has just become idle.
///
/// Any number of these may run at once: one at a time has the lock of the agent's pane and delivers. A state directory that is gone is not made anew.
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
    if seen.iter().any(|it| cannot_go_on(it.decided.state)) {
        return Ok(());
    }
    let until = ctx.now().saturating_add(PATIENCE).unwrap_or(jiff::Timestamp::MAX);
    deliver::deliver_due_until(&mut ctx, &agent, until)?;
    Ok(())
}
