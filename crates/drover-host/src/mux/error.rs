//! What can go wrong with a multiplexer, leaf of the module.

use std::path::PathBuf;

use super::types::{InvalidId, PaneId, Version};
use crate::process::ProcessError;

/// Why a multiplexer did not do as asked.
#[derive(Debug, thiserror::Error)]
pub enum MuxError {
    /// The program is not installed.
    #[error("{program} is not installed")]
    NotInstalled {
        /// The program.
        program: &'static str,
    },
    /// The program is too old.
    #[error("{program} {needed} or newer is needed, found {found}")]
    TooOld {
        /// The program.
        program: &'static str,
        /// The oldest version that will do.
        needed: Version,
        /// What is there, as it names itself.
        found: String,
    },
    /// A multiplexer was asked for that is not known.
    #[error("{name} is not a multiplexer drover can use (known: tmux)")]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// There is no server.
    #[error("no server is running on {}", socket.display())]
    NoServer {
        /// Its socket.
        socket: PathBuf,
    },
    /// There may be a server, but it did not answer: nothing follows about its panes.
    #[error("the server on {} does not answer: {reason}", socket.display())]
    NoAnswer {
        /// Its socket.
        socket: PathBuf,
        /// What was seen instead.
        reason: String,
    },
    /// The server answers and has no such pane.
    #[error("there is no pane {pane}")]
    NoPane {
        /// The pane.
        pane: PaneId,
    },
    /// The pane is kept, but its program has ended.
    #[error("the program of pane {pane} has ended")]
    DeadPane {
        /// The pane.
        pane: PaneId,
    },
    /// The server answers and has no such session or window.
    #[error("there is no {what}")]
    NoTarget {
        /// The session or window.
        what: String,
    },
    /// The name is taken.
    #[error("there is a session named {name} already")]
    SessionExists {
        /// The name.
        name: String,
    },
    /// The directory a pane should start in does not exist; the server would take another.
    #[error("the directory {} does not exist", path.display())]
    NoDirectory {
        /// The directory.
        path: PathBuf,
    },
    /// A word the multiplexer would take for something else.
    #[error("{what} cannot be {value:?}: {why}")]
    Invalid {
        /// What it would have named.
        what: &'static str,
        /// The word.
        value: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// An id that is none.
    #[error(transparent)]
    Id(#[from] InvalidId),
    /// The answer is not in the form asked for.
    #[error("the answer of {program} cannot be read: {answer:?}")]
    Unreadable {
        /// The program.
        program: &'static str,
        /// What it said.
        answer: String,
    },
    /// The client failed in another way.
    #[error(transparent)]
    Process(#[from] ProcessError),
}
