//! The death hook of this state directory on a multiplexer's server.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use drover_host::mux::{self, Mux};
use drover_store::agents::{self, Binding};

use super::place;
use crate::ctx::Ctx;
use crate::error::{OpError, Result};

/// Sees to it that the server tells us when the program of one of our panes ends.
///
/// A hook of ours that names another program, as after an upgrade, is replaced; others' stay.
pub(crate) fn install(ctx: &Ctx, mux: &dyn Mux) -> Result<()> {
    let mark = place::state_mark(ctx)?;
    let program = place::own_program()?;
    let words = [
        program.as_os_str(),
        "pane-died".as_ref(),
        ctx.state_path().as_os_str(),
        mux.socket().as_os_str(),
    ];
    let argv: Vec<String> = words.iter().map(|it| it.to_string_lossy().into_owned()).collect();
    Ok(mux.install_death_hook(place::hook_index(&mark), &mark, &argv)?)
}

/// Has a watcher wait beside the agent's pane for its end, which the server can miss.
pub(crate) fn watch(ctx: &Ctx, mux: &dyn Mux, binding: &Binding) -> Result<()> {
    let program = place::own_program()?;
    let text = |it: &OsStr| it.to_string_lossy().into_owned();
    let argv = [
        text(program.as_os_str()),
        "pane-watch".to_owned(),
        text(ctx.state_path().as_os_str()),
        text(mux.socket().as_os_str()),
        binding.pane_id.clone(),
        binding.pane.pid.to_string(),
        binding.pane.started.clone(),
    ];
    Ok(mux.run_beside(&argv)?)
}

/// Takes our death hook off these servers, by multiplexer and socket, where no agent of ours is left.
///
/// A server that does not answer keeps it: it does nothing but call a program that finds nothing.
pub(crate) fn remove_unused(ctx: &mut Ctx, servers: &BTreeSet<(String, String)>) -> Result<()> {
    let index = place::hook_index(&place::state_mark(ctx)?);
    let left = agents::all(&ctx.read())?;
    for server in servers {
        if left.iter().any(|it| it.server.as_ref() == Some(server)) {
            continue;
        }
        let mux = mux::recorded(ctx.env(), &server.0, Path::new(&server.1))?;
        let removed = ctx.act(format!("remove our hook from {}", server.1), || {
            Ok(mux.remove_death_hook(index)?)
        });
        match removed {
            Ok(_) => {}
            Err(OpError::Mux(err)) => ctx.warn(format!("our hook stays on the server: {err}")),
            Err(err) => return Err(err),
        }
    }
    Ok(())
}
