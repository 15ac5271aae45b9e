//! How to open the database of a state directory.

use std::path::Path;

use jiff::Timestamp;

/// What a commit survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Power loss: the commit is on the disk before it is reported.
    #[default]
    Full,
    /// The end of the process, not of the machine. For tests.
    Process,
}

/// How to open the database of a state directory.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'a> {
    /// The state directory; it exists and is ours.
    pub directory: &'a Path,
    /// Names this machine in a new database.
    pub machine_name: &'a str,
    /// The wall clock, for a new database and for the names of backups.
    pub at: Timestamp,
    /// What a commit survives.
    pub durability: Durability,
    /// Migrations after [`SCHEMA_VERSION`](crate::SCHEMA_VERSION); only tests of migration give any.
    pub later: &'a [&'a str],
}
