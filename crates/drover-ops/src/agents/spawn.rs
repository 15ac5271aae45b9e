//! `agent spawn`: a new agent in a pane of its own, whole or not at all.

use std::path::{Path, PathBuf};
use std::time::Duration;

use drover_core::agent::{Lifecycle, Role};
use drover_core::name::AgentName;
use drover_host::lock::{Lock, Locks};
use drover_host::{mux, process};
use drover_store::agents::{self, Agent, NewAgent, Profile};
use drover_store::projects::{self, Project};
use drover_store::workspaces::{self as rows, Workspace};

use super::launch::{self, Target};
use super::{home, names, place, settle};
use crate::ctx::Ctx;
use crate::engines::{self, CommandSource, Engine, TakesWork};
use crate::error::{AgentError, OpError, Result};
use crate::tasks::without_secret;
use crate::{directory, messages, variables, words, workspaces};

/// How long another spawn of the same name may take.
const LOCK_LIMIT: Duration = Duration::from_mins(10);
/// How long the name of a window may be.
const LONGEST_TAB: usize = 64;
/// How many names `--next-free` tries.
const NAMES: u32 = 32;

/// Where a new agent starts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Start {
    /// In a workspace of its own if the project has a repository, else where the caller stands.
    #[default]
    Usual,
    /// In a workspace of its own.
    Workspace,
    /// Where the caller stands.
    Here,
    /// In this directory.
    In(PathBuf),
}

/// What a name that is taken leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Taken {
    /// A refusal.
    #[default]
    Refuse,
    /// The next free name: its number counted up, or `-2`, `-3` behind it.
    NextFree,
}

/// What an agent is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Purpose {
    /// It takes tasks in the way of its engine.
    #[default]
    Tasks,
    /// It is told what to do and given no tasks.
    Help,
}

/// What to start.
#[derive(Debug, Clone, Default)]
pub struct Spawn {
    /// The name: `<name>` or `<project>/<name>`.
    pub name: String,
    /// What to do when it is taken.
    pub taken: Taken,
    /// What it is for.
    pub purpose: Purpose,
    /// `operator`, `coordinator`, `worker` or `reviewer`; a worker when absent.
    pub role: Option<String>,
    /// The engine.
    pub engine: Option<String>,
    /// The command line of the pane, in place of the engine's own.
    pub command: Option<String>,
    /// The command line that `me work` runs for each task.
    pub work: Option<String>,
    /// Where it starts.
    pub start: Start,
    /// What its workspace begins from: a branch, a tag, a commit; the integration branch when absent.
    pub from: Option<String>,
    /// The name of a window that it shares with others; a window of its own when absent.
    pub tab: Option<String>,
    /// Variables it gets, as `NAME=value`.
    pub env: Vec<String>,
    /// Variables it gets from the caller's environment.
    pub inherit: Vec<String>,
    /// The model it is to use.
    pub model: Option<String>,
    /// How hard it is to think.
    pub thinking: Option<String>,
    /// Whether it is to run without asking for permission.
    pub unattended: bool,
    /// Skills it is given.
    pub skills: Vec<String>,
    /// How it asks before it acts, in its engine's own word.
    pub permission: Option<String>,
    /// What it may touch, in its engine's own word.
    pub sandbox: Option<String>,
}

/// What was started.
#[derive(Debug, Clone)]
pub struct Spawned {
    /// Where.
    pub project: Project,
    /// The agent as it is now.
    pub agent: Agent,
    /// Where its command came from.
    pub source: CommandSource,
    /// Its workspace; none where it works elsewhere.
    pub workspace: Option<Workspace>,
}

impl Spawned {
    fn new(ctx: &Ctx, project: Project, agent: Agent, source: CommandSource) -> Result<Self> {
        let workspace = rows::of_agent(&ctx.read(), agent.pk)?;
        Ok(Self { project, agent, source, workspace })
    }
}

