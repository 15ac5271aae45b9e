//! Workspaces made, forgotten and removed; one at a time for each repository.

use std::path::Path;

use super::look::{look, names};
use super::run::{WRITE, aside, jj, quoted};
use super::status::{exchange, full_name, status};
use crate::files;
use crate::lock::Locks;
use crate::workspace::git::{self, GitError, Oid};
use crate::workspace::place::Place;

/// Makes a workspace that is named as its branch, and takes everything back if it is not as it should be.
pub(super) fn add(locks: &Locks, place: &Place<'_>) -> Result<(), GitError> {
    let _lock = git::lock(locks, place.source)?;
    git::check_branch_is_free(place.source, place.branch)?;
    let path = place.path.to_owned();
    if path.symlink_metadata().is_ok() {
        return Err(GitError::DirectoryExists { path });
    }
    if is_remembered(place)? {
        return Err(GitError::DirectoryMissing { path });
    }
    if let Some(parent) = place.path.parent() {
        files::make_private_directory(parent)
            .map_err(|source| GitError::Io { path: parent.to_owned(), source })?;
    }
    let made = make(place).and_then(|()| verified(place));
    if made.is_err() {
        undo(place);
    }
    made
}

fn make(place: &Place<'_>) -> Result<(), GitError> {
    git::create_branch(place.source, place.branch, place.base)?;
    aside(place.source).args(["git", "import"]).run_ok()?;
    // Without a worktree of git beside it, which newer versions would make: nobody would keep it.
    let words = ["--config", "git.colocate=false", "workspace", "add", "--name", place.branch];
    let command = jj(place.source).args(words).args(["-r", place.base.as_str(), "--"]);
    command.arg(place.path).timeout(WRITE).run_ok()?;
    protect(place)
}

/// Has jj refuse, in this workspace, to make commits anew that stand on an integration branch: all
/// that is built on them would be made anew with them.
fn protect(place: &Place<'_>) -> Result<(), GitError> {
    let key = r#"revset-aliases."immutable_heads()""#;
    let before = jj(place.path).args(["config", "get", key]).run()?;
    let before = if before.status.is_success() { before.text() } else { String::new() };
    let before = if before.is_empty() { "builtin_immutable_heads()".to_owned() } else { before };
    let trunks = r#"present(bookmarks(glob:"drover/*/trunk"))"#;
    let value = quoted(&format!("({before}) | {trunks}"));
    jj(place.path).args(["config", "set", "--workspace", key, &value]).run_ok()?;
    Ok(())
}

fn verified(place: &Place<'_>) -> Result<(), GitError> {
    let bad = |reason: String| GitError::BadCheckout { path: place.path.to_owned(), reason };
    let status = status(place)?;
    if status.head.as_ref() != Some(place.base) || status.branch.is_none() {
        return Err(bad(format!("{} is not checked out in it", place.base)));
    }
    match status.changed().next() {
        Some(path) => Err(bad(format!("{} differs from the commit", path.display()))),
        None => Ok(()),
    }
}

/// Takes back what a maker left that died; the caller knows that nothing was there before.
pub(super) fn take_back(locks: &Locks, place: &Place<'_>) -> Result<(), GitError> {
    let _lock = git::lock(locks, place.source)?;
    undo(place);
    if is_remembered(place)? || place.path.symlink_metadata().is_ok() {
        return Err(GitError::WorktreeExists { path: place.path.to_owned() });
    }
    Ok(())
}

fn undo(place: &Place<'_>) {
    // Each step may have nothing to do; the first error is the one to be told.
    forget_settings(place.path);
    let _ = aside(place.source).args(["workspace", "forget", place.branch]).run();
    let _ = files::remove_tree(place.path);
    let _ = git::delete_ref_cas(place.source, &full_name(place), place.base);
    let _ = aside(place.source).args(["git", "import"]).run();
}

/// Whether jj remembers a workspace of this name, be its directory there or not.
pub(super) fn is_remembered(place: &Place<'_>) -> Result<bool, GitError> {
    Ok(names(place.source)?.iter().any(|it| it == place.branch))
}

