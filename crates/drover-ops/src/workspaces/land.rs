//! `workspace land`: an agent's branch merged, verified and put on a branch that nobody has checked out.

use std::path::{Path, PathBuf};
use std::time::Duration;

use drover_host::lock::Lock;
use drover_host::workspace::Kind;
use drover_host::workspace::git::{
    self, GitError, Merge, Oid, PrivateMerge, PrivateWorktree, Undone,
};
use drover_store::notes::Evidence;
use drover_store::projects::Project;

use super::checks::{Brings, brings};
use super::find::{Owned, find};
use super::furnish::{Bare, furnish};
use super::landed::{self, Outcome, Subject};
use super::place::{fast_forward, landing_directory, locks, repository, shown, trunk};
use super::strayed::tell_of_strays;
use super::under_way::{self, UnderWay};
use crate::ctx::Ctx;
use crate::error::{Attempt, OpError, Result, WorkspaceError};
use crate::policy::Policy;
use crate::verify;

/// How often a target that moves is tried again.
const TRIES: u32 = 3;

/// What to land, and where.
#[derive(Debug, Clone, Default)]
pub struct Land {
    /// The agent: `<agent>` or `<project>/<agent>`.
    pub agent: String,
    /// The branch to land on; the integration branch when absent.
    pub onto: Option<String>,
    /// Lands without running any command on the merged tree.
    pub unverified: bool,
    /// Lands though the merge takes away lines of others that are newer than this work.
    pub takes_away: bool,
}

/// Work that stands on its target.
#[derive(Debug, Clone)]
pub struct Landed {
    /// The project.
    pub project: Project,
    /// Whose work it is.
    pub agent: String,
    /// Its branch.
    pub branch: String,
    /// The commit of the branch that was landed.
    pub source: String,
    /// The branch it stands on.
    pub target: String,
    /// Whether it stood there already.
    pub is_repeat: bool,
    /// The merge commit; none in a dry run and where it stood there already.
    pub commit: Option<String>,
    /// Tasks that this brought in.
    pub tasks: Vec<String>,
    /// What was run on the merged tree.
    pub checks: Vec<Evidence>,
    /// Lines of others, newer than this work, that the merge takes away.
    pub undone: Vec<Undone>,
    /// The command that brings it onto the user's own branch.
    pub fast_forward: Option<String>,
    /// Whether the branch, kept without a checkout, went with this.
    pub branch_is_gone: bool,
}

/// What is about to be landed.
struct Ground {
    owned: Owned,
    source: Oid,
    target: String,
    repository: PathBuf,
    unverified: bool,
    takes_away: bool,
}

impl Ground {
    fn subject(&self) -> Subject<'_> {
        let (owned, source, repository) = (&self.owned, &self.source, self.repository.as_path());
        Subject { owned, source, target: &self.target, repository }
    }
}

/// Lands an agent's branch. The target is moved by compare-and-set, last; whatever fails before
/// leaves it where it was. All rows are committed, but for the end of a kept branch's row, which is
/// left to the commit of the call.
pub fn land(ctx: &mut Ctx, request: &Land) -> Result<Landed> {
    let mut ground = ground(ctx, request)?;
    let directory = landing_directory(ctx, &ground.owned.project.name)?;
    let _lock = alone(ctx, &ground, &directory)?;
    if let Some(outcome) = taken_up(ctx, &mut ground)? {
        return finish(ctx, ground, outcome);
    }
    for _ in 0..TRIES {
        if let Some(outcome) = attempt(ctx, &ground, &directory)? {
            return finish(ctx, ground, outcome);
        }
    }
    Err(WorkspaceError::TargetMoved {
        agent: ground.owned.agent,
        project: ground.owned.project.name,
        target: ground.target,
        times: TRIES,
    }
    .into())
}

fn ground(ctx: &Ctx, request: &Land) -> Result<Ground> {
    let owned = find(ctx, &request.agent)?.with_history()?;
    let repository = PathBuf::from(repository(ctx, &owned.project)?.path);
    if !owned.is_branch_only() {
        super::look::check_committed(&owned)?;
    }
    let branch = &owned.row.branch;
    let source = git::branch_tip(&repository, branch)?.ok_or_else(|| WorkspaceError::NoTarget {
        target: branch.clone(),
        repository: shown(&repository),
    })?;
    let target = request.onto.clone().unwrap_or_else(|| trunk(&owned.project.name));
    git::check_branch_name(&repository, &target)?;
    let Land { unverified, takes_away, .. } = *request;
    Ok(Ground { owned, source, target, repository, unverified, takes_away })
}

/// One landing at a time for a project; with the lock held, a worktree at the place is a leftover.
fn alone(ctx: &mut Ctx, ground: &Ground, directory: &Path) -> Result<Option<Lock>> {
    if ctx.is_dry_run() {
        return Ok(None);
    }
    let locks = locks(ctx)?;
    let patience = Policy::of(ctx, &ground.owned.project)?.verify_timeout.unwrap_or(Duration::MAX);
    let name = format!("land:{}", ground.owned.project.uid);
    ctx.act(format!("hold the lock on landings of {}", ground.owned.project.name), || {
        let lock = locks.lock(&name, patience).map_err(GitError::from)?;
        git::remove_private_worktree(&locks, &ground.repository, directory)?;
        Ok(lock)
    })
}

