//! What can go wrong with a repository, leaf of the module.

use std::path::PathBuf;

use super::oid::Oid;
use crate::lock::LockError;
use crate::process::ProcessError;

/// Why git did not do as asked.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// git is not installed.
    #[error("git is not installed")]
    NotInstalled,
    /// jj is not installed.
    #[error("jj is not installed")]
    JjNotInstalled,
    /// A copy has no commits.
    #[error("{} is kept without a history, so there are no commits", path.display())]
    NoHistory {
        /// The copy.
        path: PathBuf,
    },
    /// What would be copied holds the copy, or the whole home of the person.
    #[error("{} holds {}, so no copies are made of it", original.display(), path.display())]
    CopyInside {
        /// What it holds.
        path: PathBuf,
        /// What is copied.
        original: PathBuf,
    },
    /// A repository of a program that checkouts are not made with.
    #[error("{} is a repository of {program}, with which no checkouts can be made yet", path.display())]
    Unsupported {
        /// The repository.
        path: PathBuf,
        /// The program.
        program: &'static str,
    },
    /// There is no repository at or above the path.
    #[error("{} is not in a git repository", path.display())]
    NotARepository {
        /// The path.
        path: PathBuf,
    },
    /// A repository without a checkout has no place to work in.
    #[error("{} is a bare git repository", path.display())]
    Bare {
        /// The path.
        path: PathBuf,
    },
    /// A checkout whose repository was moved or deleted.
    #[error("{} is a checkout of a repository that is gone: {} does not exist", path.display(), gitdir.display())]
    RepositoryGone {
        /// The checkout.
        path: PathBuf,
        /// Where its repository should be.
        gitdir: PathBuf,
    },
    /// Nothing can be branched from.
    #[error("{} has no commits yet", path.display())]
    NoCommits {
        /// The repository.
        path: PathBuf,
    },
    /// The word cannot name a branch.
    #[error("{name:?} cannot name a branch")]
    BadBranchName {
        /// The word.
        name: String,
    },
    /// The word cannot name a ref.
    #[error("{name:?} cannot name a ref")]
    BadRef {
        /// The word.
        name: String,
    },
    /// No commit goes by that name.
    #[error("{name} names no commit in {}", repository.display())]
    UnknownRevision {
        /// The name.
        name: String,
        /// The repository.
        repository: PathBuf,
    },
    /// Something that is not a checkout of this repository is at the place.
    #[error("{} exists and is not a checkout of this repository", path.display())]
    DirectoryExists {
        /// The place.
        path: PathBuf,
    },
    /// The checkout exists already.
    #[error("{} is a checkout of this repository already", path.display())]
    WorktreeExists {
        /// The place.
        path: PathBuf,
    },
    /// git remembers a checkout whose directory is gone.
    #[error("git remembers a checkout at {}, whose directory is gone", path.display())]
    DirectoryMissing {
        /// The place.
        path: PathBuf,
    },
    /// The branch exists already.
    #[error("the branch {branch} exists already")]
    BranchExists {
        /// The branch.
        branch: String,
    },
    /// A branch cannot be a directory of branches.
    #[error("the branch {branch} cannot be made while there is a branch {blocker}")]
    BranchBlocked {
        /// The branch to be made.
        branch: String,
        /// The one in its way.
        blocker: String,
    },
    /// The branch is checked out.
    #[error("the branch {branch} is checked out in {}", path.display())]
    BranchCheckedOut {
        /// The branch.
        branch: String,
        /// The checkout.
        path: PathBuf,
    },
    /// A directory is no checkout of its own, though it should be.
    #[error("{} is not a checkout that its repository knows", path.display())]
    NotAWorktree {
        /// The directory.
        path: PathBuf,
    },
    /// A new checkout is not as it should be, and was taken back.
    #[error("the new checkout {} is not usable: {reason}", path.display())]
    BadCheckout {
        /// The checkout.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Submodules could not be fetched, and the checkout was taken back.
    #[error("the submodules of {} could not be fetched: {reason}", path.display())]
    Submodules {
        /// The checkout.
        path: PathBuf,
        /// What git said.
        reason: String,
    },
    /// The checkout holds work that is not committed.
    #[error("{} has changes that are not committed", path.display())]
    Dirty {
        /// The checkout.
        path: PathBuf,
    },
    /// Files that no commit holds lie where newer work puts its own.
    #[error("{} has files that no commit holds and that newer work would write over: {}", path.display(), listed(paths))]
    WouldOverwrite {
        /// The checkout.
        path: PathBuf,
        /// The files.
        paths: Vec<PathBuf>,
    },
    /// Repositories inside a checkout, whose commits a commit of the checkout would not hold.
    #[error("{} holds repositories of their own that .gitmodules does not name: {}", path.display(), listed(paths))]
    InnerRepository {
        /// The checkout.
        path: PathBuf,
        /// The repositories.
        paths: Vec<PathBuf>,
    },
    /// Somebody is in the middle of something there.
    #[error("a {operation} is in progress in {}", path.display())]
    InProgress {
        /// The checkout.
        path: PathBuf,
        /// What is in progress.
        operation: &'static str,
    },
    /// A ref is not where it was when the change was decided.
    #[error("{name} has moved from {expected}")]
    Moved {
        /// The ref.
        name: String,
        /// Where it was.
        expected: Oid,
    },
    /// Another process works on the repository.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// git answered in a form that was not asked for.
    #[error("the answer of {command_line} cannot be read")]
    Unreadable {
        /// The command.
        command_line: String,
    },
    /// The file system refused.
    #[error("{} cannot be used: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// git failed in another way.
    #[error(transparent)]
    Process(ProcessError),
}

impl From<ProcessError> for GitError {
    fn from(err: ProcessError) -> Self {
        match err {
            ProcessError::NotFound { program } if program == "jj" => Self::JjNotInstalled,
            ProcessError::NotFound { .. } => Self::NotInstalled,
            other => Self::Process(other),
        }
    }
}

fn listed(paths: &[PathBuf]) -> String {
    paths.iter().map(|it| it.to_string_lossy()).collect::<Vec<_>>().join(", ")
}
