//! Verbs on projects.

mod init;
mod list;

pub use init::{Init, Initialised, init};
pub use list::{Listed, list, show};
