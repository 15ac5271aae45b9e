//! Verbs on projects.

mod init;
mod list;
mod mu;
mod repository;
mod set;
mod teardown;

pub use init::{Init, Initialised, init, scratch};
pub use list::{Listed, list, show};
pub use mu::{Differs, ImportMu, ImportedMu, Left, Table, Taken, import_mu};
pub use set::{Set, set};
pub use teardown::{Teardown, TornDown, teardown};