/// What a landing of this work came to that was cut off before it was recorded. One of older work is
/// recorded by the way.
fn taken_up(ctx: &mut Ctx, ground: &mut Ground) -> Result<Option<Outcome>> {
    if ctx.is_dry_run() {
        return Ok(None);
    }
    let Some(begun) = under_way::moved(ctx, &ground.owned, &ground.repository)? else {
        return Ok(None);
    };
    let (owned, repository) = (&ground.owned, ground.repository.as_path());
    let subject = Subject { owned, source: &begun.source, target: &begun.target, repository };
    let undone = landed::undone(ctx, &subject, &begun.from, &begun.commit)?;
    let UnderWay { commit, brings, checks, .. } = begun;
    let outcome = Outcome::New { commit, brings, checks, undone };
    if begun.source == ground.source && begun.target == ground.target {
        return Ok(Some(outcome));
    }
    landed::record(ctx, &subject, &outcome)?;
    ground.owned.row.landed_sha = Some(begun.source.to_string());
    Ok(None)
}

/// One try; none when the target moved meanwhile.
fn attempt(ctx: &mut Ctx, ground: &Ground, directory: &Path) -> Result<Option<Outcome>> {
    let old = target_tip(ground)?;
    check_not_checked_out(ground)?;
    if git::holds(&ground.repository, &old, &ground.source)? {
        return Ok(Some(Outcome::Repeat { at: old }));
    }
    let mut brings = brings(ctx, &ground.owned, &old, &ground.source)?;
    if ground.unverified {
        brings.checks.clear();
    }
    let Some((commit, worktree)) = merge(ctx, ground, &brings, (&old, directory))? else {
        preview(ctx, ground, &brings)?;
        return Ok(Some(Outcome::Preview { brings }));
    };
    let undone = landed::undone(ctx, &ground.subject(), &old, &commit)?;
    check_undone(ground, &undone)?;
    let checks = verify_all(ctx, ground, &brings, worktree.path())?;
    drop(worktree);
    for task in &brings.tasks {
        tell_of_strays(ctx, &ground.owned.project, task)?;
    }
    under_way::keep(ctx, &ground.subject(), (&old, &commit), (&brings, &checks))?;
    check_not_checked_out(ground)?;
    let name = format!("refs/heads/{}", ground.target);
    let moved = ctx.act(format!("move {} to {commit}", ground.target), || {
        Ok(git::update_ref_cas(&ground.repository, &name, &commit, &old)?)
    });
    match moved {
        Err(OpError::Git(GitError::Moved { .. })) => Ok(None),
        Err(err) => Err(err),
        Ok(_) => Ok(Some(Outcome::New { commit, brings, checks, undone })),
    }
}

fn target_tip(ground: &Ground) -> Result<Oid> {
    let tip = git::branch_tip(&ground.repository, &ground.target)?;
    let missing = || -> OpError {
        let (project, branch) = (ground.owned.project.name.clone(), ground.target.clone());
        let repository = shown(&ground.repository);
        if branch == trunk(&project) {
            WorkspaceError::TrunkMissing { project, branch, repository }.into()
        } else {
            WorkspaceError::NoTarget { target: branch, repository }.into()
        }
    };
    tip.ok_or_else(missing)
}

/// Refuses a target that somebody works on: its tree would no longer be what its branch says. One that
/// stands for another ref could be worked on under that name.
fn check_not_checked_out(ground: &Ground) -> Result<()> {
    if let Some(stands_for) = git::stands_for(&ground.repository, &ground.target)? {
        return Err(WorkspaceError::TargetStandsFor {
            agent: ground.owned.agent.clone(),
            target: ground.target.clone(),
            repository: shown(&ground.repository),
            stands_for,
        }
        .into());
    }
    let Some(path) = git::holder_of(&ground.repository, &ground.target)? else { return Ok(()) };
    let project = ground.owned.project.name.clone();
    Err(WorkspaceError::TargetCheckedOut {
        agent: ground.owned.agent.clone(),
        trunk: trunk(&project),
        project,
        target: ground.target.clone(),
        path,
    }
    .into())
}

fn merge(
    ctx: &mut Ctx,
    ground: &Ground,
    brings: &Brings,
    (target, directory): (&Oid, &Path),
) -> Result<Option<(Oid, PrivateWorktree)>> {
    let locks = locks(ctx)?;
    let message = message(ground, brings);
    let branch = &ground.owned.row.branch;
    let merged = ctx.act(format!("merge {branch} with {}", ground.target), || {
        let request = PrivateMerge {
            repository: &ground.repository,
            directory,
            target,
            source: &ground.source,
            message: &message,
        };
        Ok(git::merge_in_private_worktree(&locks, &request)?)
    })?;
    match merged {
        None | Some(Merge::AlreadyContained) => Ok(None),
        Some(Merge::Merged { commit, worktree, .. }) => Ok(Some((commit, worktree))),
        Some(Merge::Conflict(files)) => Err(WorkspaceError::Conflict {
            agent: ground.owned.agent.clone(),
            project: ground.owned.project.name.clone(),
            branch: branch.clone(),
            target: ground.target.clone(),
            files: files.iter().map(|it| shown(it)).collect(),
            by: Attempt::Land,
        }
        .into()),
    }
}

