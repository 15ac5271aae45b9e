//! What is refused about the policy of projects and the commands they trust.

/// Why a policy was not set, or the trust in a command not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// There is no such key, or it cannot have this value.
    #[error("{key}: {problem}")]
    Value {
        /// The key as given.
        key: String,
        /// The value as given.
        value: Option<String>,
        /// What is wrong.
        problem: String,
    },
    /// The value would be kept with a part taken out.
    #[error(
        "the value of {key} holds what looks like a secret, which is never kept: let the command read a file or a variable"
    )]
    Secret {
        /// The key.
        key: &'static str,
    },
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
