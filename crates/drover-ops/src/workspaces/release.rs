//! Letting a workspace go: refused where something would be lost, unless it is kept as a rescue first.

use std::path::Path;

use drover_core::step;
use drover_core::workspace::{Loss, LossKind};
use drover_host::workspace::Kind;
use drover_host::workspace::git::{self, GitError, Removal};
use drover_store::WriteTx;
use drover_store::agents::Agent;
use drover_store::projects::Project;
use drover_store::workspaces::{self, Rescue};

use super::find::{Owned, find};
use super::look::{Look, Presence, Stays, look, losses};
use super::place::{locks, shown};
use super::rescue::{self, kept};
use crate::ctx::Ctx;
use crate::error::{Ending, OpError, Result, WorkspaceError, at_file};

/// How a workspace is let go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum How {
    /// Only if nothing is lost; a landed branch goes with its checkout.
    #[default]
    Safe,
    /// The checkout goes, the branch stays.
    KeepBranch,
    /// Everything goes; what would be lost is kept as a rescue first.
    Discard,
}

/// A workspace that is gone.
#[derive(Debug, Clone)]
pub struct Released {
    /// Where.
    pub project: String,
    /// Whose it was.
    pub agent: String,
    /// Where it was.
    pub path: String,
    /// Whether it had a checkout, which is removed.
    pub removed: bool,
    /// Its branch.
    pub branch: String,
    /// The repository that it came from.
    pub repository: String,
    /// Whether its branch stays.
    pub branch_stays: bool,
    /// What was kept of it.
    pub rescue: Option<Rescue>,
    /// Stashes made on its branch; they belong to the repository and stay.
    pub stashes: Vec<String>,
}

/// What `workspace free` is asked for.
#[derive(Debug, Clone, Default)]
pub struct Free {
    /// The agent: `<agent>` or `<project>/<agent>`.
    pub agent: String,
    /// How it is let go.
    pub how: How,
    /// Says that a discard is meant.
    pub yes: bool,
}

/// What became of it.
#[derive(Debug, Clone)]
pub enum Freed {
    /// It is gone.
    Done(Box<Released>),
    /// A discard was not confirmed: this is what it would take, and keep as a rescue.
    Preview {
        /// The project.
        project: String,
        /// Whose it is.
        agent: String,
        /// What would go.
        losses: Vec<Loss>,
        /// What would have it refused.
        held: Vec<Loss>,
    },
}

/// Frees the workspace of an agent.
pub fn free(ctx: &mut Ctx, request: &Free) -> Result<Freed> {
    let owned = find(ctx, &request.agent)?;
    if request.how == How::Discard && !request.yes {
        let losses = losses(&owned, &look(&owned)?, Stays::TrunkOnly)?;
        let (held, losses) = losses.into_iter().partition(|it| stands_in_the_way(it, How::Discard));
        let (project, agent) = (owned.project.name, owned.agent);
        return Ok(Freed::Preview { project, agent, losses, held });
    }
    let released = let_go(ctx, &owned, request.how, Ending::Free)?;
    // With the answer to a key: a repeat could not find the row any more.
    ctx.write("workspace.free", |tx| end_row(tx, &owned, &released))?;
    Ok(Freed::Done(Box::new(released)))
}

/// Lets the workspace of an agent go whose processes have ended; none when it has none.
pub fn release(
    ctx: &mut Ctx,
    project: &Project,
    agent: &Agent,
    how: How,
) -> Result<Option<Released>> {
    let Some(owned) = of_agent(ctx, project, agent)? else { return Ok(None) };
    let released = let_go(ctx, &owned, how, Ending::Close)?;
    ctx.step("workspace.free", |tx| end_row(tx, &owned, &released))?;
    Ok(Some(released))
}

/// What stands in the way of a release, without doing it; empty when nothing does.
///
/// A verb that ends the processes inside first leaves `LossKind::LiveProcess` out of account.
pub fn obstacles(ctx: &Ctx, project: &Project, agent: &Agent, how: How) -> Result<Vec<Loss>> {
    let Some(owned) = of_agent(ctx, project, agent)? else { return Ok(Vec::new()) };
    let all = losses(&owned, &look(&owned)?, stays(how))?;
    Ok(all.into_iter().filter(|it| stands_in_the_way(it, how)).collect())
}

fn of_agent(ctx: &Ctx, project: &Project, agent: &Agent) -> Result<Option<Owned>> {
    let row = workspaces::of_agent(&ctx.read(), agent.pk)?;
    Ok(row.map(|row| Owned { project: project.clone(), agent: agent.name.clone(), row }))
}

fn stays(how: How) -> Stays {
    match how {
        How::KeepBranch => Stays::OwnBranch,
        How::Safe | How::Discard => Stays::TrunkOnly,
    }
}

fn stands_in_the_way(loss: &Loss, how: How) -> bool {
    how != How::Discard || loss.kind == LossKind::LiveProcess
}

/// The refusal of letting a workspace go for what stands in the way.
pub(crate) fn refusal(
    (project, agent): (&str, &str),
    (how, by): (How, Ending),
    losses: Vec<Loss>,
) -> OpError {
    let (agent, project) = (agent.to_owned(), project.to_owned());
    let keeps_branch = how == How::KeepBranch;
    match how {
        How::Safe | How::KeepBranch => {
            WorkspaceError::NotSafe { agent, project, by, keeps_branch, losses }
        }
        How::Discard => WorkspaceError::Held { agent, project, by, losses },
    }
    .into()
}

