//! What a line of work changes.

use std::path::{Path, PathBuf};

use super::error::GitError;
use super::oid::Oid;
use super::run::{git, path as path_of};

/// How much a file changes; no numbers for one that is not text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The file.
    pub path: PathBuf,
    /// Lines it gains.
    pub added: Option<u64>,
    /// Lines it loses.
    pub removed: Option<u64>,
}

/// The difference from a commit to another, or to what lies in the checkout; as text to be read.
pub fn diff(checkout: &Path, from: &Oid, to: Option<&Oid>) -> Result<String, GitError> {
    let words = ["diff", "--no-ext-diff", "--no-color", from.as_str()];
    let command = git(checkout).args(words).args(to.map(Oid::as_str)).arg("--");
    Ok(String::from_utf8_lossy(&command.run_ok()?.stdout).into_owned())
}

/// The files of that difference.
pub fn changes(checkout: &Path, from: &Oid, to: Option<&Oid>) -> Result<Vec<FileChange>, GitError> {
    let words = ["diff", "--no-ext-diff", "--no-renames", "--numstat", "-z", from.as_str()];
    let command = git(checkout).args(words).args(to.map(Oid::as_str)).arg("--");
    let output = command.run_ok()?;
    let unreadable = || GitError::Unreadable { command_line: command.command_line() };
    let lines = output.stdout.split(|it| *it == 0).filter(|it| !it.is_empty());
    lines.map(|line| change(line).ok_or_else(unreadable)).collect()
}

/// `<added> TAB <removed> TAB <path>`, dashes for what is not text.
fn change(line: &[u8]) -> Option<FileChange> {
    let mut fields = line.splitn(3, |it| *it == b'\t');
    let mut number = || {
        let field = fields.next()?;
        Some(std::str::from_utf8(field).ok()?.parse::<u64>().ok())
    };
    let (added, removed) = (number()?, number()?);
    Some(FileChange { path: path_of(fields.next()?), added, removed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_numbers_is_read_whatever_the_path_holds() {
        let text = change(b"3\t0\ta\tb").unwrap();
        let expected = FileChange { path: PathBuf::from("a\tb"), added: Some(3), removed: Some(0) };
        assert_eq!(text, expected);
        assert_eq!(change(b"-\t-\timage").unwrap().added, None);
        assert_eq!(change(b"3"), None);
    }
}