/// Starts an agent, or leaves nothing.
pub fn spawn(ctx: &mut Ctx, request: &Spawn) -> Result<Spawned> {
    let (project, name) = home::for_new(ctx, &request.name)?;
    let name = AgentName::parse_new(&name)?;
    check_words(request)?;
    check_tab(request)?;
    let engine = engine(ctx, request)?;
    engines::sandbox::check(&engine.name, request.sandbox.as_deref())?;
    let variables = variables::for_agent(ctx, &request.env, &request.inherit)?;
    check_program(ctx, &engine)?;
    let start = starting_place(ctx, &project, request)?;
    let profile = profile(request, &engine, &start, &variables.inherited_names)?;
    let mux = mux::for_new_panes(ctx.env())?;
    mux.version()?;
    settle::settle_launches(ctx)?;
    warn_of_trust(ctx, &engine, &start);
    let token = ctx.token_for(&format!("agent/{}/{name}", project.name))?;
    if let Some(agent) = begun_before(ctx, &token)? {
        return Spawned::new(ctx, project, agent, engine.source);
    }
    let locks = place::locks(ctx)?;
    let (_lock, name) = reserve(ctx, &locks, &project, &name, request.taken)?;
    let deadline_at = launch::deadline(ctx);
    let socket = mux.socket().to_string_lossy().into_owned();
    let new = NewAgent {
        project_pk: project.pk,
        name: name.as_str(),
        nonce: &token,
        deadline_at: &deadline_at,
        profile: &profile,
        server: (mux.name(), &socket),
        tab: request.tab.as_deref(),
    };
    let agent = ctx.step("agent.spawn", |tx| {
        if let Some(there) = agents::find(tx, project.pk, name.as_str())? {
            return Err(exists(&project, &there).into());
        }
        let (pk, _) = agents::insert(tx, &new)?;
        agents::set_env(tx, pk, "inherited", &variables.inherited)?;
        agents::set_env(tx, pk, "explicit", &variables.explicit)?;
        let agent = agents::by_pk(tx, pk)?.ok_or_else(|| not_recorded(&name))?;
        engines::begin_conversation(tx, &agent)?;
        agents::by_pk(tx, pk)?.ok_or_else(|| not_recorded(&name))
    })?;
    match start_it(ctx, &project, &agent, &start, &token) {
        Ok(agent) => {
            warn_of_unused(ctx, request, &engine);
            warn_of_missing_channel(ctx, &agent)?;
            Spawned::new(ctx, project, agent, engine.source)
        }
        Err(err) => {
            // The first failure is the one to tell; what could not be taken back is settled later.
            if let Err(second) = launch::take_back(ctx, &agent, &err.to_string()) {
                ctx.warn(format!("what was begun is still there: {second}"));
            }
            Err(err)
        }
    }
}

fn start_it(
    ctx: &mut Ctx,
    project: &Project,
    agent: &Agent,
    start: &StartingPlace,
    nonce: &str,
) -> Result<Agent> {
    let agent = match start {
        StartingPlace::Directory(_) => agent.clone(),
        StartingPlace::Workspace { from } => in_workspace(ctx, project, agent, from.as_deref())?,
    };
    engines::sandbox::grant(ctx, &agent)?;
    launch::launch(ctx, project, agent, nonce, &Target::NewPane)
}

/// Makes the agent's workspace and has it start there.
fn in_workspace(
    ctx: &mut Ctx,
    project: &Project,
    agent: &Agent,
    from: Option<&str>,
) -> Result<Agent> {
    let asked = workspaces::Prepare { project, agent_pk: agent.pk, agent_name: &agent.name, from };
    let path = workspaces::prepare(ctx, &asked)?;
    let cwd = directory::text(&path)?;
    // A setup hook may have taken its time, which is not the launcher's.
    let deadline_at = launch::deadline(ctx);
    ctx.step("agent.spawn", |tx| {
        agents::prepared(tx, agent.pk, &cwd, &deadline_at)?;
        Ok(agents::by_pk(tx, agent.pk)?.unwrap_or_else(|| agent.clone()))
    })
}

/// What an earlier call with the same key has started; what it left half-done is taken back.
fn begun_before(ctx: &mut Ctx, token: &str) -> Result<Option<Agent>> {
    let Some(agent) = agents::by_nonce(&ctx.read(), token)? else { return Ok(None) };
    match agent.lifecycle {
        Lifecycle::Launching | Lifecycle::Failed => {
            let why = "the call that launched it ended half-way";
            if launch::take_back(ctx, &agent, why)? {
                return Ok(None);
            }
            agents::by_pk(&ctx.read(), agent.pk).map_err(OpError::from)
        }
        Lifecycle::Planned
        | Lifecycle::Running
        | Lifecycle::Silent
        | Lifecycle::Nudged
        | Lifecycle::Restoring
        | Lifecycle::Exited
        | Lifecycle::Closed => Ok(Some(agent)),
    }
}

