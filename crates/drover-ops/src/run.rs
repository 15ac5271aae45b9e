//! `run PLAN`: the main job in one call, from a plan to work landed on the trunk.
//!
//! Every step finds what an earlier call has done, so that a second call goes on where the first stopped.

use std::path::{Path, PathBuf};

use drover_core::agent::Lifecycle;
use drover_host::workspace::git;
use drover_store::agents::{self as rows, Agent};
use drover_store::projects::{self as project_rows, Project};
use jiff::Timestamp;

use crate::agents::{self, Spawn};
use crate::ctx::Ctx;
use crate::dispatch::{self, Dispatcher, End, Pass};
use crate::error::{Result, RunError};
use crate::projects::{self, Init};
use crate::tasks::{self, Imported, Plan};
use crate::trust::{self, Untrusted};
use crate::{words, workspaces};

/// What to run.
#[derive(Debug, Clone)]
pub struct Run {
    /// The project; made if it is missing.
    pub project: String,
    /// The plan; without one the project goes on with the tasks it has.
    pub plan: Option<Plan>,
    /// The repository; the recorded one when absent.
    pub repository: Option<PathBuf>,
    /// How many workers.
    pub workers: u32,
    /// What each worker runs for each task.
    pub work: Vec<String>,
    /// When to give up.
    pub until: Option<Timestamp>,
    /// Leaves the workers running at the end.
    pub keeps_agents: bool,
}

/// Who is told, and asked, while a run goes on.
pub trait Audience {
    /// Whether these commands from outside may run.
    fn trusts(&mut self, commands: &[Untrusted]) -> Result<bool>;
    /// Hears of each pass.
    fn hears(&mut self, pass: &Pass);
}

/// How a run ended.
#[derive(Debug, Clone)]
pub struct Ran {
    /// Where.
    pub project: Project,
    /// Why it ended.
    pub end: End,
    /// What the plan brought.
    pub imported: Option<Imported>,
    /// The last pass.
    pub last: Pass,
    /// The workers that live on.
    pub agents: Vec<String>,
    /// The integration branch and the commit it is at; none without a repository.
    pub trunk: Option<(String, String)>,
    /// The one command that brings the work to the user's branch.
    pub fast_forward: Option<String>,
}

/// Carries a plan through: project, tasks, trust, workers, dispatch, landing.
pub fn run(ctx: &mut Ctx, request: &Run, audience: &mut dyn Audience) -> Result<Ran> {
    let project = prepare(ctx, request)?;
    ctx.mean(&project.name);
    let imported = match &request.plan {
        Some(plan) => {
            ctx.new_group()?;
            let imported = tasks::import(ctx, plan)?;
            ctx.commit()?;
            Some(imported)
        }
        None => None,
    };
    gain_trust(ctx, &project, audience)?;
    for number in 1..=request.workers {
        worker(ctx, &project, &format!("w{number}"), &request.work)?;
    }
    let mut dispatcher = Dispatcher::new(ctx, project.clone(), dispatch::Options::default())?;
    let (end, last) =
        dispatch::watch(ctx, &mut dispatcher, request.until, &mut |pass| audience.hears(pass))?;
    drop(dispatcher);
    if end == End::Done && !request.keeps_agents {
        dismiss(ctx, &project, request.workers)?;
    }
    let agents = rows::list(&ctx.read(), project.pk)?;
    let living =
        agents.into_iter().filter(|it| it.lifecycle.is_running()).map(|it| it.name).collect();
    let (trunk, fast_forward) = trunk(ctx, &project)?;
    Ok(Ran { project, end, imported, last, agents: living, trunk, fast_forward })
}

/// The integration branch with its commit, and the command that brings it to the user's branch.
#[expect(clippy::type_complexity, reason = "two answers about one branch")]
fn trunk(ctx: &Ctx, project: &Project) -> Result<(Option<(String, String)>, Option<String>)> {
    let Some(repository) = project_rows::repository(&ctx.read(), project.pk)? else {
        return Ok((None, None));
    };
    let branch = workspaces::trunk(&project.name);
    let path = Path::new(&repository.path);
    let commit = git::resolve(path, &format!("refs/heads/{branch}"))?;
    let fast_forward =
        format!("git -C {} merge --ff-only {branch}", words::quote(&repository.path));
    Ok((Some((branch, commit.as_str().to_owned())), Some(fast_forward)))
}

/// The project, with its repository.
fn prepare(ctx: &mut Ctx, request: &Run) -> Result<Project> {
    ctx.new_group()?;
    let init =
        Init { name: request.project.clone(), title: None, repository: request.repository.clone() };
    let project = projects::init(ctx, &init)?.project;
    ctx.commit()?;
    if project_rows::repository(&ctx.read(), project.pk)?.is_none() {
        return Err(RunError::NoRepository { project: project.name }.into());
    }
    Ok(project)
}

/// Shows the commands that came from outside and records the yes; without it nothing is started.
fn gain_trust(ctx: &mut Ctx, project: &Project, audience: &mut dyn Audience) -> Result<()> {
    let (_, untrusted) = trust::untrusted(ctx)?;
    if untrusted.is_empty() {
        return Ok(());
    }
    if !audience.trusts(&untrusted)? {
        let commands = untrusted.into_iter().map(|it| it.text).collect();
        return Err(RunError::NotTrusted { project: project.name.clone(), commands }.into());
    }
    ctx.new_group()?;
    trust::trust(ctx)?;
    ctx.commit()
}

/// Makes sure that a worker lives and runs this command.
fn worker(ctx: &mut Ctx, project: &Project, name: &str, work: &[String]) -> Result<()> {
    agents::reconcile(ctx)?;
    if let Some(agent) = rows::find(&ctx.read(), project.pk, name)? {
        check_same_work(&agent, work)?;
        if agent.lifecycle.is_running() || agent.lifecycle == Lifecycle::Launching {
            return Ok(());
        }
        ctx.new_group()?;
        agents::restart(ctx, &format!("{}/{name}", project.name))?;
        return ctx.commit();
    }
    ctx.new_group()?;
    let spawn = Spawn {
        name: name.to_owned(),
        engine: Some("shell".to_owned()),
        work: Some(words::join(work.iter().map(String::as_str))),
        ..Spawn::default()
    };
    agents::spawn(ctx, &spawn)?;
    ctx.commit()
}

fn check_same_work(agent: &Agent, work: &[String]) -> Result<()> {
    let known: Vec<String> = agent
        .profile
        .work
        .as_deref()
        .and_then(|it| serde_json::from_str(it).ok())
        .unwrap_or_default();
    if known == work {
        return Ok(());
    }
    let line = |words: &[String]| words::join(words.iter().map(String::as_str));
    Err(RunError::OtherWork { agent: agent.name.clone(), known: line(&known), asked: line(work) }
        .into())
}

/// Closes the workers of a run that is done; their work is landed, so nothing is lost.
fn dismiss(ctx: &mut Ctx, project: &Project, workers: u32) -> Result<()> {
    for number in 1..=workers {
        let name = format!("w{number}");
        if rows::find(&ctx.read(), project.pk, &name)?.is_none() {
            continue;
        }
        ctx.new_group()?;
        let close =
            agents::Close { name: format!("{}/{name}", project.name), ..agents::Close::default() };
        if let Err(err) = agents::close(ctx, &close) {
            ctx.warn(format!("{name} was not closed: {err}"));
        }
        ctx.commit()?;
    }
    Ok(())
}
