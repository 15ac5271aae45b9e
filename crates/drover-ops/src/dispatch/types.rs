//! What a dispatcher is, and what a pass says.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use drover_host::lock::{Lock, LockError, Locks};
use drover_host::state_dir::Folder;
use drover_store::projects::Project;
use jiff::Timestamp;

use crate::ctx::Ctx;
use crate::error::{DispatchError, Result};

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
    /// Tasks in progress in the hands of agents that go on by themselves.
    pub in_progress: usize,
    /// Workers that may be free at a later look: busy, starting, not to be seen, or watched by a person.
    pub freeing: usize,
    /// Tasks that were not closed when the pass began.
    pub open: usize,
    /// Branches that hold work the trunk does not.
    pub unlanded: usize,
    /// Those of them whose agent is busy, so that they are landed later.
    pub landing_later: usize,
    /// Whether an agent holds nothing and is not idle yet, as right after the end of its work.
    pub is_settling: bool,
}

/// A branch that was landed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandedBranch {
    /// Whose it is.
    pub agent: String,
    /// The branch.
    pub branch: String,
    /// The commit the trunk is at now; none in a dry run.
    pub commit: Option<String>,
}

/// A branch that could not be landed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandFailure {
    /// Whose it is.
    pub agent: String,
    /// Why not.
    pub why: String,
}

/// Where a branch and its trunk were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tips {
    pub(super) branch: String,
    pub(super) trunk: String,
}

/// When an agent was told to go on with what it holds, and how often it did not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told {
    pub(super) at: Timestamp,
    pub(super) times: u32,
}

/// The one dispatcher of a project; another one is refused while it lives.
#[derive(Debug)]
pub struct Dispatcher {
    pub(super) project: Project,
    pub(super) options: Options,
    /// What could not be landed, so that it is tried again only when something moved.
    pub(super) tried: HashMap<String, Tips>,
    /// Agents on whose branches there is work that no done task speaks for.
    pub(super) unfinished: HashSet<String>,
    /// Agents that were told to go on, by key.
    pub(super) told: HashMap<i64, Told>,
    /// Agents that could not be handed a task, by key.
    pub(super) refused: HashMap<i64, Told>,
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
                unfinished: HashSet::new(),
                told: HashMap::new(),
                refused: HashMap::new(),
                _lock: lock,
            }),
            Err(LockError::Busy { .. }) => {
                Err(DispatchError::Running { project: project.name }.into())
            }
            Err(err) => Err(err.into()),
        }
    }
}
