//! What can be wrong with the settings of a client.

use std::path::PathBuf;

use drover_host::target::TargetError;

/// Why a client was not told, or still is. Nothing was written unless it says so.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// Something in our place is not as we wrote it.
    #[error("{what} in {} is not as `drover link` wrote it", path.display())]
    Edited {
        /// What it is.
        what: String,
        /// Where.
        path: PathBuf,
    },
    /// The client itself could not read it.
    #[error("{} cannot be read, so it was left as it is: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// It may not be changed.
    #[error("{0}, so it was left as it is")]
    Target(TargetError),
}
