//! Verbs on workspaces: each agent's own checkout and branch, from its making to its landing and removal.

mod checks;
mod find;
mod furnish;
mod land;
mod landed;
mod look;
mod place;
mod prepare;
mod settings;

pub use land::{Land, Landed, land};
pub use place::trunk;
pub(crate) use place::{recorded, text};
pub use prepare::{prepare, undo_prepare};
