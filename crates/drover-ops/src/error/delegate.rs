//! What is refused about delegates.

/// Why a delegate was not started, or is not what was asked for.
#[derive(Debug, thiserror::Error)]
pub enum DelegateError {
    /// There is no delegate of this name.
    #[error("there is no delegate {name}")]
    Unknown {
        /// The name as given.
        name: String,
    },
    /// As many wait already as may.
    #[error("{running} delegates work and {queued} wait, which is all that may")]
    Full {
        /// How many work.
        running: usize,
        /// How many wait.
        queued: usize,
    },
    /// Nothing says when a turn of the engine ends, so no answer could be waited for.
    #[error("{engine} cannot be a delegate: {why}")]
    Unanswering {
        /// The engine.
        engine: String,
        /// What is missing.
        why: &'static str,
    },
    /// Its agent could not be started.
    #[error("the delegate {name} was not started: {why}")]
    NotStarted {
        /// Its name.
        name: String,
        /// What stood against it.
        why: String,
    },
}