/// Refusals first, then a row that says what is going on, then what is to be kept, then the removal.
/// The end of the row is left to the caller.
fn let_go(ctx: &mut Ctx, owned: &Owned, how: How, by: Ending) -> Result<Released> {
    let look = look(owned)?;
    // A dry run of a close has ended no process, and the close itself has looked for those of others.
    let is_rehearsed = by == Ending::Close && ctx.is_dry_run();
    let losses = losses(owned, &look, stays(how))?
        .into_iter()
        .filter(|it| !is_rehearsed || it.kind != LossKind::LiveProcess)
        .collect();
    let losses = check(owned, &look, losses, (how, by))?;
    let branch_stays = how == How::KeepBranch && look.tip.is_some();
    let site = owned.site()?;
    let stashes = if look.has_repository && site.kind == Kind::Git {
        git::stashes(&owned.source(), &owned.row.branch)?
    } else {
        Vec::new()
    };
    let rescued = kept(ctx, owned)?;
    let was_removing = owned.row.state == "removing";
    if !owned.is_branch_only() {
        let pk = owned.row.pk;
        ctx.step("workspace.free", |tx| Ok(workspaces::set_state(tx, pk, "removing")?))?;
    }
    let rescue = match rescued {
        Some(rescue) => Some(rescue),
        None if losses.is_empty() && !rescue::has_begun(ctx, owned)? => None,
        None => Some(rescue::keep(ctx, owned, &look, reason(by))?),
    };
    remove(ctx, owned, &look, (how, was_removing))?;
    if let (Some(tip), false) = (&look.tip, branch_stays) {
        let branch = &owned.row.branch;
        ctx.act(format!("delete the branch {branch}"), || {
            Ok(site.backend().delete_branch(&site.place(), tip)?)
        })?;
    }
    Ok(Released {
        project: owned.project.name.clone(),
        agent: owned.agent.clone(),
        path: owned.row.path.clone(),
        removed: !owned.is_branch_only(),
        branch: owned.row.branch.clone(),
        repository: owned.row.source.clone(),
        branch_stays,
        rescue,
        stashes,
    })
}

/// What a rescue says it was made for.
fn reason(by: Ending) -> &'static str {
    match by {
        Ending::Close => "agent close",
        Ending::Free => "workspace free",
    }
}

fn check(
    owned: &Owned,
    look: &Look,
    losses: Vec<Loss>,
    (how, by): (How, Ending),
) -> Result<Vec<Loss>> {
    let (losses, obstacles): (Vec<_>, Vec<_>) = match how {
        How::Safe | How::KeepBranch => (Vec::new(), losses),
        How::Discard => losses.into_iter().partition(|it| !stands_in_the_way(it, how)),
    };
    if !obstacles.is_empty() {
        let (agent, project) = (owned.agent.as_str(), owned.project.name.as_str());
        return Err(refusal((project, agent), (how, by), obstacles));
    }
    if how != How::KeepBranch
        && look.has_repository
        && owned.site()?.has_history()
        && let Some(path) = git::holder_of(&owned.source(), &owned.row.branch)?
        && !git::is_same_place(&path, &owned.path())
    {
        let branch = owned.row.branch.clone();
        return Err(GitError::BranchCheckedOut { branch, path }.into());
    }
    Ok(losses)
}

fn remove(ctx: &mut Ctx, owned: &Owned, look: &Look, (how, again): (How, bool)) -> Result<()> {
    if owned.is_branch_only() {
        return Ok(());
    }
    let (locks, site, path) = (locks(ctx)?, owned.site()?, owned.path());
    let (backend, place) = (site.backend(), site.place());
    let has_repository = look.has_repository;
    let what = format!("remove the checkout {}", shown(&path));
    match &look.presence {
        Presence::Checkout(_) => ctx.act(what, || {
            match (how, again) {
                // Its first removal was cut off: git may no longer know what is left of it.
                (How::Discard, true) => backend.remove_rest(&locks, &place),
                (How::Discard, false) => backend.remove(&locks, &place, Removal::WithChanges),
                (How::Safe | How::KeepBranch, _) => {
                    backend.remove(&locks, &place, Removal::IfClean)
                }
            }
            .map_err(OpError::from)
        })?,
        Presence::Missing | Presence::Stranger => ctx.act(what, || {
            remove_empty(&path)?;
            if has_repository {
                backend.forget(&locks, &place)?;
            }
            Ok(())
        })?,
    };
    Ok(())
}

/// Removes the directory that a rescue has emptied; one that holds anything stays.
fn remove_empty(path: &Path) -> Result<()> {
    let removed = std::fs::remove_dir(path);
    step::reached("file");
    match removed {
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(at_file(path)),
    }
}

fn end_row(tx: &WriteTx<'_>, owned: &Owned, released: &Released) -> Result<()> {
    if released.branch_stays {
        Ok(workspaces::set_state(tx, owned.row.pk, "branch_only")?)
    } else {
        Ok(workspaces::delete(tx, owned.row.pk)?)
    }
}
