//! Verbs on projects.

mod init;
mod list;
mod repository;
mod set;

pub use init::{Init, Initialised, init};
pub use list::{Listed, list, show};
pub use set::{Set, set};
