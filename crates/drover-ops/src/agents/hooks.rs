//! The death hook of this state directory on a multiplexer's server.

use drover_host::mux::Mux;

use super::place;
use crate::ctx::Ctx;
use crate::error::Result;

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
