//! Bringing lines of work together, in the worktree that asked or in a private one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::commit::{identified, undecided};
use super::error::GitError;
use super::oid::Oid;
use super::refs::{is_ancestor, resolve};
use super::run::{WRITE, failed, git, oid, parts, path as path_of};
use super::status::status;
use super::worktree::{discard, fetch_submodules, lock, worktree_at};
use crate::lock::Locks;
use crate::process::Exit;

/// How a worktree is brought onto newer work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshBy {
    /// Its commits are made again on top.
    Rebase,
    /// The newer work is merged in.
    Merge,
}

/// What a refresh came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refresh {
    /// It had the newer work already.
    UpToDate,
    /// It has it now, and this commit is checked out.
    Moved(Oid),
    /// These paths need a person; the worktree is as it was before.
    Conflict(Vec<PathBuf>),
}

/// A merge to be made without touching anybody's checkout.
#[derive(Debug, Clone)]
pub struct PrivateMerge<'a> {
    /// A checkout of the repository.
    pub repository: &'a Path,
    /// Where to make the private worktree; nothing may be there.
    pub directory: &'a Path,
    /// The commit merged onto.
    pub target: &'a Oid,
    /// The commit merged.
    pub source: &'a Oid,
    /// The message of the merge commit.
    pub message: &'a str,
}

/// What a merge came to.
#[derive(Debug)]
pub enum Merge {
    /// The target holds the source already.
    AlreadyContained,
    /// A merge commit was made; no ref names it yet.
    Merged {
        /// The merge commit.
        commit: Oid,
        /// Its tree.
        tree: Oid,
        /// The checkout of it, to run things in.
        worktree: PrivateWorktree,
    },
    /// These paths need a person; nothing was changed.
    Conflict(Vec<PathBuf>),
}

/// A worktree nobody else knows; removed with its directory when dropped.
#[derive(Debug)]
pub struct PrivateWorktree {
    repository: PathBuf,
    path: PathBuf,
    locks: Locks,
}

impl PrivateWorktree {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn make(locks: &Locks, merge: &PrivateMerge<'_>) -> Result<Self, GitError> {
        let held = lock(locks, merge.repository)?;
        if merge.directory.symlink_metadata().is_ok() {
            return Err(GitError::DirectoryExists { path: merge.directory.to_owned() });
        }
        // Made before git runs, so that a half-made worktree is removed as well.
        let worktree = Self {
            repository: merge.repository.to_owned(),
            path: merge.directory.to_owned(),
            locks: locks.clone(),
        };
        let words = ["worktree", "add", "--quiet", "--detach", "--"];
        let command = git(merge.repository).args(words).arg(merge.directory);
        let made = command.arg(merge.target.as_str()).timeout(WRITE).run_ok();
        // Dropping takes the lock again.
        drop(held);
        made?;
        fetch_submodules(merge.directory)?;
        Ok(worktree)
    }
}

impl Drop for PrivateWorktree {
    fn drop(&mut self) {
        // A leftover is found by its place and removed by whoever looks for such.
        let _lock = lock(&self.locks, &self.repository);
        discard(&self.repository, &self.path);
    }
}

/// Removes the private worktree that somebody who died in a merge has left at this place.
pub fn remove_private_worktree(
    locks: &Locks,
    repository: &Path,
    directory: &Path,
) -> Result<(), GitError> {
    if worktree_at(repository, directory)?.is_some() || directory.symlink_metadata().is_ok() {
        let _lock = lock(locks, repository)?;
        discard(repository, directory);
    }
    Ok(())
}

/// Brings a clean worktree onto newer work, or leaves it exactly as it was.
pub fn refresh(path: &Path, onto: &Oid, by: RefreshBy) -> Result<Refresh, GitError> {
    let before = status(path)?;
    if let Some(operation) = before.operation {
        // Whoever began it would lose it if our own attempt had to be taken back.
        return Err(GitError::InProgress { path: path.to_owned(), operation: operation.word() });
    }
    if !before.is_clean() {
        return Err(GitError::Dirty { path: path.to_owned() });
    }
    let head = before.head.ok_or_else(|| GitError::NoCommits { path: path.to_owned() })?;
    if is_ancestor(path, onto, &head)? {
        return Ok(Refresh::UpToDate);
    }
    let paths = in_the_way(path, (&head, onto), by)?;
    if !paths.is_empty() {
        return Err(GitError::WouldOverwrite { path: path.to_owned(), paths });
    }
    let (verb, words): (_, &[&str]) = match by {
        RefreshBy::Rebase => ("rebase", &["-c", "rebase.updateRefs=false", "rebase", "--quiet"]),
        RefreshBy::Merge => ("merge", &["merge", "--quiet", "--ff", "--no-edit"]),
    };
    let command = identified(git(path), path)?
        .args(["-c", "rebase.autoStash=false", "-c", "merge.autoStash=false"])
        .args(words.iter().copied())
        .arg(onto.as_str())
        .timeout(WRITE);
    let output = command.run();
    if let Ok(output) = &output
        && output.status.is_success()
    {
        return resolve(path, "HEAD").map(Refresh::Moved);
    }
    let files = undecided(path)?;
    git(path).args([verb, "--abort"]).timeout(WRITE).run()?;
    if resolve(path, "HEAD")? != head || !status(path)?.is_clean() {
        let reason = format!("it could not be brought back to {head}");
        return Err(GitError::BadCheckout { path: path.to_owned(), reason });
    }
    let output = output?;
    if files.is_empty() { Err(failed(&command, &output)) } else { Ok(Refresh::Conflict(files)) }
}

