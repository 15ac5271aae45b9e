//! What `.gitmodules` says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::error::GitError;
use super::run::{failed, git, parts, path as path_of};
use crate::process::Exit;

/// The paths that `.gitmodules` names.
pub(super) fn named(checkout: &Path) -> Result<BTreeSet<PathBuf>, GitError> {
    if !checkout.join(".gitmodules").exists() {
        return Ok(BTreeSet::new());
    }
    let words = ["config", "--file", ".gitmodules", "-z", "--get-regexp"];
    let command = git(checkout).args(words).arg(r"^submodule\..*\.path$");
    let output = command.run()?;
    match output.status {
        // Nothing of the kind is in it.
        Exit::Code(0 | 1) => {}
        _ => return Err(failed(&command, &output)),
    }
    let value = |entry: &[u8]| Some(path_of(entry.splitn(2, |it| *it == b'\n').nth(1)?));
    Ok(parts(&output.stdout).filter_map(value).collect())
}
