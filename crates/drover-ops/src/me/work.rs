//! `me work`: takes a task, runs the agent's command on it, commits what it left, verifies, closes.
//!
//! Every end is recorded: closed with its evidence, or given back with a note that says why. A
//! worker that is killed leaves its process on the agent's row, so that the next look gives the
//! task back.

use std::path::{Path, PathBuf};
use std::time::Duration;

use drover_core::task::State;
use drover_core::text::Text;
use drover_host::process::{Command, Exit};
use drover_host::workspace::git::{self, Oid};
use drover_host::{proc, signals};
use drover_store::agents::{self, Agent, Process};
use drover_store::notes::{self, Evidence};
use drover_store::projects::Project;
use drover_store::tasks::{self, Task};
use drover_store::{WriteTx, projects, workspaces};

use crate::actor::Actor;
use crate::ctx::Ctx;
use crate::error::{MeError, OpError, Result, at_file};
use crate::policy::Policy;
use crate::trust::{self, Kind};
use crate::{briefs, verify};

/// A task that was worked on.
#[derive(Debug, Clone)]
pub struct Worked {
    /// Where.
    pub project: Project,
    /// The task, as it is now.
    pub task: Task,
    /// How it ended.
    pub end: WorkEnd,
}

/// How the work on a task ended.
#[derive(Debug, Clone)]
pub enum WorkEnd {
    /// Closed as done.
    Closed {
        /// The evidence it was closed on.
        evidence: Box<Evidence>,
    },
    /// Given back.
    Released {
        /// A stable word, as `work_failed`.
        reason: &'static str,
        /// The note that says why.
        note: String,
    },
}

/// Works on the task that the calling agent holds, else on the best ready one; `None` when there is none.
pub fn work(ctx: &mut Ctx) -> Result<Option<Worked>> {
    let agent = acting_agent(ctx)?;
    let command = work_command(&agent)?;
    // From here on Ctrl-C ends the command below us, and we live to record it.
    signals::install().map_err(at_file("signals"))?;
    let Some((project, task)) = take(ctx, &agent)? else { return Ok(None) };
    let job = Job { agent: &agent, project: &project, task: &task };
    let end = match carry_out(ctx, &job, &command) {
        Ok(end) => end,
        Err(err) => give_back(ctx, &job, "work_impossible", &err.to_string())?,
    };
    let task = tasks::by_pk(&ctx.read(), task.pk)?.unwrap_or(task);
    Ok(Some(Worked { project, task, end }))
}

/// What is worked on, and by whom.
struct Job<'a> {
    agent: &'a Agent,
    project: &'a Project,
    task: &'a Task,
}

fn acting_agent(ctx: &Ctx) -> Result<Agent> {
    match ctx.actor() {
        Actor::Agent(agent) => Ok((**agent).clone()),
        other => Err(MeError::NotAnAgent { verb: "me work", who: other.word() }.into()),
    }
}

fn work_command(agent: &Agent) -> Result<Vec<String>> {
    let words: Option<Vec<String>> =
        agent.profile.work.as_deref().and_then(|it| serde_json::from_str(it).ok());
    let words = words.filter(|it| !it.is_empty());
    Ok(words.ok_or_else(|| MeError::NoWork { agent: agent.name.clone() })?)
}

/// Records this process on the agent's row together with the task it takes.
fn take(ctx: &mut Ctx, agent: &Agent) -> Result<Option<(Project, Task)>> {
    if let Some(other) = agent.work.as_ref().filter(|it| is_alive(it)) {
        return Err(MeError::AtWork { agent: agent.name.clone(), pid: other.pid }.into());
    }
    let mine = ctx.own_process()?;
    let holder = ctx.holder();
    ctx.step("me.work", |tx| {
        let mut task = tasks::held_by(tx, &agent.uid)?
            .into_iter()
            .find(|it| it.project_pk == agent.project_pk);
        if task.is_none() {
            for ready in tasks::ready_unclaimed(tx, agent.project_pk)? {
                if tasks::claim(tx, ready.pk, &holder, Some(&agent.uid))? {
                    task = tasks::by_pk(tx, ready.pk)?;
                    break;
                }
            }
        }
        let Some(task) = task else { return Ok(None) };
        agents::set_work(tx, agent.pk, Some(&mine))?;
        let project = projects::by_pk(tx, task.project_pk)?;
        Ok(project.map(|it| (it, task)))
    })
}

fn carry_out(ctx: &mut Ctx, job: &Job<'_>, command: &[String]) -> Result<WorkEnd> {
    let workspace = workspaces::of_agent(&ctx.read(), job.agent.pk)?;
    let directory = PathBuf::from(
        workspace.as_ref().map_or(job.agent.profile.cwd.as_str(), |it| it.path.as_str()),
    );
    let before = match &workspace {
        Some(_) => {
            let status = git::status(&directory)?;
            if let Some(path) = status.changed().next() {
                let what = format!("the workspace is not clean: {} is changed", path.display());
                return give_back(ctx, job, "workspace_dirty", &what);
            }
            Some(git::resolve(&directory, "HEAD")?)
        }
        None => None,
    };
    let exit = run(ctx, job, command, &directory)?;
    if !exit.is_success() {
        let what = format!("the work command ended with {}", ending(exit));
        return give_back(ctx, job, "work_failed", &what);
    }
    let left = before.map(|before| commit(job, &directory, &before)).transpose()?;
    finish(ctx, job, &directory, left.as_ref())
}