/// Takes the lock of a name that is free.
fn reserve(
    ctx: &Ctx,
    locks: &Locks,
    project: &Project,
    wanted: &AgentName,
    taken: Taken,
) -> Result<(Lock, AgentName)> {
    let mut name = wanted.clone();
    for _ in 0..NAMES {
        let there = agents::find(&ctx.read(), project.pk, name.as_str())?;
        let there = match (there, taken) {
            (Some(there), _) => there,
            (None, _) => {
                let lock = locks.lock(&place::launch_lock(project, name.as_str()), LOCK_LIMIT)?;
                match agents::find(&ctx.read(), project.pk, name.as_str())? {
                    None => return Ok((lock, name)),
                    Some(there) => there,
                }
            }
        };
        if taken == Taken::Refuse {
            return Err(exists(project, &there).into());
        }
        name = AgentName::parse_new(&names::counted_up(name.as_str()))?;
    }
    Err(OpError::Usage(format!("{wanted} and the {NAMES} names after it are taken")))
}

pub(crate) fn exists(project: &Project, there: &Agent) -> AgentError {
    AgentError::Exists {
        name: there.name.clone(),
        project: project.name.clone(),
        lifecycle: there.lifecycle.to_string(),
    }
}

pub(crate) fn no_role(role: &str) -> OpError {
    let roles = Role::ALL.map(Role::as_str).join(", ");
    OpError::Usage(format!("{role} is not a role; it is one of {roles}"))
}

pub(crate) fn not_recorded(name: &AgentName) -> OpError {
    AgentError::NotStarted { name: name.to_string(), why: "its row is gone".to_owned() }.into()
}

fn engine(ctx: &Ctx, request: &Spawn) -> Result<Engine> {
    let command = request.command.as_deref().map(words::split).transpose()?;
    let engine = match (&request.engine, command) {
        (Some(name), Some(command)) => {
            Engine { command, source: CommandSource::Flag, ..engines::resolve(ctx, name)? }
        }
        (Some(name), None) => engines::resolve(ctx, name)?,
        (None, Some(command)) => engines::of_command(command),
        // Only a shell takes work by running a command, so that is what is meant.
        (None, None) if request.work.is_some() => engines::resolve(ctx, "shell")?,
        (None, None) => engines::resolve(ctx, engines::DEFAULT)?,
    };
    if request.work.is_some() && engine.takes_work != TakesWork::Run {
        return Err(OpError::Usage(format!(
            "--work is for an engine that runs a command for each task, such as shell, and {} does not",
            engine.name
        )));
    }
    Ok(engine)
}

fn check_program(ctx: &Ctx, engine: &Engine) -> Result<()> {
    let program = engine.command.first().map_or("", String::as_str);
    if process::find_program(Path::new(program), ctx.env()).is_some() {
        return Ok(());
    }
    let source_of_command = match &engine.source {
        CommandSource::Name => format!("the engine {}", engine.name),
        CommandSource::Flag | CommandSource::Variable(_) | CommandSource::Config => {
            engine.source.to_string()
        }
    };
    Err(AgentError::NoProgram { program: program.to_owned(), source_of_command }.into())
}

enum StartingPlace {
    Directory(PathBuf),
    Workspace {
        /// The commit it begins from, if not the integration branch.
        from: Option<String>,
    },
}

fn starting_place(ctx: &Ctx, project: &Project, request: &Spawn) -> Result<StartingPlace> {
    let has_repository = projects::repository(&ctx.read(), project.pk)?.is_some();
    let here = || directory::current().map(StartingPlace::Directory);
    let is_workspace = match &request.start {
        Start::In(_) | Start::Here => false,
        Start::Usual | Start::Workspace => has_repository,
    };
    if request.from.is_some() && !is_workspace {
        return Err(OpError::Usage(
            "--from says what a workspace begins from, and this agent gets none".to_owned(),
        ));
    }
    match &request.start {
        Start::In(path) => directory::checked(path).map(StartingPlace::Directory),
        Start::Here => here(),
        Start::Usual if !has_repository => here(),
        Start::Workspace if !has_repository => {
            Err(AgentError::NoRepository { project: project.name.clone() }.into())
        }
        Start::Usual | Start::Workspace => {
            let from = request.from.as_deref().map(|it| workspaces::base(ctx, project, it));
            Ok(StartingPlace::Workspace { from: from.transpose()? })
        }
    }
}

