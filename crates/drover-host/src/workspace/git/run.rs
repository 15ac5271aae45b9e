//! Running git: never asks, never takes optional locks, splits its lists at NUL.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::behind::store;
use super::error::GitError;
use super::oid::Oid;
use crate::process::{Command, Exit, Output};

/// For what reads.
const READ: Duration = Duration::from_mins(1);
/// For what writes a checkout: large ones, with hooks of the person's, take their time.
pub(super) const WRITE: Duration = Duration::from_mins(20);

/// A git call in a directory; its words still to be added.
pub(super) fn git(directory: &Path) -> Command {
    let command = Command::new("git", directory)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_EDITOR", "true")
        .timeout(READ);
    match store(directory) {
        // Without files: the index and the head there are those of another checkout.
        Some(store) => command.env("GIT_DIR", store).args(["-c", "core.bare=true"]),
        None => command,
    }
}

/// The path a call answers with, whatever its bytes.
pub(super) fn path_text<const N: usize>(
    directory: &Path,
    words: [&str; N],
) -> Result<PathBuf, GitError> {
    let bytes = git(directory).args(words).run_ok()?.stdout;
    Ok(path(bytes.strip_suffix(b"\n").unwrap_or(&bytes)))
}

/// The object a call answers with.
pub(super) fn oid(command: &Command) -> Result<Oid, GitError> {
    let text = command.run_ok()?.text();
    Oid::parse(text.trim())
        .ok_or_else(|| GitError::Unreadable { command_line: command.command_line() })
}

/// A call that answers yes with 0 and no with 1.
pub(super) fn yes_or_no(command: &Command) -> Result<bool, GitError> {
    let output = command.run()?;
    match output.status {
        Exit::Code(0) => Ok(true),
        Exit::Code(1) => Ok(false),
        _ => Err(failed(command, &output)),
    }
}

/// The failure of a call whose exit code was looked at.
pub(super) fn failed(command: &Command, output: &Output) -> GitError {
    GitError::Process(crate::process::ProcessError::Failed {
        command_line: command.command_line(),
        status: output.status,
        stderr: output.error_text(),
    })
}

/// The parts of a list that git ended with NUL.
pub(super) fn parts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == 0).filter(|it| !it.is_empty())
}

/// A path as git wrote it, whatever its bytes.
pub(super) fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}
