//! Stashes: one stack for all checkouts of a repository, so removing a checkout loses none.

use std::path::Path;

use super::error::GitError;
use super::run::{git, parts};

/// The stashes that were made on a branch, as git describes them, newest first.
pub fn stashes(repository: &Path, branch: &str) -> Result<Vec<String>, GitError> {
    let output = git(repository).args(["stash", "list", "-z", "--format=%gd: %gs"]).run_ok()?;
    let is_of_branch = |line: &String| {
        line.split_once(": ").is_some_and(|(_, words)| {
            ["WIP on ", "On "].iter().any(|start| {
                words
                    .strip_prefix(start)
                    .and_then(|it| it.strip_prefix(branch))
                    .is_some_and(|it| it.starts_with(':'))
            })
        })
    };
    let lines = parts(&output.stdout).map(|it| String::from_utf8_lossy(it).into_owned());
    Ok(lines.filter(is_of_branch).collect())
}