/// What the profile keeps word for word may hold no secret.
fn check_words(request: &Spawn) -> Result<()> {
    let single = [
        ("--command", &request.command),
        ("--work", &request.work),
        ("--model", &request.model),
        ("--thinking", &request.thinking),
        ("--permission", &request.permission),
        ("--sandbox", &request.sandbox),
        ("--tab", &request.tab),
    ];
    let skills = request.skills.iter().map(|it| ("--skill", it));
    for (what, text) in single.iter().filter_map(|it| Some((it.0, it.1.as_ref()?))).chain(skills) {
        without_secret(what, text)?;
    }
    Ok(())
}

/// The name of a window is shown as it is.
fn check_tab(request: &Spawn) -> Result<()> {
    let Some(tab) = &request.tab else { return Ok(()) };
    let length = tab.chars().count();
    if (1..=LONGEST_TAB).contains(&length) && !tab.chars().any(char::is_control) {
        return Ok(());
    }
    Err(OpError::Usage(format!(
        "{tab:?} is not the name of a window: it has 1 to {LONGEST_TAB} characters, and none of control"
    )))
}

/// Outside a repository chat agents ask first whether the directory is trusted; nobody answers that unasked.
fn warn_of_trust(ctx: &mut Ctx, engine: &Engine, start: &StartingPlace) {
    let StartingPlace::Directory(path) = start else { return };
    let is_versioned =
        path.ancestors().any(|it| [".git", ".jj"].iter().any(|mark| it.join(mark).exists()));
    if engines::Kind::of(&engine.name).is_some() && !is_versioned {
        ctx.warn(format!(
            "{} is in no repository: {} may ask first whether it is trusted, which nobody answers \
             for you; `agent approve` shows the question",
            path.display(),
            engine.name
        ));
    }
}

fn profile(
    request: &Spawn,
    engine: &Engine,
    start: &StartingPlace,
    inherited: &[String],
) -> Result<Profile> {
    let role = request.role.as_deref().unwrap_or("worker");
    if Role::parse(role).is_none() {
        return Err(no_role(role));
    }
    let list = |words: &[String]| serde_json::Value::from(words).to_string();
    let work = match &request.work {
        Some(line) => Some(words::split(line)?),
        None => engine.work.clone(),
    };
    let cwd = match start {
        StartingPlace::Directory(path) => directory::text(path)?,
        // Known once it is made.
        StartingPlace::Workspace { .. } => String::new(),
    };
    let takes_work = match request.purpose {
        Purpose::Tasks => engine.takes_work,
        Purpose::Help => TakesWork::None,
    };
    Ok(Profile {
        role: role.to_owned(),
        engine: engine.name.clone(),
        command: list(&engine.command),
        work: work.as_deref().map(list),
        takes_work: takes_work.as_str().to_owned(),
        env_names: list(inherited),
        model: request.model.clone(),
        thinking: request.thinking.clone(),
        unattended: request.unattended,
        skills: list(&request.skills),
        cwd,
        permission: request.permission.clone(),
        sandbox: request.sandbox.clone(),
    })
}

/// What the profile records and the engine's command line does not carry is said.
fn warn_of_unused(ctx: &mut Ctx, request: &Spawn, engine: &Engine) {
    let flags = [
        ("--model", request.model.is_some()),
        ("--thinking", request.thinking.is_some()),
        ("--skill", !request.skills.is_empty()),
        ("--unattended", request.unattended),
        ("--permission", request.permission.is_some()),
    ];
    for (flag, is_given) in flags {
        if is_given && !engines::passes_on(&engine.name, flag) {
            ctx.warn(format!(
                "{flag} is recorded and not passed on: the command line of {} is used as it is",
                engine.name
            ));
        }
    }
}

/// An engine that is better spoken to through a channel of its own, and has none, is only typed into.
fn warn_of_missing_channel(ctx: &mut Ctx, agent: &Agent) -> Result<()> {
    let best = messages::best_proof(ctx, agent)?;
    let Some(why) = engines::missing_channel(ctx.state_path(), agent) else { return Ok(()) };
    ctx.warn(format!(
        "{} has no channel of its own: {why}; `agent send --via mux` types, and shows {best} at most; \
         `agent restart` tries again",
        agent.name
    ));
    Ok(())
}
