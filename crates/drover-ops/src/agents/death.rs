//! The end of a pane's program, as the death hook tells it and a watcher beside it sees it.

use std::path::Path;

use drover_core::agent::Lifecycle;
use drover_host::env::{self, Env};
use drover_host::mux::{self, ServerState};
use drover_host::proc::{self, Identity};
use drover_store::agents::{self, Ending};

use super::look::Look;
use super::reconcile::{REAPER, reap};
use crate::ctx::Ctx;
use crate::error::{Result, at_file};

/// How often a watcher asks a server that does not answer, two seconds each.
const PATIENCE: u32 = 60;

/// Waits for the end of a pane's program and records it, also where the server misses it.
pub fn watch_pane(state: &Path, socket: &str, pane: &str, program: &Identity) -> Result<()> {
    env::leave_directory().map_err(at_file("/"))?;
    proc::wait_for_end(program).map_err(at_file("/proc"))?;
    let mux = mux::recorded(&Env::capture(), "tmux", Path::new(socket))?;
    for _ in 0..PATIENCE {
        // Whatever comes of it: what matters is asked below.
        let _ = mux.look_for_ends();
        if !matches!(mux.server()?, ServerState::NoAnswer { .. }) {
            break;
        }
    }
    pane_died(state, socket, pane)
}

/// Records the end of whatever agent lives in this pane, and opens its tasks again.
///
/// A state directory that is gone is not made anew.
pub fn pane_died(state: &Path, socket: &str, pane: &str) -> Result<()> {
    // The server starts us in the agent's directory, which may be about to go.
    env::leave_directory().map_err(at_file("/"))?;
    if !state.join("drover.db").exists() {
        return Ok(());
    }
    let mut env = Env::capture();
    env.set("DROVER_STATE_DIR", state);
    let mut ctx = Ctx::open_for_part(env, REAPER)?;
    let bound = agents::bound_to(&ctx.read(), socket, pane)?;
    let look = Look::at(ctx.env(), &bound);
    for agent in &bound {
        reap(&mut ctx, &look, agent)?;
        let Some(death) = look.pane(agent).and_then(|it| it.death) else { continue };
        let ending =
            Ending { status: death.status.map(i64::from), signal: death.signal.map(i64::from) };
        if agent.lifecycle == Lifecycle::Exited && ending != Ending::default() {
            // It was seen gone before the server could say how.
            ctx.step("agent.exit", |tx| Ok(agents::tell_ending(tx, agent.pk, ending)?))?;
        }
    }
    Ok(())
}
