//! Whether a workspace can take the next task, and putting it back after a try that failed.

use std::path::Path;

use drover_core::task::State;
use drover_host::workspace::git::{self, Oid, Operation};
use drover_store::projects::Project;
use drover_store::tasks;
use drover_store::workspaces::{self, Rescue, Workspace};

use super::checks::{TASK_TRAILER, closed_between};
use super::find::in_project;
use super::look::check_committed;
use super::place::trunk;
use super::site::Site;
use crate::ctx::Ctx;
use crate::error::{OpError, Result, WorkspaceError};

/// Why a workspace cannot take a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotReady {
    /// A stable word, as `workspace_dirty`.
    pub(crate) reason: &'static str,
    /// The sentence.
    pub(crate) what: String,
}

/// What is wrong with the workspace of an agent that works on nothing; none if it is all committed
/// on its own branch, and where there is no workspace.
pub(crate) fn not_ready(ctx: &Ctx, project: &Project, agent: &str) -> Result<Option<NotReady>> {
    let owned = match in_project(&ctx.read(), project.clone(), agent) {
        Ok(owned) if owned.is_branch_only() => return Ok(None),
        Ok(owned) => owned,
        Err(OpError::Workspace(err)) if matches!(*err, WorkspaceError::Unknown { .. }) => {
            return Ok(None);
        }
        Err(err) => return Err(err),
    };
    let (reason, what) = match check_committed(&owned) {
        Ok(()) => return Ok(None),
        Err(OpError::Git(err)) => ("workspace_missing", err.to_string()),
        Err(OpError::Workspace(err)) => (word(&err), err.to_string()),
        Err(err) => return Err(err),
    };
    Ok(Some(NotReady { reason, what }))
}

fn word(err: &WorkspaceError) -> &'static str {
    match err {
        WorkspaceError::Dirty { .. } => "workspace_dirty",
        WorkspaceError::InProgress { .. } => "operation_in_progress",
        WorkspaceError::OffBranch { .. } => "workspace_off_branch",
        _ => "workspace_missing",
    }
}

/// Why the work on a branch is not to be landed in passing, though nobody works on it; none if it is the work
/// of tasks that are done.
pub(crate) fn not_finished(
    ctx: &Ctx,
    project: &Project,
    row: &Workspace,
) -> Result<Option<String>> {
    let repository = Path::new(&row.source);
    let tip = |branch: &str| git::branch_tip(repository, branch);
    let (Some(from), Some(to)) = (tip(&trunk(&project.name))?, tip(&row.branch)?) else {
        return Ok(None);
    };
    let mut open = Vec::new();
    for uid in git::trailers(repository, TASK_TRAILER, &from, &to)? {
        let task = tasks::by_uid(&ctx.read(), &uid)?;
        open.extend(task.filter(|it| it.state != State::Done).map(|it| it.id));
    }
    open.sort();
    open.dedup();
    if !open.is_empty() {
        return Ok(Some(format!("it holds work of tasks that are not done: {}", open.join(", "))));
    }
    let is_of_none = closed_between(ctx, project, row, (&from, &to))?.is_empty();
    Ok(is_of_none.then(|| "it holds work of no task that is done".to_owned()))
}

/// A try at a task that came to nothing.
pub(crate) struct FailedTry<'a> {
    pub(crate) project: &'a Project,
    pub(crate) agent: &'a str,
    pub(crate) row: &'a Workspace,
    /// The commit at which the try began.
    pub(crate) before: &'a Oid,
    /// What tells it apart from every other try, as a part of a ref's name.
    pub(crate) name: String,
}

/// Keeps what a failed try left under refs and puts the workspace back, so that the next task begins on
/// clean ground; the refs' prefix, or none if nothing was left.
///
/// A checkout that is not on its own branch, or in the middle of a rebase, is left as it is.
pub(crate) fn set_aside(ctx: &mut Ctx, failed: &FailedTry<'_>) -> Result<Option<String>> {
    let site = Site::of(failed.row)?;
    if !site.has_history() {
        return Ok(None);
    }
    let status = site.backend().status(&site.place())?;
    let is_as_before = status.is_clean() && status.head.as_ref() == Some(failed.before);
    let is_stuck = matches!(
        status.operation,
        Some(Operation::Rebase | Operation::Bisect | Operation::Rewrite)
    );
    if is_as_before || is_stuck || status.branch.as_ref() != Some(&failed.row.branch) {
        return Ok(None);
    }
    let prefix =
        format!("refs/drover/rescue/{}/{}/{}", failed.project.name, failed.agent, failed.name);
    site.backend().rescue(&site.place(), &prefix)?;
    let rescue = Rescue {
        uid: String::new(),
        created_at: String::new(),
        project_uid: failed.project.uid.clone(),
        agent_name: failed.agent.to_owned(),
        repository: failed.row.source.clone(),
        branch: failed.row.branch.clone(),
        head: status.head.map_or_else(String::new, |it| it.to_string()),
        ref_prefix: Some(prefix.clone()),
        trash_path: None,
        reason: "me work".to_owned(),
    };
    // Named before anything is thrown away.
    ctx.step("me.set_aside", |tx| Ok(workspaces::insert_rescue(tx, &rescue)?))?;
    site.backend().set_back(&site.place(), failed.before)?;
    Ok(Some(prefix))
}
