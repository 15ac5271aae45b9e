//! One deterministic pass: the same rows and the same panes give the same hand-out.

use std::collections::HashMap;
use std::time::Duration;

use drover_core::dispatch::{Skip, hand_out};
use drover_host::lock::{Lock, LockError, Locks};
use drover_host::state_dir::Folder;
use drover_store::projects::Project;
use drover_store::tasks;
use jiff::Timestamp;

use super::board::{self, Crew};
use super::hand;
use super::landing::{self, LandFailure, LandedBranch, Tips};
use crate::ctx::Ctx;
use crate::error::{DispatchError, OpError, Result};
use crate::policy::Policy;

/// How long a task may be held without any work on it until its agent is told again.
const TELL_AGAIN: Duration = Duration::from_secs(10);

/// What a pass may do.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Agents that a person is attached to get work, too.
    pub use_attached: bool,
}

/// A task that was handed to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handed {
    /// The task.
    pub task: String,
    /// The agent.
    pub agent: String,
}

/// A task or an agent that was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The task's id, or the agent's name.
    pub name: String,
    /// A stable word, as `blocker_not_landed`.
    pub reason: &'static str,
    /// The task in the way.
    pub because_of: Option<String>,
}

/// What one pass did and saw.
#[derive(Debug, Clone, Default)]
pub struct Pass {
    /// Branches that were landed on the trunk.
    pub landed: Vec<LandedBranch>,
    /// Branches that could not be.
    pub failures: Vec<LandFailure>,
    /// Tasks that were handed out.
    pub handed: Vec<Handed>,
    /// Ready tasks that wait, and why.
    pub skipped: Vec<Skipped>,
    /// Agents that got none, and why.
    pub passed_over: Vec<Skipped>,
    /// Agents that live and take tasks.
    pub workers: usize,
    /// Tasks in progress in the hands of agents that live.
    pub in_progress: usize,
    /// Tasks that are not closed after the pass.
    pub open: usize,
    /// Branches that hold work the trunk does not.
    pub unlanded: usize,
    /// Whether an agent holds nothing and is not idle yet, as right after the end of its work.
    pub is_settling: bool,
}

/// The one dispatcher of a project; another one is refused while it lives.
#[derive(Debug)]
pub struct Dispatcher {
    pub(super) project: Project,
    options: Options,
    /// What could not be landed, so that it is tried again only when something moved.
    pub(super) tried: HashMap<String, Tips>,
    /// When an agent was told last to go on with what it holds.
    told: HashMap<i64, Timestamp>,
    _lock: Lock,
}

impl Dispatcher {
    /// Takes the project's dispatch lock.
    pub fn new(ctx: &Ctx, project: Project, options: Options) -> Result<Self> {
        let locks = Locks::new(ctx.state().folder(Folder::Locks)?);
        match locks.lock(&format!("dispatch-{}", project.uid), Duration::ZERO) {
            Ok(lock) => Ok(Self {
                project,
                options,
                tried: HashMap::new(),
                told: HashMap::new(),
                _lock: lock,
            }),
            Err(LockError::Busy { .. }) => {
                Err(DispatchError::Running { project: project.name }.into())
            }
            Err(err) => Err(err.into()),
        }
    }
}

/// Lands what is closed and hands out what is ready, once.
pub fn pass(ctx: &mut Ctx, dispatcher: &mut Dispatcher) -> Result<Pass> {
    let project = dispatcher.project.clone();
    let policy = Policy::of(ctx, &project)?;
    let crew = board::look(ctx, &project)?;
    let mut pass = Pass { workers: crew.workers(), ..Pass::default() };
    landing::land_closed(ctx, dispatcher, &crew, &mut pass)?;
    remind(ctx, dispatcher, &crew)?;
    let made = board::build(ctx, &project, &policy, &crew, dispatcher.options.use_attached)?;
    pass.is_settling = crew.is_settling(ctx)?;
    let out = hand_out(&made.board);
    for assignment in out.assignments {
        let (Some(task), Some(agent)) = (made.task(assignment.task), crew.agent(&assignment.agent))
        else {
            continue;
        };
        match hand::hand(ctx, &project, task, agent) {
            Ok(()) => pass.handed.push(Handed { task: task.id.clone(), agent: agent.name.clone() }),
            Err(OpError::Store(err)) => return Err(err.into()),
            Err(err) => {
                ctx.warn(format!("{} was not handed to {}: {err}", task.id, agent.name));
                pass.skipped.push(Skipped {
                    name: task.id.clone(),
                    reason: "not_handed",
                    because_of: None,
                });
            }
        }
    }
    for skip in out.skips {
        match skip {
            Skip::Task { task, reason, because_of } => pass.skipped.push(Skipped {
                name: made.id(task),
                reason: reason.as_str(),
                because_of: because_of.map(|it| made.id(it)),
            }),
            Skip::Agent { agent, reason } => {
                pass.passed_over.push(Skipped {
                    name: agent,
                    reason: reason.as_str(),
                    because_of: None,
                });
            }
        }
    }
    pass.skipped.extend(made.kept_back.iter().cloned());
    for (state, count) in tasks::count_by_state(&ctx.read(), project.pk)? {
        let count = usize::try_from(count).unwrap_or(0);
        pass.open += if state.is_closed() { 0 } else { count };
    }
    for observed in crew.agents.iter().filter(|it| it.agent.lifecycle.is_running()) {
        pass.in_progress += tasks::held_by(&ctx.read(), &observed.agent.uid)?.len();
    }
    Ok(pass)
}

/// Tells an idle agent again that holds a task nobody works on, as when its terminal lost the line.
fn remind(ctx: &mut Ctx, dispatcher: &mut Dispatcher, crew: &Crew) -> Result<()> {
    let now = ctx.now();
    let is_old = |at: Timestamp| now.duration_since(at).unsigned_abs() >= TELL_AGAIN;
    for observed in &crew.agents {
        let agent = &observed.agent;
        let is_listening =
            crew.is_idle(agent.pk) && agent.work.is_none() && agent.profile.takes_work == "run";
        if !is_listening || dispatcher.told.get(&agent.pk).is_some_and(|it| !is_old(*it)) {
            continue;
        }
        let held = tasks::held_by(&ctx.read(), &agent.uid)?;
        if held.iter().any(|it| it.updated_at.parse().is_ok_and(is_old)) {
            dispatcher.told.insert(agent.pk, now);
            hand::tell(ctx, agent)?;
        }
    }
    Ok(())
}
