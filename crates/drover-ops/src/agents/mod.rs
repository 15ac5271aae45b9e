//! Verbs on agents.

mod attach;
mod close;
mod death;
mod hooks;
mod kick;
mod launch;
mod launcher;
mod list;
mod look;
mod observe;
mod place;
mod reconcile;
mod rename;
mod restart;
mod settle;
mod spawn;

pub use attach::{Attachment, attach};
pub use close::{Close, Closed, Closing, close};
pub(crate) use close::{close_agent, losses};
pub use death::{pane_died, watch_pane};
pub use drover_host::mux::Capture as Range;
pub use drover_host::proc::{Identity, StopSignal};
pub(crate) use hooks::remove_unused as remove_hooks;
pub use kick::{Kick, Signalled, kick};
pub use launcher::run as run_launcher;
pub use list::{list, observe_one, screen, show};
pub use look::Look;
pub(crate) use look::identity;
pub use observe::{Observed, observe, observe_by, observed};
pub(crate) use place::own_program;
pub use reconcile::reconcile;
pub use rename::{Renamed, rename};
pub use restart::{Restarted, restart};
pub use settle::settle_launches;
pub use spawn::{Spawn, Spawned, Start, Taken, spawn};
