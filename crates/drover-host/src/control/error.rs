//! Why a socket that an agent serves gave no answer that can be used.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why there is no answer from a socket.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// There is no socket at the path.
    #[error("there is no control socket at {}", path.display())]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// The socket was left behind by a process that has ended.
    #[error("nobody serves the control socket {}", path.display())]
    Stale {
        /// The path.
        path: PathBuf,
    },
    /// The path has no room in a socket's address.
    #[error("{} is too long for a socket", path.display())]
    PathTooLong {
        /// The path.
        path: PathBuf,
    },
    /// The folder of the socket is not ours alone.
    #[error("the folder {} of the control socket {why}", path.display())]
    UnsafeFolder {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The system refused before the request had been sent whole.
    #[error("the control socket {} cannot be used: {source}", path.display())]
    Unsent {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The request was not taken in time; not all of it was sent.
    #[error("the control socket {} took no request within {limit:?}", path.display())]
    Deaf {
        /// The path.
        path: PathBuf,
        /// How long that was waited for.
        limit: Duration,
    },
    /// The request was sent, and no answer came in time.
    #[error("the control socket {} did not answer within {limit:?}", path.display())]
    Silent {
        /// The path.
        path: PathBuf,
        /// How long that was waited for.
        limit: Duration,
    },
    /// The connection ended before a whole line had come.
    #[error("the control socket {} closed after {bytes} bytes of an answer", path.display())]
    Cut {
        /// The path.
        path: PathBuf,
        /// How much of a line had come.
        bytes: usize,
    },
    /// What came is no answer of the protocol.
    #[error("the control socket {} answered with something else: {what}", path.display())]
    Garbage {
        /// The path.
        path: PathBuf,
        /// The beginning of it, or what is wrong with it.
        what: String,
    },
    /// The other side speaks another version.
    #[error("the control socket {} speaks version {found} of the protocol, not {wanted}", path.display())]
    Version {
        /// The path.
        path: PathBuf,
        /// What it speaks.
        found: String,
        /// What we speak.
        wanted: u64,
    },
}

impl ControlError {
    /// Whether the other side can have acted on the request.
    pub fn may_have_been_taken(&self) -> bool {
        match self {
            Self::Silent { .. } | Self::Cut { .. } | Self::Garbage { .. } => true,
            Self::Missing { .. }
            | Self::Stale { .. }
            | Self::PathTooLong { .. }
            | Self::UnsafeFolder { .. }
            | Self::Unsent { .. }
            | Self::Deaf { .. }
            | Self::Version { .. } => false,
        }
    }

    /// Whether the time was over before an answer came.
    pub fn is_late(&self) -> bool {
        matches!(self, Self::Deaf { .. } | Self::Silent { .. })
    }

    /// Whether nobody serves the socket, as before the agent's program has come up.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Missing { .. } | Self::Stale { .. })
    }
}
