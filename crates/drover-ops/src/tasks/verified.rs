//! `task close --verify`: the command that proves a task done, run where its work is.

use std::path::{Path, PathBuf};
use std::time::Duration;

use drover_host::workspace::{self, Ground};
use drover_store::agents;
use drover_store::notes::Evidence;
use drover_store::projects::{self, Project};
use drover_store::tasks::Task;
use drover_store::workspaces;

use super::shared;
use crate::ctx::Ctx;
use crate::error::{Result, TaskError};
use crate::policy::Policy;
use crate::roles::Caller;
use crate::trust::{self, Kind};
use crate::{directory, resolve, verify};

/// Runs the verify command of a task and returns what it showed; `None` in a dry run.
///
/// A command given by the caller is run in its place and counts as the caller's choice. The tree must be
/// clean, so that what was checked is what the commit holds. A failure is recorded and refused.
pub fn verified(ctx: &mut Ctx, id: &str, given: Option<&str>) -> Result<Option<Evidence>> {
    let (project, task) = resolve::task(ctx, id)?;
    shared::check_holder(&ctx.read(), Caller::of(ctx).as_ref(), &task)?;
    let policy = Policy::of(ctx, &project)?;
    let (command, chosen_by) = chosen(ctx, &project, &task, (&policy, given))?;
    let place = place(ctx, &project, &task)?;
    check_clean(&project, &task, &place)?;
    let timeout = policy.verify_timeout.unwrap_or(Duration::MAX);
    if ctx.is_dry_run() {
        ctx.act(format!("run {command} in {}", place.display()), || Ok(()))?;
        return Ok(None);
    }
    let evidence = verify::run(ctx, &place, &command, chosen_by, timeout)?;
    let evidence = Evidence { verb: "close".to_owned(), ..evidence };
    if evidence.kind == "verified" {
        return Ok(Some(evidence));
    }
    ctx.step("task.verify", |tx| shared::record(tx, &task, Some(&evidence)))?;
    let how = evidence
        .text
        .as_ref()
        .map_or_else(|| "it did not pass".to_owned(), |it| it.as_str().to_owned());
    let log = evidence.log_path.unwrap_or_default();
    Err(TaskError::VerifyFailed { id: task.id, project: project.name, command, how, log }.into())
}

/// The command and whose choice it is; one from outside must be trusted.
fn chosen(
    ctx: &Ctx,
    project: &Project,
    task: &Task,
    (policy, given): (&Policy, Option<&str>),
) -> Result<(String, &'static str)> {
    if let Some(command) = given {
        return Ok((command.to_owned(), "caller"));
    }
    let (id, project_name) = (task.id.clone(), project.name.clone());
    let Some(command) = task.verify.clone() else {
        let command = policy.verify.clone();
        return command
            .map(|it| (it, "policy"))
            .ok_or_else(|| TaskError::NothingToVerify { id, project: project_name }.into());
    };
    if task.verify_chosen_by.as_deref() != Some("plan") {
        return Ok((command, "caller"));
    }
    if trust::is_trusted(&ctx.read(), project.pk, Kind::Verify, command.as_bytes())? {
        return Ok((command, "plan"));
    }
    Err(TaskError::VerifyNotTrusted { id, project: project_name, command }.into())
}

/// The workspace of the holder, else the repository one stands in if it is the project's, else the
/// project's main working tree, else where one stands.
fn place(ctx: &Ctx, project: &Project, task: &Task) -> Result<PathBuf> {
    let tx = ctx.read();
    if let Some(uid) = &task.claimed_uid
        && let Some(agent) = agents::by_uid(&tx, uid)?
    {
        let workspace = workspaces::of_agent(&tx, agent.pk)?;
        return Ok(PathBuf::from(workspace.map_or(agent.profile.cwd, |it| it.path)));
    }
    let here = directory::current()?;
    let Some(repository) = projects::repository(&tx, project.pk)? else { return Ok(here) };
    let is_here = |it: &Ground| it.git_common_dir == Path::new(&repository.git_common_dir);
    let found = workspace::ground(&here)?.filter(is_here);
    Ok(found.map_or_else(|| PathBuf::from(&repository.path), |it| it.root))
}

fn check_clean(project: &Project, task: &Task, place: &Path) -> Result<()> {
    let Some(found) = workspace::ground(place)? else { return Ok(()) };
    let changed: Vec<String> = found.changed.iter().map(|it| it.display().to_string()).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let (id, project, path) = (task.id.clone(), project.name.clone(), place.to_owned());
    Err(TaskError::VerifyDirty { id, project, path, changed }.into())
}
