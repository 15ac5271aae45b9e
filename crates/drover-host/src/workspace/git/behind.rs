//! The git store of a directory that jj keeps without a `.git` of its own.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// Where jj keeps what the workspace in a directory shares with the others; none if it keeps none there.
pub fn jj_repository(directory: &Path) -> Option<PathBuf> {
    let jj = directory.join(".jj");
    let repository = jj.join("repo");
    // The first workspace has the repository itself, the others a file that names it.
    let repository = if repository.is_file() { jj.join(path_in(&repository)?) } else { repository };
    repository.canonicalize().ok()
}

/// The git directory of a directory that jj keeps; none where git finds one by itself.
pub(super) fn store(directory: &Path) -> Option<PathBuf> {
    if directory.join(".git").symlink_metadata().is_ok() || !directory.join(".jj").is_dir() {
        return None;
    }
    let store = jj_repository(directory)?.join("store");
    store.join(path_in(&store.join("git_target"))?).canonicalize().ok()
}

/// The path that is all a file holds.
fn path_in(file: &Path) -> Option<PathBuf> {
    let mut bytes = std::fs::read(file).ok()?;
    bytes.truncate(bytes.trim_ascii_end().len());
    Some(PathBuf::from(OsString::from_vec(bytes)))
}
