//! Which tasks a landing brings in, and which commands must pass for it.

use std::collections::BTreeSet;
use std::path::Path;

use drover_core::task::State;
use drover_host::workspace::git::{self, Oid};
use drover_store::projects::Project;
use drover_store::tasks::{self, Query, Task};
use drover_store::workspaces::Workspace;
use drover_store::{agents, notes};

use super::find::Owned;
use crate::ctx::Ctx;
use crate::error::Result;
use crate::policy::Policy;
use crate::trust;

/// The trailer that names a task in the commit made for it.
pub(super) const TASK_TRAILER: &str = "Drover-Task";

/// A command to run on the merged tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Check {
    pub(super) command: String,
    /// `plan`, `caller` or `policy`.
    pub(super) chosen_by: String,
}

/// What a landing brings in.
#[derive(Debug, Clone)]
pub(super) struct Brings {
    /// Tasks closed as done on the branch since its last landing.
    pub(super) tasks: Vec<Task>,
    /// Each command once.
    pub(super) checks: Vec<Check>,
}

/// The tasks between two commits, and their trusted commands or else the policy's.
pub(super) fn brings(ctx: &mut Ctx, owned: &Owned, from: &Oid, to: &Oid) -> Result<Brings> {
    let tasks = closed_between(ctx, &owned.project, &owned.row, (from, to))?;
    let mut checks: Vec<Check> = Vec::new();
    for task in &tasks {
        let Some(command) = &task.verify else { continue };
        if checks.iter().any(|it| it.command == *command) {
            continue;
        }
        let chosen_by = task.verify_chosen_by.clone().unwrap_or_else(|| "plan".to_owned());
        if may_run(ctx, owned.project.pk, command, &chosen_by)? {
            checks.push(Check { command: command.clone(), chosen_by });
        } else {
            let (id, project) = (&task.id, &owned.project.name);
            ctx.warn(format!(
                "the verify command of {id} was not run: nobody trusts it yet; read it, then: drover project trust -p {project}"
            ));
        }
    }
    if checks.is_empty() {
        let policy = Policy::of(ctx, &owned.project)?.verify;
        checks.extend(policy.map(|command| Check { command, chosen_by: "policy".to_owned() }));
    }
    Ok(Brings { tasks, checks })
}

/// What a person of this machine chose may run; what came with a plan only when it is trusted.
fn may_run(ctx: &Ctx, project_pk: i64, command: &str, chosen_by: &str) -> Result<bool> {
    let kind = trust::Kind::Verify;
    Ok(chosen_by != "plan" || trust::is_trusted(&ctx.read(), project_pk, kind, command.as_bytes())?)
}

/// A task belongs to a landing if a commit of it names the task, if it was closed on one of its
/// commits, or if the agent closed it and it never landed.
pub(super) fn closed_between(
    ctx: &Ctx,
    project: &Project,
    row: &Workspace,
    (from, to): (&Oid, &Oid),
) -> Result<Vec<Task>> {
    let repository = Path::new(&row.source);
    let named: BTreeSet<String> =
        git::trailers(repository, TASK_TRAILER, from, to)?.into_iter().collect();
    let commits: BTreeSet<String> = git::commits_between(repository, from, to)?
        .into_iter()
        .map(|it| it.oid.to_string())
        .collect();
    let tx = ctx.read();
    let agent = agents::by_pk(&tx, row.agent_pk)?.map(|it| it.uid);
    let done = Query { substates: vec![State::Done.substate().to_owned()], ..Query::default() };
    let mut found = Vec::new();
    for task in tasks::list(&tx, project.pk, &done)? {
        let evidence = notes::evidence_for(&tx, &task.uid)?;
        let on_a_commit = evidence.iter().any(|it| {
            it.verb == "close" && it.commit_oid.as_ref().is_some_and(|it| commits.contains(it))
        });
        let by_the_agent = task.claimed_uid.is_some()
            && task.claimed_uid == agent
            && !evidence.iter().any(|it| it.kind == "landed");
        if named.contains(&task.uid) || on_a_commit || by_the_agent {
            found.push(task);
        }
    }
    Ok(found)
}
