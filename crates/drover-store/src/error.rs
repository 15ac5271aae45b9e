//! What can go wrong in the database; everything here may use it, it uses nothing.

use std::path::PathBuf;

/// A failure of the database itself, never of a rule.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file at the final name is empty or is not Drover's.
    #[error("{path} is not a Drover database: {what}")]
    Foreign {
        /// The file, left as it was.
        path: PathBuf,
        /// What it is instead.
        what: String,
        /// The newest backup beside it, when there is one.
        backup: Option<PathBuf>,
    },
    /// The file was written by a newer Drover.
    #[error("{path} has schema version {found}, and this drover knows versions up to {known}")]
    Newer {
        /// The file, left as it was.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version this program knows.
        known: i64,
    },
    /// Another process migrated the database while this one had it open.
    #[error("the database moved from schema version {was} to {now} while this command ran")]
    Moved {
        /// The version at opening.
        was: i64,
        /// The version now.
        now: i64,
    },
    /// The file is damaged.
    #[error("{path} is damaged: {what}")]
    Corrupt {
        /// The file, left as it was.
        path: PathBuf,
        /// What SQLite said.
        what: String,
        /// The newest backup beside it, when there is one.
        backup: Option<PathBuf>,
    },
    /// Other writers held the database for longer than the deadline.
    #[error("other commands kept the database busy for {seconds} s")]
    Busy {
        /// How long this one waited.
        seconds: u64,
    },
    /// The disk is full.
    #[error("the disk that holds {path} is full")]
    Full {
        /// The database file.
        path: PathBuf,
    },
    /// The file or its folder cannot be written.
    #[error("{path} cannot be written: {what}")]
    ReadOnly {
        /// The database file.
        path: PathBuf,
        /// What the system said.
        what: String,
    },
    /// The system refused to read or write the file.
    #[error("{path} cannot be read or written: {what}")]
    Io {
        /// The database file.
        path: PathBuf,
        /// What SQLite said.
        what: String,
    },
    /// There is a file already where a copy was to go.
    #[error("{path} exists, and a copy replaces nothing")]
    Exists {
        /// The file, left as it was.
        path: PathBuf,
    },
    /// A database that was to be replaced is open.
    #[error("{path} is open in another process")]
    InUse {
        /// The file, left as it was.
        path: PathBuf,
    },
    /// A row says something no row should be able to say.
    #[error("a {table} row holds {value:?} in {column}")]
    BadValue {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The stored value.
        value: String,
    },
    /// A write outside a write transaction.
    #[error("nothing may be written outside a write transaction")]
    NotWriting,
    /// Rows refer to rows that are gone.
    #[error("rows refer to missing rows: {0}")]
    Dangling(String),
    /// A file beside the database could not be handled.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Any other failure of SQLite.
    #[error("the database failed: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

/// The result of every function of this crate.
pub type Result<T> = std::result::Result<T, StoreError>;
