//! The status file that a Claude Code process keeps about itself.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::Value;

use crate::proc::{self, Identity};

/// More than any status file or environment holds.
const MOST_BYTES: u64 = 4 << 20;

/// What a process wrote about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// The conversation it is in.
    pub session: String,
    /// `idle`, `busy`, `waiting`, a word that we do not know, or nothing while it starts.
    pub word: String,
    /// What it waits for.
    pub waiting_for: Option<String>,
    /// Since when.
    pub since: Option<Timestamp>,
}

/// Why a status file says nothing.
#[derive(Debug, thiserror::Error)]
pub enum StatusError {
    /// The process has ended, or its environment cannot be read.
    #[error("the process {pid} cannot be asked")]
    NoProcess {
        /// Its number.
        pid: u32,
    },
    /// There is no file: the program has not come so far, or keeps none.
    #[error("there is no {}", path.display())]
    Missing {
        /// Where it would be.
        path: PathBuf,
    },
    /// The file is of an earlier process with the same number.
    #[error("{} is of another process", path.display())]
    Another {
        /// Which file.
        path: PathBuf,
    },
    /// The file is not what it was.
    #[error("{} cannot be read: {reason}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

/// Reads what a process says of itself, in the configuration directory that its own environment names.
pub fn status(process: &Identity) -> Result<Status, StatusError> {
    let gone = || StatusError::NoProcess { pid: process.pid };
    let directory = config_directory(process.pid).ok_or_else(gone)?;
    let status = status_in(&directory, process)?;
    // Asked last: from here back, the number was that very process's.
    if proc::is_alive(process) { Ok(status) } else { Err(gone()) }
}

/// Reads what a process says of itself in this configuration directory.
fn status_in(directory: &Path, process: &Identity) -> Result<Status, StatusError> {
    let path = directory.join("sessions").join(format!("{}.json", process.pid));
    let unreadable = |reason: String| StatusError::Unreadable { path: path.clone(), reason };
    let mut bytes = Vec::new();
    let read = File::open(&path).and_then(|it| it.take(MOST_BYTES).read_to_end(&mut bytes));
    match read {
        Ok(_) => {}
        Err(err) if err.kind() == io::ErrorKind::NotFound => {
            return Err(StatusError::Missing { path });
        }
        Err(err) => return Err(unreadable(err.to_string())),
    }
    let said: Value = serde_json::from_slice(&bytes).map_err(|err| unreadable(err.to_string()))?;
    let text = |key: &str| said.get(key).and_then(Value::as_str).map(str::to_owned);
    let ticks = process.start.rsplit(':').next().unwrap_or_default();
    let is_its = said.get("pid").and_then(Value::as_u64) == Some(u64::from(process.pid))
        && text("procStart").is_none_or(|it| it == ticks);
    if !is_its {
        return Err(StatusError::Another { path });
    }
    let since = said.get("statusUpdatedAt").and_then(Value::as_i64);
    Ok(Status {
        session: text("sessionId").unwrap_or_default(),
        word: text("status").unwrap_or_default(),
        waiting_for: text("waitingFor"),
        since: since.and_then(|it| Timestamp::from_millisecond(it).ok()),
    })
}

/// The configuration directory that a process was started with.
pub fn config_directory(pid: u32) -> Option<PathBuf> {
    let mut bytes = Vec::new();
    File::open(format!("/proc/{pid}/environ"))
        .ok()?
        .take(MOST_BYTES)
        .read_to_end(&mut bytes)
        .ok()?;
    let variable = |name: &[u8]| {
        let value = bytes.split(|it| *it == 0).find_map(|line| line.strip_prefix(name))?;
        (!value.is_empty()).then(|| PathBuf::from(std::ffi::OsStr::from_bytes(value)))
    };
    variable(b"CLAUDE_CONFIG_DIR=").or_else(|| variable(b"HOME=").map(|it| it.join(".claude")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Identity {
        proc::own_identity().unwrap()
    }

    /// A configuration directory with a status file of this process.
    fn with(text: &str) -> (tempfile::TempDir, Result<Status, StatusError>) {
        let directory = tempfile::tempdir().unwrap();
        let sessions = directory.path().join("sessions");
        std::fs::create_dir(&sessions).unwrap();
        std::fs::write(sessions.join(format!("{}.json", own().pid)), text).unwrap();
        let status = status_in(directory.path(), &own());
        (directory, status)
    }

    fn said(start: &str) -> String {
        let pid = own().pid;
        format!(
            r#"{{"pid":{pid},"sessionId":"s","procStart":"{start}","status":"waiting","waitingFor":"permission prompt","statusUpdatedAt":1796072417523}}"#
        )
    }

    #[test]
    fn a_process_says_what_it_does_and_since_when() {
        let start = own().start;
        let (_directory, status) = with(&said(start.rsplit(':').next().unwrap()));
        let status = status.unwrap();
        assert_eq!((status.word.as_str(), status.session.as_str()), ("waiting", "s"));
        assert_eq!(status.waiting_for.as_deref(), Some("permission prompt"));
        assert_eq!(status.since.unwrap().as_millisecond(), 1_796_072_417_523);
    }

    #[test]
    fn a_file_that_an_earlier_process_of_the_same_number_left_says_nothing() {
        let (_directory, status) = with(&said("1"));
        assert!(matches!(status, Err(StatusError::Another { .. })));
    }

    #[test]
    fn half_a_file_no_file_and_a_file_of_nobody_are_told_apart() {
        for text in ["", "{\"pid\":", "[]", "\u{0}"] {
            let (_directory, status) = with(text);
            assert!(status.is_err(), "{text}");
        }
        let empty = tempfile::tempdir().unwrap();
        let status = status_in(empty.path(), &own());
        assert!(matches!(status, Err(StatusError::Missing { .. })));
    }
}