fn run(ctx: &Ctx, job: &Job<'_>, command: &[String], directory: &Path) -> Result<Exit> {
    let brief = briefs::write(ctx, job.project, job.task)?;
    let Some((program, arguments)) = command.split_first() else {
        return Err(MeError::NoWork { agent: job.agent.name.clone() }.into());
    };
    let command = Command::new(program, directory)
        .args(arguments.iter().cloned())
        .environment(ctx.env().clone())
        .env("DROVER_PROJECT", &job.project.name)
        .env("DROVER_TASK", &job.task.id)
        .env("DROVER_BRIEF", brief)
        .env("DROVER_WORKSPACE", directory);
    Ok(command.run_on_terminal()?)
}

/// What the work left in the workspace.
struct Left {
    head: Oid,
    has_changed: bool,
}

/// Commits everything but ignored files under the task's name.
fn commit(job: &Job<'_>, directory: &Path, before: &Oid) -> Result<Left> {
    let title = job.task.title.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = format!("{}: {title}\n\nDrover-Task: {}\n", job.task.id, job.task.uid);
    git::commit_all(directory, &message)?;
    let head = git::resolve(directory, "HEAD")?;
    Ok(Left { has_changed: head != *before, head })
}

fn finish(ctx: &mut Ctx, job: &Job<'_>, directory: &Path, left: Option<&Left>) -> Result<WorkEnd> {
    let policy = Policy::of(ctx, job.project)?;
    let chosen = job
        .task
        .verify
        .clone()
        .map(|it| (it, job.task.verify_chosen_by.clone().unwrap_or_default()));
    let chosen = chosen.or_else(|| policy.verify.clone().map(|it| (it, "policy".to_owned())));
    let Some((command, chosen_by)) = chosen else {
        if left.is_some_and(|it| !it.has_changed) {
            return give_back(
                ctx,
                job,
                "nothing_done",
                "the work command changed nothing, and nothing verifies the task",
            );
        }
        let said = Evidence {
            kind: "said".to_owned(),
            verb: "close".to_owned(),
            text: Some(Text::new("the work command ended with code 0")),
            commit_oid: left.map(|it| it.head.as_str().to_owned()),
            said_by: ctx.actor().word(),
            ..Evidence::default()
        };
        return close(ctx, job, said);
    };
    if chosen_by == "plan"
        && !trust::is_trusted(&ctx.read(), job.project.pk, Kind::Verify, command.as_bytes())?
    {
        let what = format!(
            "its verify command is not trusted yet; see drover project trust -p {}",
            job.project.name
        );
        return give_back(ctx, job, "verify_not_trusted", &what);
    }
    let timeout = policy.verify_timeout.unwrap_or(Duration::MAX);
    let evidence = verify::run(ctx, directory, &command, &chosen_by, timeout)?;
    let evidence = Evidence { verb: "close".to_owned(), ..evidence };
    if evidence.kind == "verified" {
        return close(ctx, job, evidence);
    }
    let how = evidence.text.as_ref().map_or("it did not pass", Text::as_str);
    let what = format!("its verify command failed: {command}: {how}");
    let uid = job.task.uid.clone();
    let project = job.project.pk;
    give_back_with(ctx, job, "verify_failed", &what, |tx| {
        Ok(notes::insert_evidence(tx, project, &uid, &evidence)?)
    })
}

fn close(ctx: &mut Ctx, job: &Job<'_>, evidence: Evidence) -> Result<WorkEnd> {
    ctx.step("task.close", |tx| {
        tasks::set_state(tx, job.task.pk, State::Done)?;
        notes::insert_evidence(tx, job.project.pk, &job.task.uid, &evidence)?;
        Ok(agents::set_work(tx, job.agent.pk, None)?)
    })?;
    Ok(WorkEnd::Closed { evidence: Box::new(evidence) })
}

fn give_back(ctx: &mut Ctx, job: &Job<'_>, reason: &'static str, what: &str) -> Result<WorkEnd> {
    give_back_with(ctx, job, reason, what, |_| Ok(()))
}

/// Opens the task again with a note, and counts the try.
fn give_back_with(
    ctx: &mut Ctx,
    job: &Job<'_>,
    reason: &'static str,
    what: &str,
    also: impl FnOnce(&WriteTx<'_>) -> Result<()>,
) -> Result<WorkEnd> {
    let author = ctx.actor().word();
    let note = format!("[{reason}] {what}");
    ctx.step("task.release", |tx| {
        also(tx)?;
        tasks::reap(tx, job.task.pk)?;
        notes::insert(tx, job.task.pk, &author, &Text::new(&note))?;
        Ok::<_, OpError>(agents::set_work(tx, job.agent.pk, None)?)
    })?;
    Ok(WorkEnd::Released { reason, note })
}

fn is_alive(process: &Process) -> bool {
    let pid = u32::try_from(process.pid).unwrap_or(0);
    proc::is_alive(&proc::Identity { pid, start: process.started.clone() })
}

fn ending(exit: Exit) -> String {
    match exit {
        Exit::Code(code) => format!("exit code {code}"),
        Exit::Signal(signal) => format!("signal {signal}"),
    }
}
