//! Agents' own checkouts: worktrees of git, workspaces of jj, plain copies, under one contract.

mod backend;
mod by_git;
mod copy;
mod find;
pub mod git;
mod jj;
mod place;

use std::path::Path;

pub use backend::Backend;
pub use find::{Ground, ground, repository};
pub use place::{Kind, Place};

/// The checkouts of a kind.
pub fn backend(kind: Kind) -> &'static dyn Backend {
    match kind {
        Kind::Git => &by_git::Git,
        Kind::Jj => &jj::Jj,
        Kind::Copy => &copy::Copies,
    }
}

/// What stands for the newest commit of a directory that copies are made of: the digest of its contents.
pub fn contents(source: &Path) -> Result<git::Oid, git::GitError> {
    copy::contents(source)
}
