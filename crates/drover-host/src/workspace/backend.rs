//! What every kind of checkout can do, in one contract.

use std::fmt;
use std::path::{Path, PathBuf};

use super::git::{FileChange, GitError, Oid, Refresh, Removal, Rescue, Status};
use super::place::{Kind, Place};
use crate::lock::Locks;

/// The checkouts of one kind: each made whole or not at all, and nothing removed that was not asked for.
pub trait Backend: fmt::Debug + Sync {
    /// The kind.
    fn kind(&self) -> Kind;

    /// Whether the place that checkouts are made from is where it was.
    fn has_source(&self, source: &Path) -> Result<bool, GitError>;

    /// Makes a checkout at its base, checks it, and takes all back if it is not as it should be.
    fn add(&self, locks: &Locks, place: &Place<'_>) -> Result<(), GitError>;

    /// Takes back a checkout in which nobody has worked, however little of it was made.
    fn take_back(&self, locks: &Locks, place: &Place<'_>) -> Result<(), GitError>;

    /// Checks that a directory is this checkout.
    fn check(&self, place: &Place<'_>) -> Result<(), GitError>;

    /// Whether the repository remembers this checkout, be its directory there or not.
    fn is_remembered(&self, place: &Place<'_>) -> Result<bool, GitError>;

    /// Forgets a checkout whose directory is gone; one whose directory exists is refused.
    fn forget(&self, locks: &Locks, place: &Place<'_>) -> Result<(), GitError>;

    /// Removes a checkout and its directory; its branch stays.
    fn remove(&self, locks: &Locks, place: &Place<'_>, removal: Removal) -> Result<(), GitError>;

    /// Removes what a removal that was cut off has left.
    fn remove_rest(&self, locks: &Locks, place: &Place<'_>) -> Result<(), GitError>;

    /// Deletes the branch of its own, if it still is where it was seen.
    fn delete_branch(&self, place: &Place<'_>, tip: &Oid) -> Result<(), GitError>;

    /// What a checkout holds besides its last commit. Its branch is where its work is afterwards.
    fn status(&self, place: &Place<'_>) -> Result<Status, GitError>;

    /// Files that are told to be taken for unchanged, whatever is in them.
    fn hidden(&self, _: &Place<'_>) -> Result<Vec<PathBuf>, GitError> {
        Ok(Vec::new())
    }

    /// Repositories inside, with changes or commits that are nowhere else.
    fn inner_work(&self, _: &Place<'_>) -> Result<Vec<PathBuf>, GitError> {
        Ok(Vec::new())
    }

    /// What no ref can keep, as paths that are moved aside: given what a look has found.
    fn unkept(&self, _: &Place<'_>, status: &Status) -> Result<Vec<PathBuf>, GitError> {
        // Without their last slash, which would make a name of nothing behind it.
        Ok(status.untracked.iter().map(|it| it.components().collect()).collect())
    }

    /// Commits all changes but ignored files; `None` if there are none.
    fn commit_all(&self, place: &Place<'_>, message: &str) -> Result<Option<Oid>, GitError>;

    /// Brings a clean checkout onto newer work, or leaves it exactly as it was.
    fn refresh(&self, place: &Place<'_>, onto: &Oid) -> Result<Refresh, GitError>;

    /// Keeps under refs below a prefix what refs can keep; none where there are no refs.
    fn rescue(&self, place: &Place<'_>, prefix: &str) -> Result<Option<Rescue>, GitError>;

    /// Puts branch and files back to a commit; what is thrown away must have been kept before.
    fn set_back(&self, place: &Place<'_>, to: &Oid) -> Result<(), GitError>;

    /// Says that branches have moved, for those who keep them in a second place.
    fn branches_moved(&self, _: &Place<'_>) -> Result<(), GitError> {
        Ok(())
    }

    /// What its files change against a commit.
    fn changes(&self, place: &Place<'_>, from: &Oid) -> Result<Vec<FileChange>, GitError>;

    /// That difference as text to be read.
    fn diff(&self, place: &Place<'_>, from: &Oid) -> Result<String, GitError>;
}
