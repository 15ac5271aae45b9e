//! What can go wrong with a program, leaf of the module.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::outcome::Exit;

/// Why a program gave no usable answer.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// There is no such program on the path.
    #[error("no program {program} was found on PATH")]
    NotFound {
        /// The program as it was asked for.
        program: String,
    },
    /// The directory to run in does not exist or is none.
    #[error("the directory {} does not exist", path.display())]
    NoDirectory {
        /// The directory as it was asked for.
        path: PathBuf,
    },
    /// The program was stopped because its time was up.
    #[error("{command_line} did not end within {after:?}")]
    Timeout {
        /// The command, quoted so that it can be pasted.
        command_line: String,
        /// The time it had.
        after: Duration,
    },
    /// The program was stopped because the person asked to stop.
    #[error("{command_line} was interrupted")]
    Interrupted {
        /// The command, quoted so that it can be pasted.
        command_line: String,
    },
    /// The program ended other than with 0.
    #[error("{command_line} ended with {status}{}", said(stderr))]
    Failed {
        /// The command, quoted so that it can be pasted.
        command_line: String,
        /// How it ended.
        status: Exit,
        /// What it wrote to its standard error.
        stderr: String,
    },
    /// The program wrote more than anybody wanted to read.
    #[error("{command_line} wrote more than {limit} bytes")]
    TooMuchOutput {
        /// The command, quoted so that it can be pasted.
        command_line: String,
        /// The bytes it was allowed.
        limit: usize,
    },
    /// The system refused to start or follow it.
    #[error("{command_line} could not be run: {source}")]
    Io {
        /// The command, quoted so that it can be pasted.
        command_line: String,
        /// What the system said.
        source: io::Error,
    },
}

fn said(stderr: &str) -> String {
    let text = stderr.trim();
    if text.is_empty() { String::new() } else { format!(": {text}") }
}
