//! `workspace path`, `workspace commits` and `workspace diff`: what one workspace holds.

use std::collections::BTreeSet;
use std::path::PathBuf;

use drover_host::workspace::git::{self, Commit, FileChange, Oid, Status};
use drover_store::workspaces::Workspace;

use super::find::{Owned, find};
use super::look::{Look, Presence, Stays, look, unlanded};
use super::place::{recorded, repository, shown, trunk_tip};
use super::site::Site;
use crate::ctx::Ctx;
use crate::error::{Result, WorkspaceError};

/// Where a workspace is.
#[derive(Debug, Clone)]
pub struct Located {
    /// Whose it is.
    pub agent: String,
    /// `git`, `jj` or `copy`.
    pub kind: String,
    /// Its place.
    pub path: PathBuf,
}

/// Where the checkout of an agent is; one that is gone is refused.
pub fn path(ctx: &Ctx, agent: &str) -> Result<Located> {
    let owned = find(ctx, agent)?;
    let path = owned.path();
    if owned.is_branch_only() || !path.is_dir() {
        return Err(missing(owned).into());
    }
    Ok(Located { agent: owned.agent, kind: owned.row.kind, path })
}

/// The commits of a workspace.
#[derive(Debug, Clone)]
pub struct Commits {
    /// Its branch.
    pub branch: String,
    /// `git`, `jj` or `copy`.
    pub kind: String,
    /// Where its checkout is, or was.
    pub path: String,
    /// The commit that they come after: the one asked for, else the one that it starts from.
    pub base: String,
    /// Its own commits, oldest first, and whether each is landed.
    pub commits: Vec<(Commit, bool)>,
}

/// The commits that an agent made, oldest first; what it took over from others is not among them,
/// unless all since a certain commit are asked for.
pub fn commits(ctx: &Ctx, agent: &str, since: Option<&str>) -> Result<Commits> {
    let owned = find(ctx, agent)?.with_history()?;
    let look = look(&owned)?;
    let source = owned.source();
    let waiting = unlanded(&owned, &look, Stays::TrunkOnly)?;
    if let Some(since) = since {
        return commits_since(owned, &look, (since, &waiting));
    }
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
    Ok(of(owned.row, commits))
}

fn of(row: Workspace, commits: Vec<(Commit, bool)>) -> Commits {
    let Workspace { branch, kind, path, base_sha: base, .. } = row;
    Commits { branch, kind, path, base, commits }
}

/// Every commit of the branch, or of what is checked out, that a revision lacks.
fn commits_since(
    owned: Owned,
    look: &Look,
    (since, waiting): (&str, &[Commit]),
) -> Result<Commits> {
    let source = owned.source();
    let base = git::resolve(&source, since)?;
    let head = look.status().and_then(|it| it.head.as_ref()).or(look.tip.as_ref());
    let mut found = match head {
        Some(head) => git::commits_between(&source, &base, head)?,
        None => return Err(missing(owned).into()),
    };
    found.reverse();
    let is_waiting = |it: &Commit| waiting.iter().any(|other| other.oid == it.oid);
    let commits =
        found.into_iter().map(|it| (!is_waiting(&it), it)).map(|(landed, it)| (it, landed));
    let commits = commits.collect();
    Ok(Commits { base: base.to_string(), ..of(owned.row, commits) })
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
    let site = owned.site()?;
    if !site.has_history() {
        return match &look.presence {
            Presence::Checkout(status) => of_files(&site, status, owned.row.base_sha, numbers_only),
            Presence::Missing | Presence::Stranger => Err(missing(owned).into()),
        };
    }
    let repository = repository(ctx, &owned.project)?;
    let trunk = trunk_tip(&owned.project, &repository)?;
    let source = owned.source();
    let head = look.status().and_then(|it| it.head.as_ref());
    let Some(tip) = head.or(look.tip.as_ref()) else { return Err(missing(owned).into()) };
    let from = match git::merge_base(&source, &trunk, tip)? {
        Some(from) => from,
        None => recorded(&owned.row.base_sha, &source)?,
    };
    if let Some(status) = look.status() {
        return of_files(&site, status, from.to_string(), numbers_only);
    }
    Ok(Difference {
        files: git::changes(&source, &from, Some(tip))?,
        untracked: Vec::new(),
        text: if numbers_only { None } else { Some(git::diff(&source, &from, Some(tip))?) },
        from: from.to_string(),
    })
}

/// What the files of a checkout change against a commit.
fn of_files(site: &Site, status: &Status, from: String, numbers_only: bool) -> Result<Difference> {
    let (backend, place) = (site.backend(), site.place());
    let base = recorded(&from, place.source)?;
    let text = if numbers_only { None } else { Some(backend.diff(&place, &base)?) };
    Ok(Difference {
        files: backend.changes(&place, &base)?,
        untracked: status.untracked.iter().map(|it| shown(it)).collect(),
        text,
        from,
    })
}

fn missing(owned: Owned) -> WorkspaceError {
    WorkspaceError::Missing {
        agent: owned.agent,
        project: owned.project.name,
        path: owned.row.path,
    }
}
