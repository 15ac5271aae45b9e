//! One try at a task: the agent's command on clean ground, a commit of what it left, the proof.

use std::time::Duration;

use drover_core::text::Text;
use drover_host::process::{Command, Exit};
use drover_host::workspace::git::{GitError, Oid};
use drover_store::notes::{self, Evidence};
use drover_store::workspaces::Workspace;

use super::end;
use super::types::{Job, WorkEnd};
use crate::ctx::Ctx;
use crate::error::{MeError, OpError, Result};
use crate::policy::Policy;
use crate::trust::{self, Kind};
use crate::workspaces::{self, FailedTry, Refresh, Site};
use crate::{briefs, verify, words};

/// The command that is to prove the task, whose choice it is, and how long it may take.
struct Proof {
    command: String,
    chosen_by: String,
    timeout: Duration,
}

/// Why a try came to nothing.
struct Failure {
    reason: &'static str,
    what: String,
    evidence: Option<Box<Evidence>>,
}

/// A step of a try; its failure is no error of ours.
type Step<T> = Result<std::result::Result<T, Failure>>;

fn failed<T>(reason: &'static str, what: impl Into<String>) -> std::result::Result<T, Failure> {
    Err(Failure { reason, what: what.into(), evidence: None })
}

/// Carries a try through to its recorded end.
pub(super) fn carry_out(ctx: &mut Ctx, job: &Job<'_>, command: &[String]) -> Result<WorkEnd> {
    let (proof, before) = match prepare(ctx, job) {
        Ok(Ok(prepared)) => prepared,
        Ok(Err(failure)) => return give_back(ctx, job, &failure),
        Err(err) => return give_back(ctx, job, &impossible(&err)),
    };
    let tried = attempt(ctx, job, command, (before.as_ref(), proof.as_ref()));
    let failure = match tried {
        Ok(Ok(evidence)) => return end::close(ctx, job, evidence),
        Ok(Err(failure)) => failure,
        Err(err) => impossible(&err),
    };
    let failure = set_aside(ctx, job, before.as_ref(), failure);
    give_back(ctx, job, &failure)
}

fn impossible(err: &OpError) -> Failure {
    Failure { reason: "work_impossible", what: err.to_string(), evidence: None }
}

/// What is needed before the command may run: its proof and clean ground.
fn prepare(ctx: &mut Ctx, job: &Job<'_>) -> Step<(Option<Proof>, Option<Oid>)> {
    let proof = match proof(ctx, job)? {
        Ok(proof) => proof,
        Err(failure) => return Ok(Err(failure)),
    };
    Ok(clean_ground(ctx, job)?.map(|before| (proof, before)))
}

/// The command and its proof, on ground that is as `before` says.
fn attempt(
    ctx: &mut Ctx,
    job: &Job<'_>,
    command: &[String],
    (before, proof): (Option<&Oid>, Option<&Proof>),
) -> Step<Evidence> {
    let exit = run(ctx, job, command)?;
    if !exit.is_success() {
        return Ok(failed("work_failed", format!("the work command ended with {}", ending(exit))));
    }
    let head = match &job.workspace {
        Some(workspace) => match commit(job, workspace)? {
            Ok(head) => head,
            Err(failure) => return Ok(Err(failure)),
        },
        None => None,
    };
    let Some(proof) = proof else {
        if before.is_some() && before == head.as_ref() {
            let what = "the work command changed nothing, and nothing verifies the task";
            return Ok(failed("nothing_done", what));
        }
        return Ok(Ok(Evidence {
            kind: "said".to_owned(),
            verb: "close".to_owned(),
            text: Some(Text::new("the work command ended with code 0")),
            commit_oid: head.map(|it| it.as_str().to_owned()),
            said_by: ctx.actor().word(),
            ..Evidence::default()
        }));
    };
    let evidence =
        verify::run(ctx, &job.directory, &proof.command, &proof.chosen_by, proof.timeout)?;
    let evidence = Evidence { verb: "close".to_owned(), ..evidence };
    if evidence.kind == "verified" {
        return Ok(Ok(evidence));
    }
    let how = evidence.text.as_ref().map_or("it did not pass", Text::as_str);
    let what = format!("its verify command failed: {}: {how}", proof.command);
    Ok(Err(Failure { reason: "verify_failed", what, evidence: Some(Box::new(evidence)) }))
}

/// What will have to pass; a command that nobody trusts is found before any work is done for nothing.
fn proof(ctx: &Ctx, job: &Job<'_>) -> Step<Option<Proof>> {
    let policy = Policy::of(ctx, job.project)?;
    let timeout = policy.verify_timeout.unwrap_or(Duration::MAX);
    let task = job.task;
    let own = task.verify.clone().map(|it| (it, task.verify_chosen_by.clone().unwrap_or_default()));
    let chosen = own.or_else(|| policy.verify.map(|it| (it, "policy".to_owned())));
    let Some((command, chosen_by)) = chosen else { return Ok(Ok(None)) };
    let (tx, pk) = (ctx.read(), job.project.pk);
    if chosen_by == "plan" && !trust::is_trusted(&tx, pk, Kind::Verify, command.as_bytes())? {
        let what = "its verify command is not trusted yet; see drover project trust -p";
        return Ok(failed("verify_not_trusted", format!("{what} {}", job.project.name)));
    }
    Ok(Ok(Some(Proof { command, chosen_by, timeout })))
}

