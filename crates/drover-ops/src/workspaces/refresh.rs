//! `workspace refresh`: a workspace brought onto newer work, or left exactly as it was.

use drover_host::workspace::contents;
use drover_host::workspace::git::{self, Commit, GitError, Oid};
use drover_store::workspaces;

use super::find::{Owned, find};
use super::look::check_committed;
use super::place::{recorded, repository, shown, trunk, trunk_tip};
use super::site::Site;
use crate::ctx::Ctx;
use crate::error::{Attempt, OpError, Result, WorkspaceError};
use crate::roles::{Caller, Within};

/// What to bring onto what.
#[derive(Debug, Clone, Default)]
pub struct Refresh {
    /// The agent: `<agent>` or `<project>/<agent>`.
    pub agent: String,
    /// A branch, tag or commit; the integration branch when absent.
    pub from: Option<String>,
    /// Fetches what is new at the remote first; otherwise nothing is fetched.
    pub fetch: bool,
}

/// A workspace that has the newer work.
#[derive(Debug, Clone)]
pub struct Refreshed {
    /// Whose it is.
    pub agent: String,
    /// Its branch.
    pub branch: String,
    /// `git`, `jj` or `copy`.
    pub kind: String,
    /// Where it is.
    pub path: String,
    /// The commits that it has now and lacked before, oldest first; empty in a dry run.
    pub brought: Vec<Commit>,
    /// What it was brought onto, as asked for.
    pub onto: String,
    /// The commit that is.
    pub base: String,
    /// Its own commit now; none in a dry run.
    pub head: Option<String>,
    /// Whether it had all of it already.
    pub is_current: bool,
}

/// Brings a clean workspace onto newer work.
///
/// By merging, forward only where it can: commits keep their names, and so does all that was
/// recorded about them.
pub fn refresh(ctx: &mut Ctx, request: &Refresh) -> Result<Refreshed> {
    let owned = find(ctx, &request.agent)?;
    if let Some(caller) = Caller::of(ctx) {
        let is_own = owned.row.agent_pk == caller.agent.pk;
        let what = format!("this is that of {}", owned.agent);
        caller.keep(&ctx.read(), (Within::OwnWorkspace, is_own), &what)?;
    }
    check_committed(&owned)?;
    let (site, source) = (owned.site()?, owned.source());
    if request.fetch {
        fetch(ctx, &owned, &site)?;
    }
    let (onto, commit) = wanted(ctx, &owned, &site, request.from.as_deref())?;
    let before = site.backend().status(&site.place())?.head;
    let what = format!("bring {} onto {onto} at {commit}", shown(site.path()));
    let done = ctx.act(what, || Ok(site.backend().refresh(&site.place(), &commit)?))?;
    let (head, is_current) = match done {
        None => (None, false),
        Some(git::Refresh::Moved(head)) => (Some(head.to_string()), false),
        Some(git::Refresh::UpToDate) => (before.as_ref().map(ToString::to_string), true),
        Some(git::Refresh::Conflict(files)) => {
            return Err(WorkspaceError::Conflict {
                agent: owned.agent,
                project: owned.project.name,
                branch: owned.row.branch,
                target: onto,
                files: files.iter().map(|it| shown(it)).collect(),
                by: Attempt::Refresh,
            }
            .into());
        }
    };
    let mut brought = match (&head, &before) {
        (Some(_), Some(before)) if site.has_history() => {
            git::commits_between(&source, before, &commit)?
        }
        _ => Vec::new(),
    };
    brought.reverse();
    let moves_base = if site.has_history() { moves_base(&owned, &commit)? } else { head.is_some() };
    // A copy is what was copied, which may have changed since it was measured.
    let commit = match (&head, site.has_history()) {
        (Some(head), false) => recorded(head, &source)?,
        _ => commit,
    };
    if moves_base {
        let (pk, base) = (owned.row.pk, commit.to_string());
        ctx.step("workspace.refresh", |tx| Ok(workspaces::set_base(tx, pk, &base)?))?;
    }
    Ok(Refreshed {
        agent: owned.agent,
        branch: owned.row.branch,
        kind: owned.row.kind,
        path: owned.row.path,
        brought,
        onto,
        base: commit.to_string(),
        head,
        is_current,
    })
}

/// Fetches from the remote; where it cannot be reached that is said, and nothing is done.
fn fetch(ctx: &mut Ctx, owned: &Owned, site: &Site) -> Result<()> {
    if !site.has_history() {
        return owned.clone().with_history().map(|_| ());
    }
    let source = owned.source();
    ctx.act(format!("fetch from origin into {}", shown(&source)), || {
        Ok(git::fetch(&source, "origin")?)
    })?;
    if !ctx.is_dry_run() {
        site.backend().branches_moved(&site.place())?;
    }
    Ok(())
}

fn wanted(ctx: &Ctx, owned: &Owned, site: &Site, from: Option<&str>) -> Result<(String, Oid)> {
    if !site.has_history() {
        return match from {
            None => Ok((owned.row.source.clone(), contents(&owned.source())?)),
            Some(_) => Err(owned.clone().with_history().err().unwrap_or_else(|| {
                OpError::Usage("a copy is brought onto its source alone".to_owned())
            })),
        };
    }
    if let Some(from) = from {
        return Ok((from.to_owned(), git::resolve(&owned.source(), from)?));
    }
    let repository = repository(ctx, &owned.project)?;
    Ok((trunk(&owned.project.name), trunk_tip(&owned.project, &repository)?))
}

/// The recorded base moves forward only.
fn moves_base(owned: &Owned, commit: &Oid) -> Result<bool> {
    let source = owned.source();
    let base = recorded(&owned.row.base_sha, &source)?;
    match git::is_ancestor(&source, commit, &base) {
        Ok(is_older) => Ok(!is_older),
        // The old base is gone from the repository: any base is better.
        Err(GitError::Process(_)) => Ok(true),
        Err(err) => Err(err.into()),
    }
}
