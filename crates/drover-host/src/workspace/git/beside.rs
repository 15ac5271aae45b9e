//! What lies beside the files of a commit in a directory that is no checkout of git.

use std::path::{Path, PathBuf};

use super::error::GitError;
use super::oid::Oid;
use super::run::{git, parts, path as path_of};

/// The files of a directory that a commit does not hold: those not ignored, and those that are.
///
/// Works with an index of its own at the given place, which the caller removes.
pub(crate) fn files_beside(
    directory: &Path,
    commit: &Oid,
    index: &Path,
) -> Result<(Vec<PathBuf>, Vec<PathBuf>), GitError> {
    let with_index = || {
        let command = git(directory).args(["-c", "core.bare=false"]);
        command.env("GIT_WORK_TREE", directory).env("GIT_INDEX_FILE", index)
    };
    with_index().args(["read-tree", commit.as_str()]).run_ok()?;
    let list = |words: &[&str]| -> Result<Vec<PathBuf>, GitError> {
        let command = with_index().args(["ls-files", "-z", "--others", "--exclude-standard"]);
        let output = command.args(words.iter().copied()).run_ok()?;
        Ok(parts(&output.stdout).map(path_of).collect())
    };
    Ok((list(&[])?, list(&["--ignored"])?))
}
