//! `agent restore`: agents that have ended, back in their conversations with their profiles.

mod all;
mod bring;
mod check;
mod prove;
mod types;

pub use all::restore;
pub use types::{Back, Restore, Restored};
