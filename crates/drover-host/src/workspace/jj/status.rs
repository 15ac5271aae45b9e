//! A workspace's state in the words that all kinds of checkouts share; its branch follows its work.

use std::path::{Path, PathBuf};

use super::look::{Seen, is_root, look, look_at_open};
use super::run::{aside, jj};
use crate::workspace::git::{self, GitError, Oid, Operation, Status};
use crate::workspace::place::Place;

/// Looks at a workspace and brings its branch to where its work is.
///
/// jj's own branches stay behind when work goes on, so nobody but us moves this one: forward, to the
/// last commit below the workspace's open one, and never onto one that holds a conflict.
pub(super) fn status(place: &Place<'_>) -> Result<Status, GitError> {
    let mut seen = look(place)?;
    let mut tip = git::branch_tip(place.source, place.branch)?;
    if !seen.is_stale && seen.branch != tip {
        // Either side may know of a move that the other does not.
        exchange(place.path)?;
        seen = look(place)?;
        tip = git::branch_tip(place.source, place.branch)?;
    }
    let head = head(&seen);
    let is_on_branch = match (&head, &tip) {
        (Some(head), Some(tip)) => git::is_ancestor(place.source, tip, head)?,
        _ => false,
    };
    if let (Some(head), Some(tip), true) =
        (&head, &tip, is_on_branch && !seen.is_stale && seen.conflicts.is_empty())
        && head != tip
    {
        match git::update_ref_cas(place.source, &full_name(place), head, tip) {
            // Somebody else has looked at the same moment.
            Ok(()) | Err(GitError::Moved { .. }) => exchange(place.path)?,
            Err(err) => return Err(err),
        }
    }
    let (untracked, ignored) = match (&seen.commit, seen.is_stale) {
        (Some(commit), false) => left_out(place, commit)?,
        _ => (Vec::new(), Vec::new()),
    };
    Ok(Status {
        head,
        branch: is_on_branch.then(|| place.branch.to_owned()),
        staged: Vec::new(),
        modified: seen.files,
        unmerged: seen.conflicts,
        untracked,
        ignored,
        operation: seen.is_stale.then_some(Operation::Rewrite),
    })
}

/// The state of whatever workspace a directory is, without its branch and what jj leaves out.
pub(super) fn unnamed(root: &Path) -> Result<Status, GitError> {
    let seen = look_at_open(root)?;
    Ok(Status {
        head: head(&seen),
        modified: seen.files,
        unmerged: seen.conflicts,
        operation: seen.is_stale.then_some(Operation::Rewrite),
        ..Status::default()
    })
}

/// The full name of a checkout's branch.
pub(super) fn full_name(place: &Place<'_>) -> String {
    format!("refs/heads/{}", place.branch)
}

/// The last commit of a workspace's work: below the open commit, unless that brings two lines
/// together.
pub(super) fn head(seen: &Seen) -> Option<Oid> {
    let is_merge = seen.is_empty && seen.parents.len() > 1;
    let head = if is_merge { seen.commit.as_ref() } else { seen.work.as_ref() };
    head.filter(|it| !is_root(it)).cloned()
}

/// Tells jj of what git knows, and git of what jj knows.
pub(super) fn exchange(path: &Path) -> Result<(), GitError> {
    jj(path).args(["git", "import"]).run_ok()?;
    aside(path).args(["git", "export"]).run_ok()?;
    Ok(())
}

/// Files that the open commit does not hold: such as jj does not take up, and ignored ones.
fn left_out(place: &Place<'_>, commit: &Oid) -> Result<(Vec<PathBuf>, Vec<PathBuf>), GitError> {
    let jj = place.path.join(".jj");
    // Of this look alone: others may look at the same time.
    let private = tempfile::Builder::new().prefix("drover-").tempdir_in(&jj);
    let private = private.map_err(|source| GitError::Io { path: jj, source })?;
    let (mut untracked, mut ignored) =
        git::files_beside(place.path, commit, &private.path().join("index"))?;
    for list in [&mut untracked, &mut ignored] {
        list.retain(|it| !it.starts_with(".jj"));
    }
    Ok((untracked, ignored))
}
