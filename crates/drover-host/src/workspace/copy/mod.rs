//! The copy backend: directories without a history, each copied whole; what was copied is remembered,
//! so that what an agent changed can be told, kept, and brought onto newer contents.

mod difference;
mod manifest;

use std::io;
use std::path::{Path, PathBuf};

use drover_core::workspace::wanted;

use self::manifest::Manifest;
use super::backend::Backend;
use super::git::{FileChange, GitError, Oid, Refresh, Removal, Repository, Rescue, Status};
use super::place::{Kind, Place};
use crate::files;
use crate::lock::Locks;

/// Plain copies.
#[derive(Debug)]
pub(super) struct Copies;

/// A directory as the source of copies: its contents' digest stands for a commit.
pub(super) fn source(path: &Path) -> Result<Repository, GitError> {
    let toplevel = path.canonicalize().map_err(at(path))?;
    let head = contents(&toplevel)?;
    Ok(Repository { git_common_dir: PathBuf::new(), head, branch: None, toplevel })
}

/// The digest of what a directory holds now.
pub(super) fn contents(path: &Path) -> Result<Oid, GitError> {
    digest(&Manifest::of(path, None).map_err(at(path))?, path)
}

fn digest(manifest: &Manifest, path: &Path) -> Result<Oid, GitError> {
    manifest.digest().ok_or_else(|| GitError::NotAWorktree { path: path.to_owned() })
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> GitError {
    let path = path.to_owned();
    move |source| GitError::Io { path, source }
}

/// Where is kept what was copied: beside the copy, so that the agent's directory holds nothing of ours.
fn record(place: &Place<'_>) -> PathBuf {
    let name = place.path.file_name().unwrap_or_default().to_string_lossy();
    place.path.with_file_name(format!(".{name}.copied"))
}

fn copied(place: &Place<'_>) -> Result<Manifest, GitError> {
    let unknown = || GitError::NotAWorktree { path: place.path.to_owned() };
    match std::fs::read(record(place)) {
        Ok(bytes) => Manifest::parse(&bytes).ok_or_else(unknown),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Err(unknown()),
        Err(err) => Err(at(&record(place))(err)),
    }
}

fn keep(place: &Place<'_>, manifest: &Manifest) -> Result<(), GitError> {
    let file = record(place);
    files::write_atomic(&file, &manifest.to_bytes()).map_err(at(&file))
}

fn remove_all(place: &Place<'_>) -> Result<(), GitError> {
    files::remove_tree(place.path).map_err(at(place.path))?;
    let file = record(place);
    files::remove_tree(&file).map_err(at(&file))
}

fn make(place: &Place<'_>) -> Result<(), GitError> {
    files::copy_tree(place.source, place.path).map_err(at(place.path))?;
    let manifest = Manifest::of(place.path, None).map_err(at(place.path))?;
    if digest(&manifest, place.path)? != *place.base {
        let reason = format!("{} changed while it was copied", place.source.display());
        return Err(GitError::BadCheckout { path: place.path.to_owned(), reason });
    }
    keep(place, &manifest)
}

/// Newer contents, file by file: what only the source changed is taken over.
fn bring(place: &Place<'_>) -> Result<Refresh, GitError> {
    let base = copied(place)?;
    let ours = Manifest::of(place.path, Some(&base)).map_err(at(place.path))?;
    let theirs = Manifest::of(place.source, None).map_err(at(place.source))?;
    let mut taken = Vec::new();
    let mut conflicts = Vec::new();
    let mut paths: Vec<&PathBuf> = base.0.keys().chain(theirs.0.keys()).collect();
    paths.sort();
    paths.dedup();
    for path in paths {
        let (was, mine, new) = (base.0.get(path), ours.0.get(path), theirs.0.get(path));
        let like =
            |one: Option<&manifest::Entry>, other: Option<&manifest::Entry>| match (one, other) {
                (Some(one), Some(other)) => one.is_like(other),
                (None, None) => true,
                _ => false,
            };
        if like(new, was) || like(new, mine) {
            continue;
        }
        if like(mine, was) && has_room(place.path, path) { &mut taken } else { &mut conflicts }
            .push(path.clone());
    }
    if !conflicts.is_empty() {
        return Ok(Refresh::Conflict(conflicts));
    }
    if taken.is_empty() && base.digest() == theirs.digest() {
        return Ok(Refresh::UpToDate);
    }
    for path in &taken {
        take(place, path)?;
    }
    // What was taken over is not the agent's own: from now on it counts from the newer contents.
    keep(place, &theirs)?;
    digest(&theirs, place.source).map(Refresh::Moved)
}

/// Whether no file stands where a directory must be.
fn has_room(root: &Path, path: &Path) -> bool {
    let above = path.ancestors().skip(1).filter(|it| !it.as_os_str().is_empty());
    let full = root.join(path);
    !full.is_dir()
        && above.map(|it| root.join(it)).all(|it| it.is_dir() || it.symlink_metadata().is_err())
}

fn take(place: &Place<'_>, path: &Path) -> Result<(), GitError> {
    let (from, to) = (place.source.join(path), place.path.join(path));
    files::remove_tree(&to).map_err(at(&to))?;
    if from.symlink_metadata().is_ok() {
        let folder = to.parent().unwrap_or(place.path);
        std::fs::create_dir_all(folder).map_err(at(folder))?;
        files::copy_tree(&from, &to).map_err(at(&to))?;
    }
    Ok(())
}

fn no_history(place: &Place<'_>) -> GitError {
    GitError::NoHistory { path: place.path.to_owned() }
}

impl Backend for Copies {
    fn kind(&self) -> Kind {
        Kind::Copy
    }

    fn has_source(&self, source: &Path) -> Result<bool, GitError> {
        Ok(source.is_dir())
    }

    fn add(&self, _: &Locks, place: &Place<'_>) -> Result<(), GitError> {
        let path = place.path.to_owned();
        if path.symlink_metadata().is_ok() {
            return Err(GitError::DirectoryExists { path });
        }
        if !place.source.is_dir() {
            return Err(GitError::NotARepository { path: place.source.to_owned() });
        }
        if let Some(parent) = path.parent() {
            files::make_private_directory(parent).map_err(at(parent))?;
            // A copy inside what is copied would never end.
            let real = parent.canonicalize().map_err(at(parent))?;
            if real.starts_with(place.source) {
                let original = place.source.to_owned();
                return Err(GitError::CopyInside { path, original });
            }
        }
        let made = make(place);
        if made.is_err() {
            // The first error is the one to be told.
            let _ = remove_all(place);
        }
        made
    }

    fn take_back(&self, _: &Locks, place: &Place<'_>) -> Result<(), GitError> {
        remove_all(place)
    }

    fn check(&self, place: &Place<'_>) -> Result<(), GitError> {
        if place.path.is_dir() {
            return copied(place).map(|_| ());
        }
        Err(GitError::NotAWorktree { path: place.path.to_owned() })
    }

    fn is_remembered(&self, place: &Place<'_>) -> Result<bool, GitError> {
        Ok(record(place).exists())
    }

    fn forget(&self, _: &Locks, place: &Place<'_>) -> Result<(), GitError> {
        if place.path.symlink_metadata().is_ok() {
            return Err(GitError::DirectoryExists { path: place.path.to_owned() });
        }
        remove_all(place)
    }

    fn remove(&self, _: &Locks, place: &Place<'_>, removal: Removal) -> Result<(), GitError> {
        if removal == Removal::IfClean && !self.status(place)?.is_clean() {
            return Err(GitError::Dirty { path: place.path.to_owned() });
        }
        remove_all(place)
    }

    fn remove_rest(&self, _: &Locks, place: &Place<'_>) -> Result<(), GitError> {
        remove_all(place)
    }

    fn delete_branch(&self, _: &Place<'_>, _: &Oid) -> Result<(), GitError> {
        Ok(())
    }

    /// Against what was copied; new files that something makes again are nobody's work.
    fn status(&self, place: &Place<'_>) -> Result<Status, GitError> {
        let base = copied(place)?;
        let now = Manifest::of(place.path, Some(&base)).map_err(at(place.path))?;
        let is_changed = |it: &&PathBuf| match (base.0.get(*it), now.0.get(*it)) {
            (Some(before), Some(entry)) => !before.is_like(entry),
            _ => true,
        };
        let modified = base.0.keys().filter(is_changed).cloned().collect();
        let new: Vec<PathBuf> =
            now.0.keys().filter(|it| !base.0.contains_key(*it)).cloned().collect();
        let untracked = wanted(&new).map(Path::to_owned).collect();
        Ok(Status { modified, untracked, ..Status::default() })
    }

    /// Nothing else keeps them.
    fn unkept(&self, place: &Place<'_>, status: &Status) -> Result<Vec<PathBuf>, GitError> {
        let is_there = |it: &&Path| place.path.join(it).symlink_metadata().is_ok();
        Ok(status.changed().filter(is_there).map(Path::to_owned).collect())
    }

    fn commit_all(&self, place: &Place<'_>, _: &str) -> Result<Option<Oid>, GitError> {
        Err(no_history(place))
    }

    fn refresh(&self, place: &Place<'_>, _: &Oid) -> Result<Refresh, GitError> {
        bring(place)
    }

    fn rescue(&self, _: &Place<'_>, _: &str) -> Result<Option<Rescue>, GitError> {
        Ok(None)
    }

    fn set_back(&self, place: &Place<'_>, _: &Oid) -> Result<(), GitError> {
        Err(no_history(place))
    }

    fn changes(&self, place: &Place<'_>, _: &Oid) -> Result<Vec<FileChange>, GitError> {
        difference::changes(place, &self.status(place)?.modified)
    }

    fn diff(&self, place: &Place<'_>, _: &Oid) -> Result<String, GitError> {
        difference::text(place, &self.status(place)?.modified)
    }
}
