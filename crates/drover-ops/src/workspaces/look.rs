//! Looking at a workspace: what it holds, and what of that would be lost with it.

use std::path::{Path, PathBuf};

use drover_core::workspace::{Loss, LossKind, wanted};
use drover_host::workspace::Kind;
use drover_host::workspace::git::{self, Commit, GitError, Oid, Passing, Status};
use drover_host::{files, proc};

use super::find::Owned;
use super::furnish::Brought;
use super::place::{BRANCHES, shown, trunk};
use super::site::Site;
use crate::error::{Result, WayBack, WorkspaceError, at_file};

/// What is at a workspace's place.
#[derive(Debug, Clone)]
pub(crate) enum Presence {
    /// Its checkout.
    Checkout(Box<Status>),
    /// Nothing.
    Missing,
    /// A directory that git does not know as a checkout of its own, or no longer.
    Stranger,
}

/// A workspace as it is now.
#[derive(Debug, Clone)]
pub(crate) struct Look {
    pub(crate) presence: Presence,
    /// Where its branch is; none when it is gone, or its repository is.
    pub(crate) tip: Option<Oid>,
    /// Whether its repository is where it was.
    pub(crate) has_repository: bool,
}

impl Look {
    /// The state of its checkout, where there is one.
    pub(crate) fn status(&self) -> Option<&Status> {
        match &self.presence {
            Presence::Checkout(status) => Some(status),
            Presence::Missing | Presence::Stranger => None,
        }
    }

    /// Where its commits end: the branch, and what is checked out.
    pub(crate) fn tips(&self) -> Vec<&Oid> {
        let head = self.status().and_then(|it| it.head.as_ref());
        self.tip.iter().chain(head).collect()
    }
}

/// Looks at a workspace.
pub(crate) fn look(owned: &Owned) -> Result<Look> {
    let (source, site) = (owned.source(), owned.site()?);
    let has_repository = site.backend().has_source(&source)?;
    // First, since a branch may follow what is found there.
    let presence = presence(owned, &site)?;
    let tip = if has_repository && site.has_history() {
        git::branch_tip(&source, &owned.row.branch)?
    } else {
        None
    };
    Ok(Look { presence, tip, has_repository })
}

fn presence(owned: &Owned, site: &Site) -> Result<Presence> {
    let path = owned.path();
    if owned.is_branch_only() || path.symlink_metadata().is_err() {
        return Ok(Presence::Missing);
    }
    match site.backend().check(&site.place()) {
        Ok(()) => Ok(Presence::Checkout(Box::new(site.backend().status(&site.place())?))),
        Err(
            GitError::NotAWorktree { .. }
            | GitError::NotARepository { .. }
            | GitError::RepositoryGone { .. }
            | GitError::NoCommits { .. },
        ) => Ok(Presence::Stranger),
        Err(err) => Err(err.into()),
    }
}

/// Refuses a checkout whose work is not all on its own branch. A copy has no other place for it.
pub(crate) fn check_committed(owned: &Owned) -> Result<()> {
    let (agent, path) = (owned.agent.clone(), owned.row.path.clone());
    let project = owned.project.name.clone();
    let look = look(owned)?;
    let status = match look.presence {
        Presence::Checkout(status) => status,
        Presence::Missing => return Err(WorkspaceError::Missing { agent, project, path }.into()),
        Presence::Stranger => return Err(GitError::NotAWorktree { path: owned.path() }.into()),
    };
    let kind = owned.site()?.kind;
    if kind == Kind::Copy {
        return Ok(());
    }
    if let Some(operation) = status.operation {
        let operation = operation.to_string();
        return Err(WorkspaceError::InProgress { agent, path, operation, kind }.into());
    }
    if !status.is_clean() {
        let mut paths: Vec<String> = status.changed().map(shown).collect();
        paths.sort();
        paths.dedup();
        return Err(WorkspaceError::Dirty { agent, path, paths, kind }.into());
    }
    let branch = owned.row.branch.clone();
    if status.branch.as_ref() == Some(&branch) {
        return Ok(());
    }
    let back = way_back(owned, look.tip.as_ref(), &status)?;
    let head = status.branch.clone().or_else(|| status.head.map(|it| it.to_string()));
    let head = head.unwrap_or_else(|| "nothing".to_owned());
    Err(WorkspaceError::OffBranch { agent, path, branch, head, back, kind }.into())
}

fn way_back(owned: &Owned, tip: Option<&Oid>, status: &Status) -> Result<WayBack> {
    let Some(head) = &status.head else { return Ok(WayBack::Switch) };
    let Some(tip) = tip else { return Ok(WayBack::Create) };
    if git::is_ancestor(&owned.source(), head, tip)? {
        return Ok(WayBack::Switch);
    }
    Ok(match &status.branch {
        Some(branch) => WayBack::MergeBranch { branch: branch.clone() },
        None => WayBack::Merge { commit: head.to_string() },
    })
}

/// Which branch of a workspace stays when its checkout goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stays {
    /// Its branch goes too.
    TrunkOnly,
    /// Its branch is kept.
    OwnBranch,
}

