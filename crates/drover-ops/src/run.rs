//! `run PLAN`: the main job in one call, from a plan to work landed on the trunk.
//!
//! Every step finds what an earlier call has done, so that a second call goes on where the first stopped.

use std::path::{Path, PathBuf};

use drover_core::agent::Lifecycle;
use drover_host::signals;
use drover_host::workspace::git::{self, GitError};
use drover_store::agents::{self as rows, Agent};
use drover_store::projects::{self as project_rows, Project};
use jiff::Timestamp;

use crate::agents::{self, Spawn};
use crate::ctx::Ctx;
use crate::dispatch::{self, Dispatcher, End, Pass};
use crate::error::{Result, RunError, at_file};
use crate::projects::{self, Init};
use crate::tasks::{self, Imported, Plan};
use crate::trust::{self, Untrusted};
use crate::waiting::is_interrupted;
use crate::{resolve, words, workspaces};

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
    /// What its workers are.
    pub workers_are: WorkersAre,
    /// When to give up.
    pub until: Option<Timestamp>,
    /// Leaves the workers running at the end.
    pub keeps_agents: bool,
}

/// What the workers of a run are; what is not said is as the first of them is.
#[derive(Debug, Clone, Default)]
pub struct WorkersAre {
    /// The engine; a shell where only a command is said.
    pub engine: Option<String>,
    /// What each runs for each task, if its engine runs commands.
    pub work: Option<Vec<String>>,
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
    /// The integration branch.
    pub trunk: Trunk,
}

/// Where the work of a run stands.
#[derive(Debug, Clone)]
pub struct Trunk {
    /// The branch.
    pub branch: String,
    /// The commit it is at.
    pub commit: String,
    /// The one command that brings it to the user's branch.
    pub fast_forward: String,
}

/// Carries a plan through: project, tasks, trust, workers, dispatch, landing.
///
/// Ctrl-C is taken over: what is being done is finished, nothing more is begun, and the workers go on.
pub fn run(ctx: &mut Ctx, request: &Run, audience: &mut dyn Audience) -> Result<Ran> {
    signals::install().map_err(at_file("signals"))?;
    let project = prepare(ctx, request)?;
    ctx.mean(&project.name);
    // Before anything is changed: another run or dispatcher of the project is refused here.
    let mut dispatcher = Dispatcher::new(ctx, project.clone(), dispatch::Options::default())?;
    let workers_are = check_workers(ctx, &project, request)?;
    let mut ran = Ran {
        trunk: trunk(ctx, &project)?,
        project: project.clone(),
        end: End::Interrupted,
        imported: None,
        last: Pass::default(),
        agents: Vec::new(),
    };
    if let Some(plan) = &request.plan {
        ctx.new_group()?;
        ran.imported = Some(tasks::import(ctx, plan)?);
        ctx.commit()?;
    }
    gain_trust(ctx, &project, &workers_are, audience)?;
    for number in 1..=request.workers {
        if !is_interrupted() {
            worker(ctx, &project, &worker_name(number), &workers_are)?;
        }
    }
    if !is_interrupted() {
        (ran.end, ran.last) = dispatch::watch(ctx, &mut dispatcher, request.until, &mut |pass| {
            audience.hears(pass);
        })?;
    }
    drop(dispatcher);
    if ran.end == End::Done && !request.keeps_agents {
        dismiss(ctx, &project, request.workers)?;
    }
    let agents = rows::list(&ctx.read(), project.pk)?;
    ran.agents =
        agents.into_iter().filter(|it| it.lifecycle.is_running()).map(|it| it.name).collect();
    ran.trunk = trunk(ctx, &project)?;
    Ok(ran)
}

fn worker_name(number: u32) -> String {
    format!("w{number}")
}

fn trunk(ctx: &Ctx, project: &Project) -> Result<Trunk> {
    let no_repository = || RunError::NoRepository { project: project.name.clone() };
    let repository =
        project_rows::repository(&ctx.read(), project.pk)?.ok_or_else(no_repository)?;
    let path = Path::new(&repository.path);
    if repository.kind == workspaces::Kind::Copy.word() {
        return Err(GitError::NoHistory { path: path.to_owned() }.into());
    }
    let branch = workspaces::trunk(&project.name);
    let commit = git::resolve(path, &format!("refs/heads/{branch}"))?;
    let fast_forward = workspaces::fast_forward(path, &repository.kind, &branch);
    Ok(Trunk { branch, commit: commit.as_str().to_owned(), fast_forward })
}

