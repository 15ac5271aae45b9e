//! What is refused about the configuration file.

use std::path::PathBuf;

/// Why the configuration file was refused.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// It says something that is unknown or out of range.
    #[error("{}: {what}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// What is wrong, naming the key.
        what: String,
    },
}
