//! Finding a repository and telling why there is none.

use std::path::{Path, PathBuf};

use super::error::GitError;
use super::oid::Oid;
use super::run::{git, path_text};
use crate::process::Exit;

/// A repository as seen from one of its checkouts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The root of the checkout.
    pub toplevel: PathBuf,
    /// The directory all checkouts share.
    pub git_common_dir: PathBuf,
    /// The commit checked out.
    pub head: Oid,
    /// The branch checked out; none on a detached head.
    pub branch: Option<String>,
}

/// Looks for the repository that holds a directory.
pub fn repository(path: &Path) -> Result<Repository, GitError> {
    if !path.is_dir() {
        return Err(GitError::NotARepository { path: path.to_owned() });
    }
    let found = git(path).args(["rev-parse", "--is-bare-repository"]).run()?;
    if !found.status.is_success() {
        return Err(match gone(path) {
            Some(gitdir) => GitError::RepositoryGone { path: path.to_owned(), gitdir },
            None => GitError::NotARepository { path: path.to_owned() },
        });
    }
    if found.text() == "true" {
        return Err(GitError::Bare { path: path.to_owned() });
    }
    let toplevel = path_text(path, ["rev-parse", "--show-toplevel"])?;
    // Relative to the directory of the call unless told otherwise, which older versions cannot be.
    let common = path.join(path_text(path, ["rev-parse", "--git-common-dir"])?);
    let git_common_dir =
        common.canonicalize().map_err(|source| GitError::Io { path: common.clone(), source })?;
    let head = git(path).args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).run()?;
    let Some(head) = Oid::parse(&head.text()) else {
        return Err(GitError::NoCommits { path: toplevel });
    };
    Ok(Repository { toplevel, git_common_dir, head, branch: branch(path)? })
}

/// Where a checkout keeps what is its own and what it shares with the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directories {
    /// Its own: head, index, the state of a merge.
    pub own: PathBuf,
    /// The one all checkouts share: objects, branches, hooks, settings.
    pub common: PathBuf,
}

impl Directories {
    /// Whether it is one of several checkouts, beside the first.
    pub fn is_linked(&self) -> bool {
        self.own != self.common
    }
}

/// The directories behind the checkout that holds a directory.
pub fn directories(path: &Path) -> Result<Directories, GitError> {
    let real = |found: PathBuf| {
        found.canonicalize().map_err(|source| GitError::Io { path: found.clone(), source })
    };
    let own = path.join(path_text(path, ["rev-parse", "--absolute-git-dir"])?);
    let common = path.join(path_text(path, ["rev-parse", "--git-common-dir"])?);
    Ok(Directories { own: real(own)?, common: real(common)? })
}

/// The address of the remote named `origin`, if there is one.
pub fn origin_url(repository: &Path) -> Result<Option<String>, GitError> {
    let output = git(repository).args(["config", "--get", "remote.origin.url"]).run()?;
    Ok((output.status == Exit::Code(0)).then(|| output.text()))
}

/// The branch checked out in a directory.
pub(super) fn branch(path: &Path) -> Result<Option<String>, GitError> {
    let output = git(path).args(["symbolic-ref", "--quiet", "HEAD"]).run()?;
    Ok(output.text().strip_prefix("refs/heads/").map(str::to_owned))
}

/// Where the checkout at or above a path says its repository is, if that does not exist.
fn gone(path: &Path) -> Option<PathBuf> {
    let link = path.ancestors().map(|it| it.join(".git")).find(|it| it.exists())?;
    let text = std::fs::read_to_string(&link).ok()?;
    let gitdir = link.parent()?.join(text.strip_prefix("gitdir: ")?.trim_end());
    (!gitdir.exists()).then_some(gitdir)
}
