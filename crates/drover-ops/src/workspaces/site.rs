//! A recorded workspace as its backend takes it.

use std::path::{Path, PathBuf};

use drover_host::workspace::git::{GitError, Oid};
use drover_host::workspace::{Backend, Kind, Place, backend};
use drover_store::workspaces::Workspace;

use super::place::recorded;
use crate::error::Result;

/// Where a workspace is and what keeps it.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) kind: Kind,
    source: PathBuf,
    path: PathBuf,
    branch: String,
    base: Oid,
}

impl Site {
    /// The site that a row tells of.
    pub(crate) fn of(row: &Workspace) -> Result<Self> {
        let source = PathBuf::from(&row.source);
        // The schema allows no other word.
        let kind = Kind::parse(&row.kind)
            .ok_or_else(|| GitError::NotARepository { path: source.clone() })?;
        Ok(Self {
            kind,
            base: recorded(&row.base_sha, &source)?,
            source,
            path: PathBuf::from(&row.path),
            branch: row.branch.clone(),
        })
    }

    /// What keeps it.
    pub(crate) fn backend(&self) -> &'static dyn Backend {
        backend(self.kind)
    }

    /// Itself, to be handed to that.
    pub(crate) fn place(&self) -> Place<'_> {
        let Self { source, path, branch, base, .. } = self;
        Place { source, path, branch, base }
    }

    /// Its directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it has commits and a branch.
    pub(crate) fn has_history(&self) -> bool {
        self.kind != Kind::Copy
    }
}