/// The commit at which the work begins: a clean checkout of the agent's branch that has all that is on the
/// trunk; none without a workspace.
fn clean_ground(ctx: &mut Ctx, job: &Job<'_>) -> Step<Option<Oid>> {
    let Some(workspace) = &job.workspace else { return Ok(Ok(None)) };
    if let Some(it) = workspaces::not_ready(ctx, job.project, &job.agent.name)? {
        return Ok(failed(it.reason, it.what));
    }
    let agent = format!("{}/{}", job.project.name, job.agent.name);
    match workspaces::refresh(ctx, &Refresh { agent, ..Refresh::default() }) {
        Ok(_) => {}
        Err(OpError::Workspace(err)) => return Ok(failed("workspace_conflict", err.to_string())),
        Err(err) => return Err(err),
    }
    let site = Site::of(workspace)?;
    let head = site.backend().status(&site.place())?.head;
    Ok(Ok(head.filter(|_| site.has_history())))
}

fn run(ctx: &Ctx, job: &Job<'_>, command: &[String]) -> Result<Exit> {
    let brief = briefs::write(ctx, job.project, job.task)?;
    let Some((program, arguments)) = command.split_first() else {
        return Err(MeError::NoWork { agent: job.agent.name.clone() }.into());
    };
    let command = Command::new(program, &job.directory)
        .args(arguments.iter().cloned())
        .environment(ctx.env().clone())
        .env("DROVER_PROJECT", &job.project.name)
        .env("DROVER_TASK", &job.task.id)
        .env("DROVER_BRIEF", brief)
        .env("DROVER_WORKSPACE", &job.directory);
    Ok(command.run_on_terminal()?)
}

/// Commits everything but ignored files under the task's name, if the command is still on the agent's branch.
///
/// A copy has nowhere to commit to: there, what the command leaves is the work.
fn commit(job: &Job<'_>, workspace: &Workspace) -> Step<Option<Oid>> {
    let site = Site::of(workspace)?;
    let (backend, place) = (site.backend(), site.place());
    if !site.has_history() {
        return Ok(Ok(None));
    }
    let status = backend.status(&place)?;
    if let Some(operation) = status.operation {
        return Ok(failed(
            "operation_in_progress",
            format!("the work command left a {operation} unfinished"),
        ));
    }
    if status.branch.as_ref() != Some(&workspace.branch) {
        let what = format!("the work command left the branch {}", workspace.branch);
        return Ok(failed("workspace_off_branch", what));
    }
    let title = job.task.title.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = format!("{}: {title}\n\nDrover-Task: {}\n", job.task.id, job.task.uid);
    match backend.commit_all(&place, &message) {
        Err(err @ GitError::InnerRepository { .. }) => {
            return Ok(failed("workspace_dirty", err.to_string()));
        }
        other => other?,
    };
    Ok(Ok(backend.status(&place)?.head))
}

/// Keeps what the try left and clears the ground for the next one; the note will say where it is.
fn set_aside(ctx: &mut Ctx, job: &Job<'_>, before: Option<&Oid>, failure: Failure) -> Failure {
    let (Some(row), Some(before)) = (&job.workspace, before) else { return failure };
    let name = format!("{}/{}", job.task.uid, ctx.group());
    let (project, agent) = (job.project, job.agent.name.as_str());
    let kept = match workspaces::set_aside(ctx, &FailedTry { project, agent, row, before, name }) {
        Ok(None) => return failure,
        Ok(Some(prefix)) => {
            let repository = words::quote(&row.source);
            format!("what it left is kept: git -C {repository} diff {before} {prefix}/tree")
        }
        // It is all still there, and dispatch hands the agent nothing before it is looked at.
        Err(err) => format!("what it left is still in its workspace: {err}"),
    };
    let what = format!("{}; {kept}", failure.what);
    Failure { what, ..failure }
}

fn give_back(ctx: &mut Ctx, job: &Job<'_>, failure: &Failure) -> Result<WorkEnd> {
    let (uid, project) = (job.task.uid.clone(), job.project.pk);
    end::give_back(ctx, job, (failure.reason, &failure.what), |tx| match &failure.evidence {
        Some(evidence) => Ok(notes::insert_evidence(tx, project, &uid, evidence)?),
        None => Ok(()),
    })
}

fn ending(exit: Exit) -> String {
    match exit {
        Exit::Code(code) => format!("exit code {code}"),
        Exit::Signal(signal) => format!("signal {signal}"),
    }
}
