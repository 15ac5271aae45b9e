//! What is refused about statements that a person writes.

use drover_store::sql::SqlError;

/// Why a statement was not carried out; nothing of it was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// SQLite, the fence around it, or a rule of the rows.
    #[error(transparent)]
    Sql(SqlError),
    /// It changes more rows, or fewer, than the caller said.
    #[error("{found} rows would change, not {confirmed}; nothing was changed")]
    OtherCount {
        /// How many the caller said.
        confirmed: u64,
        /// How many there are.
        found: u64,
    },
}
