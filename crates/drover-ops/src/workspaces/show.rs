//! `workspace path`, `workspace commits` and `workspace diff`: what one workspace holds.

use std::collections::BTreeSet;
use std::path::PathBuf;

use drover_host::workspace::git::{self, Commit, FileChange, Oid};

use super::find::{Owned, find};
use super::look::{Presence, Stays, look, unlanded};
use super::place::{recorded, repository, shown, trunk_tip};
use crate::ctx::Ctx;
use crate::error::{Result, WorkspaceError};

/// Where the checkout of an agent is; one that is gone is refused.
pub fn path(ctx: &Ctx, agent: &str) -> Result<PathBuf> {
    let owned = find(ctx, agent)?;
    let path = owned.path();
    if owned.is_branch_only() || !path.is_dir() {
        return Err(missing(owned).into());
    }
    Ok(path)
}

/// The commits of a workspace.
#[derive(Debug, Clone)]
pub struct Commits {
    /// Its branch.
    pub branch: String,
    /// The commit it starts from.
    pub base: String,
    /// Its own commits, oldest first, and whether each is landed.
    pub commits: Vec<(Commit, bool)>,
}

/// The commits that an agent made, oldest first; what it took over from others is not among them.
pub fn commits(ctx: &Ctx, agent: &str) -> Result<Commits> {
    let owned = find(ctx, agent)?;
    let look = look(&owned)?;
    let source = owned.source();
    let waiting = unlanded(&owned, &look, Stays::TrunkOnly)?;
    let mut commits: Vec<(Commit, bool)> = waiting.into_iter().map(|it| (it, false)).collect();
    if let Some(landed) = owned.row.landed_sha.as_deref().and_then(Oid::parse)
        && look.has_repository
    {
        let base = recorded(&owned.row.base_sha, &source)?;
        let known: BTreeSet<Oid> = commits.iter().map(|it| it.0.oid.clone()).collect();
        let before = git::commits_between(&source, &base, &landed)?.into_iter();
        commits.extend(before.filter(|it| !known.contains(&it.oid)).map(|it| (it, true)));
    }
    commits.reverse();
    Ok(Commits { branch: owned.row.branch, base: owned.row.base_sha, commits })
}

/// What a workspace changes.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The commit it is compared with.
    pub from: String,
    /// The files.
    pub files: Vec<FileChange>,
    /// Files git does not know.
    pub untracked: Vec<String>,
    /// The difference as text; none where only numbers were asked for.
    pub text: Option<String>,
}

/// What a workspace changes against the point where it left the integration branch, changes that
/// are not committed included.
pub fn diff(ctx: &Ctx, agent: &str, numbers_only: bool) -> Result<Difference> {
    let owned = find(ctx, agent)?;
    let look = look(&owned)?;
    let repository = repository(ctx, &owned.project)?;
    let trunk = trunk_tip(&owned.project, &repository)?;
    let (place, tip) = match (&look.presence, &look.tip) {
        (Presence::Checkout(status), tip) => (owned.path(), status.head.as_ref().or(tip.as_ref())),
        (_, Some(tip)) => (owned.source(), Some(tip)),
        (_, None) => return Err(missing(owned).into()),
    };
    let Some(tip) = tip else { return Err(missing(owned).into()) };
    let from = match git::merge_base(&place, &trunk, tip)? {
        Some(from) => from,
        None => recorded(&owned.row.base_sha, &place)?,
    };
    let to = look.status().is_none().then_some(tip);
    Ok(Difference {
        files: git::changes(&place, &from, to)?,
        untracked: look
            .status()
            .map(|it| it.untracked.iter().map(|it| shown(it)).collect())
            .unwrap_or_default(),
        text: if numbers_only { None } else { Some(git::diff(&place, &from, to)?) },
        from: from.to_string(),
    })
}

fn missing(owned: Owned) -> WorkspaceError {
    WorkspaceError::Missing {
        agent: owned.agent,
        project: owned.project.name,
        path: owned.row.path,
    }
}
