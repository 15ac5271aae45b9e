//! `agent restore`: agents that have ended, back in their conversations with their profiles.

mod all;
mod bring;
mod check;
mod lost;
mod prove;
mod types;

pub use all::restore;
pub(crate) use lost::{holder, take_up};
pub use types::{Back, Restore, Restored};
