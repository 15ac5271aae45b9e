//! Finding the repository of a jj workspace, and where work in it begins.

use std::path::{Path, PathBuf};

use super::run::aside;
use crate::workspace::git::{self, GitError, Oid, Repository};

/// The repository whose workspace a directory is, as its first workspace shows it.
///
/// Work begins at the commit below the first workspace's open one, as it would with git's head.
pub(super) fn find(root: &Path) -> Result<Repository, GitError> {
    let unknown = || GitError::NotARepository { path: root.to_owned() };
    let shared = git::jj_repository(root).ok_or_else(unknown)?;
    // `<first workspace>/.jj/repo`
    let toplevel = shared.ancestors().nth(2).ok_or_else(unknown)?.to_owned();
    aside(&toplevel).args(["git", "export"]).run_ok()?;
    let template = r#"commit_id ++ "\n" ++ local_bookmarks.map(|it| it.name()).join("\n") ++ "\n""#;
    let words = ["log", "--no-graph", "-r", "latest(@- ~ root())", "-T", template];
    let text = aside(&toplevel).args(words).run_ok()?.text();
    let mut lines = text.lines();
    let Some(head) = lines.next().and_then(Oid::parse) else {
        return Err(GitError::NoCommits { path: toplevel });
    };
    let branch = lines.find(|it| !it.is_empty() && !it.starts_with("drover/")).map(str::to_owned);
    let git_common_dir: PathBuf = git::directories(&toplevel)?.common;
    Ok(Repository { toplevel, git_common_dir, head, branch })
}