/// The commits of a workspace that no ref which stays can reach.
pub(crate) fn unlanded(owned: &Owned, look: &Look, stays: Stays) -> Result<Vec<Commit>> {
    let tips = look.tips();
    if tips.is_empty() || !look.has_repository {
        return Ok(Vec::new());
    }
    let trunk = trunk(&owned.project.name);
    let both = [trunk.as_str(), owned.row.branch.as_str()];
    let but: &[&str] = match stays {
        Stays::TrunkOnly => &both[..1],
        Stays::OwnBranch => &both,
    };
    let passing = Passing { below: BRANCHES, but };
    let commits = git::commits_only_in(&owned.source(), &tips, passing)?;
    let is_elsewhere = !commits.is_empty() && is_held_elsewhere(owned, &tips, &trunk)?;
    Ok(if is_elsewhere { Vec::new() } else { commits })
}

/// Whether the trunk, what is checked out in the repository, or the line that its origin follows holds all that
/// the commits did: squashed, or picked.
fn is_held_elsewhere(owned: &Owned, tips: &[&Oid], trunk: &str) -> Result<bool> {
    let source = owned.source();
    let trunk = format!("refs/heads/{trunk}");
    for line in [trunk.as_str(), "HEAD", "refs/remotes/origin/HEAD"] {
        let target = match git::resolve(&source, line) {
            Ok(target) => target,
            Err(GitError::UnknownRevision { .. }) => continue,
            Err(err) => return Err(err.into()),
        };
        let mut is_all = true;
        for tip in tips {
            is_all = is_all && git::holds(&source, &target, tip)?;
        }
        if is_all {
            return Ok(true);
        }
    }
    Ok(false)
}

/// All that would be lost if a workspace were simply removed.
pub(crate) fn losses(owned: &Owned, look: &Look, stays: Stays) -> Result<Vec<Loss>> {
    let mut losses = Vec::new();
    losses.extend(Loss::of(LossKind::LiveProcess, processes(&owned.path())));
    if matches!(look.presence, Presence::Stranger) && !is_empty(&owned.path()) {
        losses.extend(Loss::of(LossKind::NotACheckout, [owned.row.path.clone()]));
    }
    let commits = unlanded(owned, look, stays)?;
    let name = |it: Commit| format!("{} {}", short(&it.oid), it.subject);
    losses.extend(Loss::of(LossKind::UnlandedCommits, commits.into_iter().map(name)));
    if let Some(status) = look.status() {
        losses.extend(of_checkout(owned, status)?);
    }
    losses.sort_by_key(|it| it.kind);
    Ok(losses)
}

fn of_checkout(owned: &Owned, status: &Status) -> Result<Vec<Loss>> {
    let site = owned.site()?;
    let (backend, place) = (site.backend(), site.place());
    let operation = status.operation.map(|it| it.to_string());
    let all = |paths: &[PathBuf]| paths.iter().map(|it| shown(it)).collect::<Vec<_>>();
    let submodules = backend.inner_work(&place)?;
    let ignored = wanted_ignored(owned, status)?;
    let mut modified = status.modified.clone();
    modified.extend(backend.hidden(&place)?);
    modified.sort();
    modified.dedup();
    Ok([
        Loss::of(LossKind::InProgress, operation),
        Loss::of(LossKind::Staged, all(&status.staged)),
        Loss::of(LossKind::Modified, all(&modified)),
        Loss::of(LossKind::Undecided, all(&status.unmerged)),
        Loss::of(LossKind::Untracked, all(&status.untracked)),
        Loss::of(LossKind::Ignored, all(&ignored)),
        Loss::of(LossKind::Submodules, all(&submodules)),
    ]
    .into_iter()
    .flatten()
    .collect())
}

/// Ignored files that nothing makes again and that are not as they were brought along.
pub(crate) fn wanted_ignored(owned: &Owned, status: &Status) -> Result<Vec<PathBuf>> {
    let root = owned.path();
    let brought: Vec<Brought> = serde_json::from_str(&owned.row.brought).unwrap_or_default();
    let mut found = Vec::new();
    for entry in &status.ignored {
        let below = files::files_below(&root, entry, |_| true);
        found.extend(below.map_err(at_file(root.join(entry)))?);
    }
    let is_as_brought = |file: &Path| {
        brought
            .iter()
            .find(|it| Path::new(&it.path) == file)
            .is_some_and(|it| files::digest(&root.join(file)).is_ok_and(|now| now == it.digest))
    };
    Ok(wanted(&found).filter(|it| !is_as_brought(it)).map(Path::to_owned).collect())
}

/// The processes that work inside, this one left out.
fn processes(path: &Path) -> Vec<String> {
    let own = proc::own_identity();
    let inside = proc::in_directory(path).into_iter();
    inside
        .filter(|it| Some(&it.identity) != own.as_ref())
        .map(|it| format!("{} {}", it.identity.pid, it.name))
        .collect()
}

fn is_empty(path: &Path) -> bool {
    std::fs::read_dir(path).is_ok_and(|mut it| it.next().is_none())
}

/// The first digits of an object's name, enough for people.
pub(crate) fn short(oid: &Oid) -> &str {
    oid.as_str().get(..10).unwrap_or_default()
}
