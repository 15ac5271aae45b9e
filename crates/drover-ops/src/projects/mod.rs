//! Verbs on projects.

mod init;
mod list;
mod repository;

pub use init::{Init, Initialised, init};
pub use list::{Listed, list, show};
