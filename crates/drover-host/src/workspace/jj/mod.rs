//! The jj backend: workspaces over a store of git, so that all about commits is git's and only the
//! checkouts are jj's.

mod change;
mod look;
mod make;
mod repository;
mod run;
mod status;

use std::path::Path;

use super::backend::Backend;
use super::git::{self, FileChange, GitError, Oid, Refresh, Removal, Repository, Rescue, Status};
use super::place::{Kind, Place};
use crate::lock::Locks;

/// Workspaces of jj.
#[derive(Debug)]
pub(super) struct Jj;

/// The repository whose jj workspace a directory is.
pub(super) fn repository(root: &Path) -> Result<Repository, GitError> {
    repository::find(root)
}

/// What the workspace that a directory is holds; of whom it is, is not asked.
pub(super) fn ground(root: &Path) -> Result<Status, GitError> {
    status::unnamed(root)
}

impl Backend for Jj {
    fn kind(&self) -> Kind {
        Kind::Jj
    }

    fn has_source(&self, source: &Path) -> Result<bool, GitError> {
        Ok(git::jj_repository(source).is_some() && git::directories(source).is_ok())
    }

    fn add(&self, locks: &Locks, place: &Place<'_>) -> Result<(), GitError> {
        make::add(locks, place)
    }

    fn take_back(&self, locks: &Locks, place: &Place<'_>) -> Result<(), GitError> {
        make::take_back(locks, place)
    }

    fn check(&self, place: &Place<'_>) -> Result<(), GitError> {
        make::check(place)
    }

    fn is_remembered(&self, place: &Place<'_>) -> Result<bool, GitError> {
        make::is_remembered(place)
    }

    fn forget(&self, locks: &Locks, place: &Place<'_>) -> Result<(), GitError> {
        make::forget(locks, place)
    }

    fn remove(&self, locks: &Locks, place: &Place<'_>, removal: Removal) -> Result<(), GitError> {
        make::remove(locks, place, removal == Removal::WithChanges)
    }

    fn remove_rest(&self, locks: &Locks, place: &Place<'_>) -> Result<(), GitError> {
        make::remove_rest(locks, place)
    }

    fn delete_branch(&self, place: &Place<'_>, tip: &Oid) -> Result<(), GitError> {
        make::delete_branch(place, tip)
    }

    fn status(&self, place: &Place<'_>) -> Result<Status, GitError> {
        status::status(place)
    }

    fn commit_all(&self, place: &Place<'_>, message: &str) -> Result<Option<Oid>, GitError> {
        change::commit_all(place, message)
    }

    fn refresh(&self, place: &Place<'_>, onto: &Oid) -> Result<Refresh, GitError> {
        change::refresh(place, onto)
    }

    fn rescue(&self, place: &Place<'_>, prefix: &str) -> Result<Option<Rescue>, GitError> {
        change::rescue(place, prefix).map(Some)
    }

    fn set_back(&self, place: &Place<'_>, to: &Oid) -> Result<(), GitError> {
        change::set_back(place, to)
    }

    fn branches_moved(&self, place: &Place<'_>) -> Result<(), GitError> {
        make::told(place)
    }

    fn changes(&self, place: &Place<'_>, from: &Oid) -> Result<Vec<FileChange>, GitError> {
        git::changes(place.source, from, look::look(place)?.commit.as_ref())
    }

    fn diff(&self, place: &Place<'_>, from: &Oid) -> Result<String, GitError> {
        git::diff(place.source, from, look::look(place)?.commit.as_ref())
    }
}
