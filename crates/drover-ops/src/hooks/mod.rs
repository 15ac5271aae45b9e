//! What the hooks of agents tell us: the call that they make, and what is kept of it.

mod claude;
mod event;
mod limit;

pub use claude::hook as claude;
pub(crate) use event::is_in_turn;
pub(crate) use limit::ends as limit_ends;
