//! Which checkout is meant, and which program keeps its history; leaf of the module.

use std::fmt;
use std::path::Path;

use super::git::Oid;

/// How the checkouts of a repository are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// As worktrees of git.
    Git,
    /// As workspaces of jj, over a store of git.
    Jj,
    /// As copies of a directory without any history.
    Copy,
}

impl Kind {
    /// All of them, the one that is asked first in front.
    pub const ALL: [Self; 3] = [Self::Jj, Self::Git, Self::Copy];

    /// The stored word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Git => "git",
            Self::Jj => "jj",
            Self::Copy => "copy",
        }
    }

    /// Reads the stored word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A checkout, there or to be made.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The first checkout of the repository, which stays when this one goes.
    pub source: &'a Path,
    /// Where it is.
    pub path: &'a Path,
    /// The branch of its own; a copy has none, and only its name.
    pub branch: &'a str,
    /// Where its own work begins: a commit, or the digest of what was copied.
    pub base: &'a Oid,
}
