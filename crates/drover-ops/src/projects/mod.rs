//! Verbs on projects.

mod error;
mod init;
mod list;

pub use error::ProjectError;
pub use init::{Init, Initialised, init};
pub use list::{Listed, list, show};
