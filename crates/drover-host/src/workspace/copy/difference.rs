//! What a copy changes, told by git, which can compare files of no repository.

use std::path::{Path, PathBuf};

use crate::process::{Command, Exit, Output};
use crate::workspace::git::{FileChange, GitError};
use crate::workspace::place::Place;

/// The files that differ from the source's, with the lines that each gains and loses.
pub(super) fn changes(place: &Place<'_>, files: &[PathBuf]) -> Result<Vec<FileChange>, GitError> {
    let mut found = Vec::new();
    for file in files {
        let output = compare(place, file, "--numstat")?;
        if output.status == Exit::Code(0) {
            continue;
        }
        let text = output.text();
        let mut numbers = text.splitn(3, '\t').map(str::parse);
        let mut number = || numbers.next().and_then(Result::ok);
        found.push(FileChange { path: file.clone(), added: number(), removed: number() });
    }
    Ok(found)
}

/// The differences as text.
pub(super) fn text(place: &Place<'_>, files: &[PathBuf]) -> Result<String, GitError> {
    let mut text = String::new();
    for file in files {
        text.push_str(&String::from_utf8_lossy(&compare(place, file, "--patch")?.stdout));
    }
    Ok(text)
}

fn compare(place: &Place<'_>, file: &Path, how: &str) -> Result<Output, GitError> {
    let there = |root: &Path| {
        let full = root.join(file);
        if full.symlink_metadata().is_ok() { full } else { PathBuf::from("/dev/null") }
    };
    let words = ["diff", "--no-index", "--no-ext-diff", "--no-color", how, "--"];
    let command = Command::new("git", place.source).args(words);
    let output = command.arg(there(place.source)).arg(there(place.path)).run()?;
    match output.status {
        Exit::Code(0 | 1) => Ok(output),
        _ => Err(GitError::Io {
            path: place.path.join(file),
            source: std::io::Error::other(output.error_text()),
        }),
    }
}
