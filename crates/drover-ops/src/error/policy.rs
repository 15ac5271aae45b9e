//! What is refused about the policy of projects and the commands they trust.

use drover_core::policy::{PolicyError, PolicyReadError};
use drover_core::word::UnknownWord;

/// Why a policy was not set or not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicySetError {
    /// There is no such key.
    #[error(transparent)]
    Key(#[from] UnknownWord),
    /// The key cannot have this value.
    #[error(transparent)]
    Value(#[from] PolicyError),
    /// The value would be kept with a part taken out.
    #[error(
        "the value of {key} holds what looks like a secret, which is never kept: let the command read a file or a variable"
    )]
    Secret {
        /// The key.
        key: &'static str,
    },
    /// What is stored cannot be read.
    #[error(transparent)]
    Stored(#[from] PolicyReadError),
    /// No trusted command has such a digest.
    #[error("no trusted command of the project {project} has a digest that begins with {given:?}")]
    UnknownDigest {
        /// The text.
        given: String,
        /// The project.
        project: String,
    },
    /// Several do.
    #[error("the digests of several trusted commands begin with {given:?}: {}", candidates.join(", "))]
    AmbiguousDigest {
        /// The text.
        given: String,
        /// The digests.
        candidates: Vec<String>,
    },
}