/// What lies in the files of a workspace where a move from one commit to another writes files, though
/// the first does not hold it.
pub(crate) fn in_the_way_of_commit(
    path: &Path,
    head: &Oid,
    onto: &Oid,
) -> Result<Vec<PathBuf>, GitError> {
    let words = ["--no-ext-diff", "--no-renames", "--name-only", "--diff-filter=A", "-z"];
    let command = git(path).arg("diff").args(words).args([head.as_str(), onto.as_str(), "--"]);
    let written = command.run_ok()?.stdout;
    let tracked = git(path).args(["ls-tree", "-r", "-z", "--name-only", head.as_str()]).run_ok()?;
    let tracked: BTreeSet<PathBuf> = parts(&tracked.stdout).map(path_of).collect();
    let found: BTreeSet<PathBuf> =
        parts(&written).filter_map(|it| obstacle(path, &path_of(it), &tracked)).collect();
    Ok(found.into_iter().collect())
}

/// Makes the merge of two commits that do not conflict, without a checkout; no ref names it yet.
pub(crate) fn merge_commit(
    repository: &Path,
    (ours, theirs): (&Oid, &Oid),
    message: &str,
) -> Result<Oid, GitError> {
    let words = ["merge-tree", "--write-tree", "--no-messages"];
    let tree = oid(&git(repository).args(words).args([ours.as_str(), theirs.as_str()]))?;
    let words = ["commit-tree", "-p", ours.as_str(), "-p", theirs.as_str(), "-F", "-"];
    let command = identified(git(repository), repository)?.args(words);
    oid(&command.arg(tree.as_str()).stdin(message))
}

/// What lies in a checkout where the move writes files, though no commit holds it: git takes ignored
/// files for expendable and would write over them.
fn in_the_way(
    path: &Path,
    (head, onto): (&Oid, &Oid),
    by: RefreshBy,
) -> Result<Vec<PathBuf>, GitError> {
    let words = ["--no-ext-diff", "--no-renames", "--name-only", "--diff-filter=A", "-z"];
    let onto = onto.as_str();
    let of_target = git(path).arg("diff").args(words).args([head.as_str(), onto, "--"]);
    let mut written = of_target.run_ok()?.stdout;
    if by == RefreshBy::Rebase {
        // Each commit is checked out on the way, with files that a later one takes away again.
        let range = format!("{onto}..{head}");
        let of_own = git(path).args(["log", "--format="]).args(words).args([&range, "--"]);
        written.extend(of_own.run_ok()?.stdout);
    }
    let tracked = git(path).args(["ls-files", "-z"]).run_ok()?.stdout;
    let tracked: BTreeSet<PathBuf> = parts(&tracked).map(path_of).collect();
    let found: BTreeSet<PathBuf> =
        parts(&written).filter_map(|it| obstacle(path, &path_of(it), &tracked)).collect();
    Ok(found.into_iter().collect())
}

/// What of the way to a file, or at its place, is there and not tracked.
fn obstacle(root: &Path, file: &Path, tracked: &BTreeSet<PathBuf>) -> Option<PathBuf> {
    let mut ways: Vec<&Path> = file.ancestors().filter(|it| !it.as_os_str().is_empty()).collect();
    ways.reverse();
    for way in ways {
        // A tracked file or link makes room for the directory.
        if tracked.contains(way) {
            return None;
        }
        let metadata = root.join(way).symlink_metadata().ok()?;
        if way == file || !metadata.is_dir() {
            return Some(way.to_owned());
        }
    }
    None
}

/// Merges in a worktree of its own; the caller moves the target's ref, by compare-and-set.
pub fn merge_in_private_worktree(
    locks: &Locks,
    merge: &PrivateMerge<'_>,
) -> Result<Merge, GitError> {
    if is_ancestor(merge.repository, merge.source, merge.target)? {
        return Ok(Merge::AlreadyContained);
    }
    let worktree = PrivateWorktree::make(locks, merge)?;
    let path = worktree.path();
    let command = identified(git(path), path)?
        .args([
            "merge",
            "--quiet",
            "--no-ff",
            "--no-edit",
            "--cleanup=verbatim",
            "-m",
            merge.message,
        ])
        .arg(merge.source.as_str())
        .timeout(WRITE);
    let output = command.run()?;
    if !output.status.is_success() {
        let files = undecided(path)?;
        return if files.is_empty() {
            Err(failed(&command, &output))
        } else {
            Ok(Merge::Conflict(files))
        };
    }
    let commit = oid(&git(path).args(["rev-parse", "--verify", "HEAD"]))?;
    let tree = oid(&git(path).args(["rev-parse", "--verify", "HEAD^{tree}"]))?;
    Ok(Merge::Merged { commit, tree, worktree })
}

/// The paths two commits could not be merged at, found without a checkout.
pub fn conflicts(repository: &Path, ours: &Oid, theirs: &Oid) -> Result<Vec<PathBuf>, GitError> {
    let words = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z"];
    let command = git(repository).args(words).args([ours.as_str(), theirs.as_str()]);
    let output = command.run()?;
    match output.status {
        Exit::Code(0) => Ok(Vec::new()),
        // The tree comes first.
        Exit::Code(1) => Ok(parts(&output.stdout).skip(1).map(path_of).collect()),
        _ => Err(failed(&command, &output)),
    }
}