/// Checks that a directory is the workspace of this name in the repository.
pub(super) fn check(place: &Place<'_>) -> Result<(), GitError> {
    let (own, shared) = (git::jj_repository(place.path), git::jj_repository(place.source));
    if own.is_some() && own == shared && is_remembered(place)? {
        return Ok(());
    }
    Err(GitError::NotAWorktree { path: place.path.to_owned() })
}

/// Forgets a workspace whose directory is gone; one whose directory exists is refused.
pub(super) fn forget(locks: &Locks, place: &Place<'_>) -> Result<(), GitError> {
    let _lock = git::lock(locks, place.source)?;
    if place.path.symlink_metadata().is_ok() {
        return Err(GitError::DirectoryExists { path: place.path.to_owned() });
    }
    if is_remembered(place)? {
        aside(place.source).args(["workspace", "forget", place.branch]).run_ok()?;
    }
    Ok(())
}

/// Forgets a workspace and removes its directory; its open commit goes if it holds changes that were
/// kept, its branch stays.
pub(super) fn remove(locks: &Locks, place: &Place<'_>, is_forced: bool) -> Result<(), GitError> {
    let _lock = git::lock(locks, place.source)?;
    check(place)?;
    let open = if is_forced {
        look(place)?.commit.filter(|_| is_forced)
    } else if status(place)?.is_clean() {
        None
    } else {
        return Err(GitError::Dirty { path: place.path.to_owned() });
    };
    aside(place.source).args(["workspace", "forget", place.branch]).run_ok()?;
    if let Some(open) = open {
        abandon(
            place.source,
            &format!("present({open}) ~ ::(bookmarks() | tags() | remote_bookmarks())"),
        )?;
    }
    remove_files(place)
}

/// Removes what a removal that was cut off has left.
pub(super) fn remove_rest(locks: &Locks, place: &Place<'_>) -> Result<(), GitError> {
    let _lock = git::lock(locks, place.source)?;
    if is_remembered(place)? {
        aside(place.source).args(["workspace", "forget", place.branch]).run_ok()?;
    }
    remove_files(place)
}

fn remove_files(place: &Place<'_>) -> Result<(), GitError> {
    forget_settings(place.path);
    files::remove_tree(place.path)
        .map_err(|source| GitError::Io { path: place.path.to_owned(), source })
}

/// Has jj show commits no more that are kept by other means; those that a workspace is on stay.
pub(super) fn abandon(directory: &Path, revisions: &str) -> Result<(), GitError> {
    let revisions = format!("({revisions}) ~ working_copies()");
    aside(directory).args(["abandon", "-r", &revisions]).run_ok()?;
    Ok(())
}

/// Deletes the branch if it still is where it was seen, and has jj know.
pub(super) fn delete_branch(place: &Place<'_>, tip: &Oid) -> Result<(), GitError> {
    git::delete_branch_cas(place.source, place.branch, tip)?;
    aside(place.source).args(["git", "import"]).run_ok()?;
    aside(place.source).args(["git", "export"]).run_ok()?;
    Ok(())
}

/// Removes the settings of a workspace, which jj keeps in the home of the person.
fn forget_settings(path: &Path) {
    let Ok(found) = aside(path).args(["config", "path", "--workspace"]).run() else { return };
    let file = std::path::PathBuf::from(found.text());
    // Nothing but a file in a folder of its own; what else jj may answer is left alone.
    if found.status.is_success() && file.is_file() && file.ends_with("config.toml") {
        let _ = std::fs::remove_file(&file);
        if let Some(folder) = file.parent() {
            let _ = std::fs::remove_file(folder.join("metadata.binpb"));
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// Brings both sides' knowledge of branches together after one of them moved.
pub(super) fn told(place: &Place<'_>) -> Result<(), GitError> {
    if place.path.is_dir() { exchange(place.path) } else { Ok(()) }
}
