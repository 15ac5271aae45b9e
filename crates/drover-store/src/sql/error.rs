//! Why what a person wrote was not run.

use crate::error::StoreError;

/// Why statements were not run, or not to their end. Nothing of them stays.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SqlError {
    /// SQLite cannot read it.
    #[error("the statement cannot be read: {what}")]
    Invalid {
        /// What SQLite said.
        what: String,
        /// The byte at which it stumbled.
        at: Option<usize>,
    },
    /// The fence keeps it out.
    #[error("sql may not {what}")]
    Fenced {
        /// What it would have done.
        what: String,
        /// The verb that does it, as `drover task add`.
        verb: Option<&'static str>,
    },
    /// A rule of the rows forbids it.
    #[error("the rows do not allow it: {what}")]
    Constraint {
        /// What SQLite said.
        what: String,
    },
    /// It takes longer than it may.
    #[error("the statement did not end in time")]
    TimedOut,
    /// It needs more memory than it may have.
    #[error("the statement needs more memory than a query may have")]
    TooLarge,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The result of running what a person wrote.
pub type Result<T> = std::result::Result<T, SqlError>;
