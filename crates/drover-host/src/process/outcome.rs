//! How a program ended and what it wrote.

use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It returned this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl Exit {
    /// Whether it returned 0.
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }

    pub(super) fn from_status(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Code(-1),
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// A program's end and its output, held in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// How it ended.
    pub status: Exit,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
    /// How long it took.
    pub duration: Duration,
}

impl Output {
    /// Standard output as text, without the line ends it closes with.
    pub fn text(&self) -> String {
        trimmed(&self.stdout)
    }

    /// Standard error as text, without the line ends it closes with.
    pub fn error_text(&self) -> String {
        trimmed(&self.stderr)
    }
}

/// A program's end, its output being in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    /// How it ended.
    pub status: Exit,
    /// The last bytes of both outputs together.
    pub tail: Vec<u8>,
    /// How many bytes both outputs had.
    pub bytes: u64,
    /// SHA-256 of the file, in hex.
    pub digest: String,
    /// How long it took.
    pub duration: Duration,
}

fn trimmed(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches(['\n', '\r']).to_owned()
}
