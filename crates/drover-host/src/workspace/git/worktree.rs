//! Worktrees: made whole or not at all, one at a time for each repository.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::GitError;
use super::oid::Oid;
use super::refs::{check_branch_is_free, check_branch_name, delete_ref_cas, resolve};
use super::repository::{directories, repository};
use super::run::{WRITE, git, parts, path as path_of};
use super::status::status;
use crate::files;
use crate::lock::{Lock, Locks};

/// How long to wait for another process that makes or removes a worktree.
const PATIENCE: Duration = Duration::from_mins(5);

/// A worktree as git remembers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// Its place, which need not exist any more.
    pub path: PathBuf,
    /// The commit it has checked out; none before the first and in a bare repository.
    pub head: Option<Oid>,
    /// The branch it has checked out.
    pub branch: Option<String>,
}

/// The branch of a new worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Branch {
    /// One to be made at a commit, following no other branch.
    New {
        /// Its name.
        name: String,
        /// Where it starts.
        start: Oid,
    },
    /// One that exists and is checked out nowhere.
    Existing {
        /// Its name.
        name: String,
    },
}

impl Branch {
    fn name(&self) -> &str {
        match self {
            Self::New { name, .. } | Self::Existing { name } => name,
        }
    }
}

/// A worktree to be made.
#[derive(Debug, Clone)]
pub struct NewWorktree<'a> {
    /// A checkout of the repository.
    pub repository: &'a Path,
    /// Where to make it; nothing may be there.
    pub path: &'a Path,
    /// The branch to check out in it.
    pub branch: Branch,
}

/// Whether a worktree's removal may lose changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// Refuse when something is not committed. Ignored files are lost even so.
    IfClean,
    /// Remove all that is there.
    WithChanges,
}

/// All worktrees of a repository, the main one first.
pub fn worktrees(repository: &Path) -> Result<Vec<Worktree>, GitError> {
    let output = git(repository).args(["worktree", "list", "--porcelain", "-z"]).run_ok()?;
    let mut found: Vec<Worktree> = Vec::new();
    for line in parts(&output.stdout) {
        if let Some(path) = line.strip_prefix(b"worktree ") {
            found.push(Worktree { path: path_of(path), head: None, branch: None });
        } else if let Some(last) = found.last_mut() {
            let line = String::from_utf8_lossy(line);
            if let Some(head) = line.strip_prefix("HEAD ") {
                // A branch without commits shows as zeros.
                last.head = Oid::parse(head).filter(|it| it.as_str().bytes().any(|it| it != b'0'));
            } else if let Some(branch) = line.strip_prefix("branch refs/heads/") {
                last.branch = Some(branch.to_owned());
            }
        }
    }
    Ok(found)
}

/// The worktree that git remembers at a path, whose directory need not exist any more.
pub fn worktree_at(repository: &Path, path: &Path) -> Result<Option<Worktree>, GitError> {
    Ok(worktrees(repository)?.into_iter().find(|it| is_same_place(&it.path, path)))
}

/// Whether two paths lead to one place. git names places without links.
pub fn is_same_place(one: &Path, other: &Path) -> bool {
    canonical(one) == canonical(other)
}

/// The worktree that has a branch checked out.
pub fn holder_of(repository: &Path, branch: &str) -> Result<Option<PathBuf>, GitError> {
    let found = worktrees(repository)?;
    Ok(found.into_iter().find(|it| it.branch.as_deref() == Some(branch)).map(|it| it.path))
}

/// Deletes a branch, if it still is where it was seen. One that is checked out is refused.
pub fn delete_branch_cas(repository: &Path, branch: &str, old: &Oid) -> Result<(), GitError> {
    if let Some(path) = holder_of(repository, branch)? {
        return Err(GitError::BranchCheckedOut { branch: branch.to_owned(), path });
    }
    delete_ref_cas(repository, &format!("refs/heads/{branch}"), old)
}

/// Makes a worktree, checks it, and takes everything back if it is not as it should be.
pub fn add_worktree(locks: &Locks, new: &NewWorktree<'_>) -> Result<Worktree, GitError> {
    let _lock = lock(locks, new.repository)?;
    check_branch_name(new.repository, new.branch.name())?;
    check_place(new.repository, new.path)?;
    check_branch(new)?;
    if let Some(parent) = new.path.parent() {
        files::make_private_directory(parent)
            .map_err(|source| GitError::Io { path: parent.to_owned(), source })?;
    }
    let made = make(new).and_then(|()| verified(new));
    if made.is_err() {
        take_back(new);
    }
    made
}

/// Takes back a worktree that was being made when its maker died, with its branch if that still is
/// where it began. The caller knows that nothing was there before.
pub fn take_back_worktree(locks: &Locks, new: &NewWorktree<'_>) -> Result<(), GitError> {
    let _lock = lock(locks, new.repository)?;
    take_back(new);
    match worktree_at(new.repository, new.path)? {
        Some(worktree) => Err(GitError::WorktreeExists { path: worktree.path }),
        None => Ok(()),
    }
}

/// Checks that a directory is a worktree of its own and that its repository knows it.
pub fn check_worktree(path: &Path) -> Result<Worktree, GitError> {
    let unknown = || GitError::NotAWorktree { path: path.to_owned() };
    let found = repository(path)?;
    if !is_same_place(&found.toplevel, path) {
        return Err(unknown());
    }
    worktree_at(path, path)?.ok_or_else(unknown)
}

