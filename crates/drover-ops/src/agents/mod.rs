//! Verbs on agents.

mod close;
mod hooks;
mod launch;
mod launcher;
mod list;
mod look;
mod observe;
mod place;
mod reconcile;
mod settle;
mod spawn;

pub use close::{Close, Closed, close};
pub use drover_host::mux::Capture as Range;
pub use launcher::run as run_launcher;
pub use list::{list, observe_one, screen, show};
pub use look::Look;
pub use observe::{Observed, observe, observed};
pub use reconcile::reconcile;
pub use settle::settle_launches;
pub use spawn::{Spawn, Spawned, Start, Taken, spawn};
