//! Verbs on projects.

mod init;
mod list;
mod repository;
mod set;
mod teardown;

pub use init::{Init, Initialised, init, scratch};
pub use list::{Listed, list, show};
pub use set::{Set, set};
pub use teardown::{Teardown, TornDown, teardown};