/// Taking away what others did since is for whoever says that it is meant.
fn check_undone(ground: &Ground, undone: &[Undone]) -> Result<()> {
    if undone.is_empty() || ground.takes_away {
        return Ok(());
    }
    Err(WorkspaceError::TakesAway {
        agent: ground.owned.agent.clone(),
        project: ground.owned.project.name.clone(),
        branch: ground.owned.row.branch.clone(),
        target: ground.target.clone(),
        onto: (ground.target != trunk(&ground.owned.project.name)).then(|| ground.target.clone()),
        files: undone.iter().map(|it| (shown(&it.path), it.lines)).collect(),
    }
    .into())
}

fn message(ground: &Ground, brings: &Brings) -> String {
    let agent = &ground.owned.agent;
    let ids: Vec<&str> = brings.tasks.iter().map(|it| it.id.as_str()).collect();
    let subject = if ids.is_empty() {
        format!("land {agent}")
    } else {
        format!("land {agent}: {}", ids.join(", "))
    };
    format!("{subject}\n\nDrover-Branch: {}\n", ground.owned.row.branch)
}

/// Says in a dry run what would follow the merge.
fn preview(ctx: &mut Ctx, ground: &Ground, brings: &Brings) -> Result<()> {
    for check in &brings.checks {
        ctx.act(format!("run on the merged tree: {}", check.command), || Ok(()))?;
    }
    ctx.act(format!("move {} to the merge", ground.target), || Ok(()))?;
    Ok(())
}

/// Runs every command on the merged tree; the first that fails ends the landing and is recorded.
fn verify_all(
    ctx: &mut Ctx,
    ground: &Ground,
    brings: &Brings,
    directory: &Path,
) -> Result<Vec<Evidence>> {
    if brings.checks.is_empty() {
        ctx.warn("unverified: no command was run on the merged tree");
        return Ok(Vec::new());
    }
    let (project, agent) = (&ground.owned.project, &ground.owned.agent);
    let (source, kind) = (&ground.repository, Kind::Git);
    furnish(ctx, &Bare { project, agent, source, path: directory, kind })?;
    let timeout = Policy::of(ctx, project)?.verify_timeout.unwrap_or(Duration::MAX);
    let mut shown_by = Vec::new();
    for check in &brings.checks {
        let mut evidence = verify::run(ctx, directory, &check.command, &check.chosen_by, timeout)?;
        "land".clone_into(&mut evidence.verb);
        if evidence.kind == "failed" {
            landed::record_failure(ctx, &ground.owned, brings, &evidence)?;
            return Err(WorkspaceError::VerifyFailed {
                agent: agent.clone(),
                project: project.name.clone(),
                branch: ground.owned.row.branch.clone(),
                target: ground.target.clone(),
                command: check.command.clone(),
                how: evidence.text.map(drover_core::text::Text::into_string).unwrap_or_default(),
                log: evidence.log_path,
            }
            .into());
        }
        shown_by.push(evidence);
    }
    Ok(shown_by)
}

/// Has those know who keep branches in a second place.
fn told(ctx: &mut Ctx, ground: &Ground) -> Result<()> {
    let site = ground.owned.site()?;
    if site.kind == Kind::Jj && !ctx.is_dry_run() {
        site.backend().branches_moved(&site.place())?;
    }
    Ok(())
}

fn finish(ctx: &mut Ctx, ground: Ground, outcome: Outcome) -> Result<Landed> {
    landed::record(ctx, &ground.subject(), &outcome)?;
    let branch_is_gone = landed::let_branch_go(ctx, &ground.subject())?;
    told(ctx, &ground)?;
    let is_trunk = ground.target == trunk(&ground.owned.project.name);
    let fast_forward =
        is_trunk.then(|| fast_forward(&ground.repository, &ground.owned.row.kind, &ground.target));
    let mut landed = Landed {
        project: ground.owned.project,
        agent: ground.owned.agent,
        branch: ground.owned.row.branch,
        source: ground.source.to_string(),
        target: ground.target,
        is_repeat: false,
        commit: None,
        tasks: Vec::new(),
        checks: Vec::new(),
        undone: Vec::new(),
        fast_forward,
        branch_is_gone,
    };
    let ids = |brings: Brings| brings.tasks.into_iter().map(|it| it.id).collect();
    match outcome {
        Outcome::Repeat { .. } => landed.is_repeat = true,
        Outcome::Preview { brings } => landed.tasks = ids(brings),
        Outcome::New { commit, brings, checks, undone } => {
            landed.commit = Some(commit.to_string());
            landed.tasks = ids(brings);
            landed.checks = checks;
            landed.undone = undone;
        }
    }
    Ok(landed)
}
