//! Which program keeps a directory, and the commit that it stands on.

use std::path::{Path, PathBuf};

use super::git::{self, GitError, Oid, Repository};
use super::place::Kind;
use super::{copy, jj};

/// The repository that a directory lies in, of the kind asked for or else of the one that is found.
///
/// A directory that both jj and git keep is jj's; a copy is made only of what is asked for as one.
pub fn repository(path: &Path, kind: Option<Kind>) -> Result<(Kind, Repository), GitError> {
    let none = || GitError::NotARepository { path: path.to_owned() };
    let kind = match kind {
        Some(kind) => kind,
        None if jj_root(path).is_some() => Kind::Jj,
        None => Kind::Git,
    };
    let found = match kind {
        Kind::Git => git::repository(path).map_err(|err| foreign(path).unwrap_or(err))?,
        Kind::Jj => jj::repository(&jj_root(path).ok_or_else(none)?)?,
        Kind::Copy if path.is_dir() => copy::source(path)?,
        Kind::Copy => return Err(none()),
    };
    Ok((kind, found))
}

/// The repository of another program that a directory without one of git lies in.
fn foreign(path: &Path) -> Option<GitError> {
    let path = path.canonicalize().ok()?;
    let programs = [(".sl", "Sapling"), (".hg", "Mercurial")];
    path.ancestors().find_map(|root| {
        let (_, program) = programs.into_iter().find(|it| root.join(it.0).is_dir())?;
        Some(GitError::Unsupported { path: root.to_owned(), program })
    })
}

/// The jj workspace that a directory lies in, unless a repository of git lies between them.
fn jj_root(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    let root = path.ancestors().find(|it| it.join(".jj").is_dir() || it.join(".git").exists())?;
    root.join(".jj").is_dir().then(|| root.to_owned())
}

/// What a command that runs in a directory runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ground {
    /// The root of the checkout.
    pub root: PathBuf,
    /// What all checkouts of its repository share.
    pub git_common_dir: PathBuf,
    /// The last commit.
    pub head: Oid,
    /// The tree of that commit.
    pub tree: Oid,
    /// Paths that are not as it has them.
    pub changed: Vec<PathBuf>,
    /// Whether all is as it has it and nothing is in progress.
    pub is_clean: bool,
}

/// Looks at what is below a command in a directory; outside of any repository there is nothing.
pub fn ground(directory: &Path) -> Result<Option<Ground>, GitError> {
    let jj_alone = jj_root(directory).filter(|it| !it.join(".git").exists());
    let (root, git_common_dir, head, status) = match jj_alone {
        Some(root) => {
            let status = jj::ground(&root)?;
            let Some(head) = status.head.clone() else { return Ok(None) };
            let common = git::directories(&root)?.common;
            (root, common, head, status)
        }
        None => match git::repository(directory) {
            Ok(it) => (it.toplevel, it.git_common_dir, it.head, git::status(directory)?),
            Err(GitError::NotARepository { .. } | GitError::NoCommits { .. }) => return Ok(None),
            Err(err) => return Err(err),
        },
    };
    let tree = git::tree_of(&root, &head)?;
    let (changed, is_clean) = (status.changed().map(Path::to_owned).collect(), status.is_clean());
    Ok(Some(Ground { root, git_common_dir, head, tree, changed, is_clean }))
}
