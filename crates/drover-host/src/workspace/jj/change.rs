//! Work in a workspace: committed, brought onto newer work, kept aside, put back.

use std::path::Path;

use super::look::look;
use super::make::abandon;
use super::run::{WRITE, jj};
use super::status::{exchange, full_name, head, status};
use crate::process::Command;
use crate::workspace::git::{self, GitError, Oid, Refresh, Rescue};
use crate::workspace::place::Place;

/// Commits all changes but ignored files; `None` if there are none.
pub(super) fn commit_all(place: &Place<'_>, message: &str) -> Result<Option<Oid>, GitError> {
    let before = status(place)?;
    let path = place.path.to_owned();
    if let Some(operation) = before.operation {
        return Err(GitError::InProgress { path, operation: operation.word() });
    }
    if !before.unmerged.is_empty() {
        return Err(GitError::InProgress { path, operation: "conflict" });
    }
    // A repository of its own, of which a commit would hold nothing.
    let is_inner = |it: &&std::path::PathBuf| it.as_os_str().as_encoded_bytes().ends_with(b"/");
    let inner: Vec<_> = before.untracked.iter().filter(is_inner).cloned().collect();
    if !inner.is_empty() {
        return Err(GitError::InnerRepository { path, paths: inner });
    }
    if before.is_clean() {
        return Ok(None);
    }
    // Large files and files that are not taken up by themselves belong to the work as well.
    let all = ["--config", "snapshot.max-new-file-size=0", "--config", "snapshot.auto-track=all()"];
    let command = identified(place.path)?.args(all).args(["commit", "--message", message]);
    command.timeout(WRITE).run_ok()?;
    Ok(status(place)?.head)
}

/// Brings a clean workspace onto newer work by a merge, or leaves it exactly as it was.
///
/// Whether it can be merged is found out before anything is touched, and the merge is git's: what was
/// forecast is what happens.
pub(super) fn refresh(place: &Place<'_>, onto: &Oid) -> Result<Refresh, GitError> {
    let before = status(place)?;
    let path = place.path.to_owned();
    if let Some(operation) = before.operation {
        return Err(GitError::InProgress { path, operation: operation.word() });
    }
    let (true, Some(head), Some(_)) = (before.is_clean(), before.head, before.branch) else {
        return Err(GitError::Dirty { path });
    };
    if git::is_ancestor(place.source, onto, &head)? {
        return Ok(Refresh::UpToDate);
    }
    let files = git::conflicts(place.source, &head, onto)?;
    if !files.is_empty() {
        return Ok(Refresh::Conflict(files));
    }
    let paths = git::in_the_way_of_commit(place.path, &head, onto)?;
    if !paths.is_empty() {
        return Err(GitError::WouldOverwrite { path, paths });
    }
    let new = if git::is_ancestor(place.source, &head, onto)? {
        onto.clone()
    } else {
        let message = format!("Merge commit '{onto}' into {}\n", place.branch);
        git::merge_commit(place.source, (&head, onto), &message)?
    };
    git::update_ref_cas(place.source, &full_name(place), &new, &head)?;
    exchange(place.path)?;
    identified(place.path)?.args(["new", new.as_str()]).timeout(WRITE).run_ok()?;
    let after = status(place)?;
    if after.head.as_ref() != Some(&new) || !after.is_clean() {
        let reason = format!("it could not be brought to {new}");
        return Err(GitError::BadCheckout { path, reason });
    }
    Ok(Refresh::Moved(new))
}

/// Keeps the last commit and the files of a workspace under `<prefix>/head` and `<prefix>/tree`.
///
/// Ignored files, and those that jj does not take up, are not among them.
pub(super) fn rescue(place: &Place<'_>, prefix: &str) -> Result<Rescue, GitError> {
    let mut seen = look(place)?;
    if seen.is_stale {
        // Takes a snapshot of what is there before it brings the files up.
        jj(place.path).args(["workspace", "update-stale"]).timeout(WRITE).run_ok()?;
        seen = look(place)?;
    }
    let gone = || GitError::NoCommits { path: place.path.to_owned() };
    let head = head(&seen).ok_or_else(gone)?;
    let files = seen.commit.ok_or_else(gone)?;
    let keep = |name: &str, commit: &Oid| {
        let full = format!("{prefix}/{name}");
        git::set_ref(place.source, &full, commit).map(|()| full)
    };
    let tree = keep("tree", &files)?;
    // Last: where it is, all of them are.
    Ok(Rescue { head: keep("head", &head)?, index: None, tree, begun: Vec::new() })
}

/// Puts a workspace's branch and files back to a commit; ignored files stay.
///
/// What is thrown away must have been kept before, as by [`rescue`].
pub(super) fn set_back(place: &Place<'_>, to: &Oid) -> Result<(), GitError> {
    let Some(open) = look(place)?.commit else { return Ok(()) };
    identified(place.path)?.args(["new", to.as_str()]).timeout(WRITE).run_ok()?;
    if let Some(tip) = git::branch_tip(place.source, place.branch)?
        && tip != *to
    {
        git::update_ref_cas(place.source, &full_name(place), to, &tip)?;
    }
    exchange(place.path)?;
    let kept = "::(bookmarks() | tags() | remote_bookmarks())";
    abandon(place.path, &format!("({to}..present({open})) ~ {kept}"))
}

/// A jj call that may write commits: under the person's name, or ours where jj knows none.
fn identified(directory: &Path) -> Result<Command, GitError> {
    let has = |key: &str| -> Result<bool, GitError> {
        let found = jj(directory).args(["config", "get", key]).run()?;
        Ok(found.status.is_success() && !found.text().is_empty())
    };
    let command = jj(directory);
    if has("user.name")? && has("user.email")? {
        return Ok(command);
    }
    Ok(command.args(["--config", "user.name=Drover", "--config", "user.email=drover@localhost"]))
}
