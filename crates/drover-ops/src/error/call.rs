//! What is refused about keyed calls.

/// Why a keyed call was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The key was used for something else.
    #[error("the key {key} was used for another request, of {verb}")]
    OtherRequest {
        /// The key.
        key: String,
        /// The verb it was used for.
        verb: String,
    },
    /// Another process works on it.
    #[error("the call with the key {key} is still in progress in process {pid}")]
    InProgress {
        /// The key.
        key: String,
        /// The process.
        pid: i64,
    },
    /// The process that worked on it ended half-way, and what it did outside cannot be looked up.
    #[error(
        "the call with the key {key} ended half-way, and whether its {verb} took effect cannot be known"
    )]
    Uncertain {
        /// The key.
        key: String,
        /// The verb.
        verb: String,
    },
}