/// The project, with its repository. Only a plan makes a new one: a name that was mistyped makes nothing.
fn prepare(ctx: &mut Ctx, request: &Run) -> Result<Project> {
    if request.plan.is_none() {
        resolve::named(&ctx.read(), &request.project)?;
    }
    let is_known = project_rows::find(&ctx.read(), &request.project)?.is_some();
    if !is_known && request.repository.is_none() {
        return Err(RunError::NoRepository { project: request.project.clone() }.into());
    }
    ctx.new_group()?;
    let init = Init {
        name: request.project.clone(),
        title: None,
        repository: request.repository.clone(),
        kind: None,
    };
    let project = projects::init(ctx, &init)?.project;
    ctx.commit()?;
    Ok(project)
}

/// Shows the commands that came from outside and records the yes; without it nothing is started.
fn gain_trust(
    ctx: &mut Ctx,
    project: &Project,
    workers_are: &WorkersAre,
    audience: &mut dyn Audience,
) -> Result<()> {
    let (_, untrusted) = trust::untrusted(ctx)?;
    if untrusted.is_empty() || is_interrupted() {
        return Ok(());
    }
    if !audience.trusts(&untrusted)? {
        let commands = untrusted.into_iter().map(|it| it.text).collect();
        let (project, workers) = (project.name.clone(), workers_are.flags());
        return Err(RunError::NotTrusted { project, commands, workers }.into());
    }
    ctx.new_group()?;
    trust::trust(ctx)?;
    ctx.commit()
}

/// What the workers are to be. Refuses those that are there and are something else.
fn check_workers(ctx: &Ctx, project: &Project, request: &Run) -> Result<WorkersAre> {
    let mut wanted = request.workers_are.clone();
    if wanted.work.is_some() && wanted.engine.is_none() {
        wanted.engine = Some("shell".to_owned());
    }
    for number in 1..=request.workers {
        let Some(agent) = rows::find(&ctx.read(), project.pk, &worker_name(number))? else {
            continue;
        };
        let known = WorkersAre::of(&agent);
        let is_same_engine =
            wanted.engine.as_ref().is_none_or(|it| known.engine.as_ref() == Some(it));
        if !is_same_engine || (wanted.work.is_some() && wanted.work != known.work) {
            let agent = format!("{}/{}", project.name, agent.name);
            return Err(
                RunError::Differs { agent, known: known.flags(), asked: wanted.flags() }.into()
            );
        }
        wanted = known;
    }
    if wanted.engine.is_none() {
        return Err(RunError::NoWorkers { project: project.name.clone() }.into());
    }
    Ok(wanted)
}

impl WorkersAre {
    fn of(agent: &Agent) -> Self {
        let work = agent.profile.work.as_deref().and_then(|it| serde_json::from_str(it).ok());
        Self { engine: Some(agent.profile.engine.clone()), work }
    }

    /// The flags that say it, as they paste.
    fn flags(&self) -> String {
        let line = |words: &Vec<String>| words::join(words.iter().map(String::as_str));
        match (&self.engine, &self.work) {
            (Some(engine), None) => format!("--engine {}", words::quote(engine)),
            (Some(engine), Some(work)) if engine != "shell" => {
                let work = words::quote(&line(work));
                format!("--engine {} --command {work}", words::quote(engine))
            }
            (_, Some(work)) => format!("--command {}", words::quote(&line(work))),
            (None, None) => String::new(),
        }
    }
}

/// Makes sure that a worker lives.
fn worker(ctx: &mut Ctx, project: &Project, name: &str, is: &WorkersAre) -> Result<()> {
    agents::reconcile(ctx)?;
    ctx.new_group()?;
    if let Some(agent) = rows::find(&ctx.read(), project.pk, name)? {
        if agent.lifecycle.is_running() || agent.lifecycle == Lifecycle::Launching {
            return Ok(());
        }
        agents::restart(ctx, &format!("{}/{name}", project.name))?;
        return ctx.commit();
    }
    let spawn = Spawn {
        name: name.to_owned(),
        engine: is.engine.clone(),
        work: is.work.as_ref().map(|it| words::join(it.iter().map(String::as_str))),
        ..Spawn::default()
    };
    agents::spawn(ctx, &spawn)?;
    ctx.commit()
}

/// Closes the workers of a run that is done; their work is landed, so nothing is lost.
fn dismiss(ctx: &mut Ctx, project: &Project, workers: u32) -> Result<()> {
    for number in 1..=workers {
        let name = worker_name(number);
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
