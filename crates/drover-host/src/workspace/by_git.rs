//! Worktrees of git under the contract of checkouts.

use std::path::{Path, PathBuf};

use super::backend::Backend;
use super::git::{
    self, Branch, FileChange, GitError, NewWorktree, Oid, Refresh, RefreshBy, Removal, Rescue,
    Status,
};
use super::place::{Kind, Place};
use crate::lock::Locks;

/// Worktrees of git.
#[derive(Debug)]
pub(super) struct Git;

fn new<'a>(place: &Place<'a>) -> NewWorktree<'a> {
    let branch = Branch::New { name: place.branch.to_owned(), start: place.base.clone() };
    NewWorktree { repository: place.source, path: place.path, branch }
}

impl Backend for Git {
    fn kind(&self) -> Kind {
        Kind::Git
    }

    fn has_source(&self, source: &Path) -> Result<bool, GitError> {
        match git::repository(source) {
            Ok(_) => Ok(true),
            Err(GitError::NotARepository { .. } | GitError::RepositoryGone { .. }) => Ok(false),
            Err(err) => Err(err),
        }
    }

    fn add(&self, locks: &Locks, place: &Place<'_>) -> Result<(), GitError> {
        git::add_worktree(locks, &new(place)).map(|_| ())
    }

    fn take_back(&self, locks: &Locks, place: &Place<'_>) -> Result<(), GitError> {
        git::take_back_worktree(locks, &new(place))
    }

    fn check(&self, place: &Place<'_>) -> Result<(), GitError> {
        git::check_worktree(place.path).map(|_| ())
    }

    fn is_remembered(&self, place: &Place<'_>) -> Result<bool, GitError> {
        Ok(git::worktree_at(place.source, place.path)?.is_some())
    }

    fn forget(&self, locks: &Locks, place: &Place<'_>) -> Result<(), GitError> {
        git::forget_missing_worktree(locks, place.source, place.path)
    }

    fn remove(&self, locks: &Locks, place: &Place<'_>, removal: Removal) -> Result<(), GitError> {
        git::remove_worktree(locks, place.source, place.path, removal)
    }

    fn remove_rest(&self, locks: &Locks, place: &Place<'_>) -> Result<(), GitError> {
        git::remove_private_worktree(locks, place.source, place.path)
    }

    fn delete_branch(&self, place: &Place<'_>, tip: &Oid) -> Result<(), GitError> {
        git::delete_branch_cas(place.source, place.branch, tip)
    }

    fn status(&self, place: &Place<'_>) -> Result<Status, GitError> {
        git::status(place.path)
    }

    fn hidden(&self, place: &Place<'_>) -> Result<Vec<PathBuf>, GitError> {
        git::hidden(place.path)
    }

    fn inner_work(&self, place: &Place<'_>) -> Result<Vec<PathBuf>, GitError> {
        git::submodules_with_work(place.path)
    }

    /// Repositories of their own: git lists every file of an untracked directory, unless it is one.
    fn unkept(&self, place: &Place<'_>, status: &Status) -> Result<Vec<PathBuf>, GitError> {
        let is_directory = |it: &&PathBuf| it.as_os_str().as_encoded_bytes().ends_with(b"/");
        let inner = status.untracked.iter().filter(is_directory);
        let mut found: Vec<PathBuf> = inner.map(|it| it.components().collect()).collect();
        found.extend(git::unnamed_repositories(place.path)?);
        Ok(found)
    }

    fn commit_all(&self, place: &Place<'_>, message: &str) -> Result<Option<Oid>, GitError> {
        git::commit_all(place.path, message)
    }

    fn refresh(&self, place: &Place<'_>, onto: &Oid) -> Result<Refresh, GitError> {
        git::refresh(place.path, onto, RefreshBy::Merge)
    }

    fn rescue(&self, place: &Place<'_>, prefix: &str) -> Result<Option<Rescue>, GitError> {
        git::rescue_submodules(place.path, prefix)?;
        git::rescue(place.path, prefix).map(Some)
    }

    fn set_back(&self, place: &Place<'_>, to: &Oid) -> Result<(), GitError> {
        git::set_back(place.path, to)
    }

    fn changes(&self, place: &Place<'_>, from: &Oid) -> Result<Vec<FileChange>, GitError> {
        git::changes(place.path, from, None)
    }

    fn diff(&self, place: &Place<'_>, from: &Oid) -> Result<String, GitError> {
        git::diff(place.path, from, None)
    }
}
