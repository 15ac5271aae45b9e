//! What can go wrong with an app-server.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why an app-server did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum CodexError {
    /// Nothing serves the socket.
    #[error("no app-server serves {}: {source}", path.display())]
    NotServed {
        /// The socket.
        path: PathBuf,
        /// What connecting to it came to.
        source: io::Error,
    },
    /// It did not answer in its time.
    #[error("the app-server did not answer {what} within {limit:?}")]
    Silent {
        /// What it was asked.
        what: &'static str,
        /// How long it was given.
        limit: Duration,
    },
    /// It ended the connection.
    #[error("the app-server hung up on {what}")]
    HungUp {
        /// What it was asked.
        what: &'static str,
    },
    /// What came is not of its protocol.
    #[error("the app-server answered {what} with something else: {detail}")]
    Garbage {
        /// What it was asked.
        what: &'static str,
        /// What came instead.
        detail: String,
    },
    /// It speaks another version of the protocol.
    #[error("the app-server is of another version: {what}: {detail}")]
    OtherVersion {
        /// What it was asked.
        what: &'static str,
        /// What it does not know, or what is missing from its answer.
        detail: String,
    },
    /// It refused.
    #[error("the app-server refused {what}: {message}")]
    Refused {
        /// What it was asked.
        what: &'static str,
        /// Its reason.
        message: String,
    },
}

impl CodexError {
    /// Whether what was asked may have been done all the same: the answer is what was lost.
    pub fn may_be_done(&self) -> bool {
        match self {
            // An answer of a shape that we do not know is still an answer.
            Self::Silent { .. }
            | Self::HungUp { .. }
            | Self::Garbage { .. }
            | Self::OtherVersion { .. } => true,
            Self::NotServed { .. } | Self::Refused { .. } => false,
        }
    }
}
