//! Verbs on projects.

mod archive;
mod init;
mod list;
mod mu;
mod rename;
mod repository;
mod set;
mod teardown;

pub use archive::{Archived, archive, unarchive};
pub use init::{Init, Initialised, init, scratch};
pub use list::{Listed, Session, list, show};
pub use mu::{Differs, ImportMu, ImportedMu, Left, Table, Taken, import_mu};
pub use rename::{Renamed, rename};
pub(crate) use repository::with_trunk;
pub use set::{Set, set};
pub use teardown::{Teardown, TornDown, teardown};
