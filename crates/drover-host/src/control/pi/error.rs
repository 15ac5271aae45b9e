//! Why an exchange with pi came to nothing, and the version of its protocol.

use crate::control::error::ControlError;

/// The version of the protocol.
pub const PROTOCOL: u64 = 1;

/// Why an operation came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum PiError {
    /// There was no answer that can be used.
    #[error(transparent)]
    Channel(#[from] ControlError),
    /// pi's side refused, or did not get through with it.
    #[error("{detail}")]
    Said {
        /// Its word for why.
        code: String,
        /// The reason in words.
        detail: String,
    },
}

impl PiError {
    /// The word of a refusal; none where there was no answer.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Said { code, .. } => Some(code),
            Self::Channel(_) => None,
        }
    }
}