/// Forgets one worktree whose directory is gone; one whose directory exists is refused.
pub fn forget_missing_worktree(
    locks: &Locks,
    repository: &Path,
    path: &Path,
) -> Result<(), GitError> {
    let _lock = lock(locks, repository)?;
    if path.symlink_metadata().is_ok() {
        return Err(GitError::DirectoryExists { path: path.to_owned() });
    }
    let Some(worktree) = worktree_at(repository, path)? else { return Ok(()) };
    git(repository).args(["worktree", "remove", "--force", "--"]).arg(worktree.path).run_ok()?;
    Ok(())
}

/// Removes a worktree and its directory; its branch stays.
pub fn remove_worktree(
    locks: &Locks,
    repository: &Path,
    path: &Path,
    removal: Removal,
) -> Result<(), GitError> {
    let _lock = lock(locks, repository)?;
    let unknown = || GitError::NotAWorktree { path: path.to_owned() };
    let worktree = worktree_at(repository, path)?.ok_or_else(unknown)?;
    if removal == Removal::IfClean && !status(path)?.is_clean() {
        return Err(GitError::Dirty { path: path.to_owned() });
    }
    // Forced even if clean: without it git refuses a worktree with submodules. A locked one is
    // refused all the same.
    let words = ["worktree", "remove", "--force", "--"];
    git(repository).args(words).arg(worktree.path).timeout(WRITE).run_ok()?;
    Ok(())
}

/// One lock for a repository, whichever of its checkouts is named.
pub(crate) fn lock(locks: &Locks, path: &Path) -> Result<Lock, GitError> {
    let common = directories(path)?.common;
    Ok(locks.lock(&format!("git:{}", common.display()), PATIENCE)?)
}

fn check_place(repository: &Path, path: &Path) -> Result<(), GitError> {
    let is_there = path.symlink_metadata().is_ok();
    let is_registered = worktree_at(repository, path)?.is_some();
    let path = path.to_owned();
    match (is_there, is_registered) {
        (false, false) => Ok(()),
        (false, true) => Err(GitError::DirectoryMissing { path }),
        (true, false) => Err(GitError::DirectoryExists { path }),
        (true, true) => Err(GitError::WorktreeExists { path }),
    }
}

fn check_branch(new: &NewWorktree<'_>) -> Result<(), GitError> {
    let Branch::New { name, .. } = &new.branch else {
        return match holder_of(new.repository, new.branch.name())? {
            Some(path) => {
                Err(GitError::BranchCheckedOut { branch: new.branch.name().to_owned(), path })
            }
            None => {
                resolve(new.repository, &format!("refs/heads/{}", new.branch.name())).map(|_| ())
            }
        };
    };
    check_branch_is_free(new.repository, name)
}

fn make(new: &NewWorktree<'_>) -> Result<(), GitError> {
    let command = git(new.repository).args(["worktree", "add", "--quiet"]).timeout(WRITE);
    let command = match &new.branch {
        Branch::New { name, start } => {
            command.args(["--no-track", "-b", name, "--"]).arg(new.path).arg(start.as_str())
        }
        Branch::Existing { name } => command.arg("--").arg(new.path).arg(name),
    };
    command.run_ok()?;
    fetch_submodules(new.path)
}

/// Fills the submodules of a new checkout, if it has any.
pub(super) fn fetch_submodules(path: &Path) -> Result<(), GitError> {
    if !path.join(".gitmodules").exists() {
        return Ok(());
    }
    let words = ["submodule", "--quiet", "update", "--init", "--recursive"];
    let output = git(path).args(words).timeout(WRITE).run()?;
    if output.status.is_success() {
        return Ok(());
    }
    Err(GitError::Submodules { path: path.to_owned(), reason: output.error_text() })
}

/// What git reports as success can still be a checkout that a hook or a filter has spoilt.
fn verified(new: &NewWorktree<'_>) -> Result<Worktree, GitError> {
    let bad = |reason: String| GitError::BadCheckout { path: new.path.to_owned(), reason };
    let worktree = worktree_at(new.repository, new.path)?
        .ok_or_else(|| bad("git does not list it".to_owned()))?;
    if worktree.branch.as_deref() != Some(new.branch.name()) {
        return Err(bad(format!("{} is not checked out in it", new.branch.name())));
    }
    if let Branch::New { start, .. } = &new.branch
        && worktree.head.as_ref() != Some(start)
    {
        return Err(bad(format!("{start} is not checked out in it")));
    }
    let status = status(new.path)?;
    match status.changed().next() {
        Some(path) => Err(bad(format!("{} differs from the commit", path.display()))),
        None => Ok(worktree),
    }
}

/// Undoes what `add_worktree` may have done. Nothing was there before, so all of it is ours.
fn take_back(new: &NewWorktree<'_>) {
    // Each step may have nothing to do; the first error is the one to be told.
    discard(new.repository, new.path);
    if let Branch::New { name, start } = &new.branch {
        let full = format!("refs/heads/{name}");
        let _ = git(new.repository).args(["update-ref", "-d", "--", &full, start.as_str()]).run();
    }
}

/// Removes a worktree of ours however little of it was made: locked, half checked out, forgotten.
pub(super) fn discard(repository: &Path, path: &Path) {
    // Twice: git holds a lock on a worktree while it makes it.
    let words = ["worktree", "remove", "--force", "--force", "--"];
    let _ = git(repository).args(words).arg(path).timeout(WRITE).run();
    if path.symlink_metadata().is_ok() {
        let _ = files::remove_tree(path);
        let _ = git(repository).args(words).arg(path).timeout(WRITE).run();
    }
}

/// The path without links, as far as it exists.
fn canonical(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => canonical(parent).join(name),
        _ => path.to_owned(),
    }
}
