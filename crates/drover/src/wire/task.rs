//! Tasks as JSON.

use drover_ops::rows::Task;
use drover_ops::tasks::{Closed, EdgeChange, EdgesChanged, Moved, Startable};
use schemars::JsonSchema;
use serde::Serialize;

use super::glance::StalenessView;
use super::items::{Items, strings};

/// A task.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskView {
    /// The short id.
    id: String,
    /// The project.
    project: String,
    /// What is to be done.
    title: String,
    /// `OPEN`, `IN_PROGRESS` or `CLOSED`.
    status: String,
    /// `todo`, `parked`, `triage`, `active`, `done`, `rejected`, `wontfix`, `duplicate` or `superseded`.
    substate: String,
    /// 1 to 100.
    impact: i64,
    /// Days of work.
    effort_days: f64,
    /// Impact over effort.
    roi: f64,
    /// Repository paths that the work stays within.
    owns: Vec<String>,
    /// Labels.
    labels: Vec<String>,
    /// The command that proves it done.
    verify: Option<String>,
    /// Who holds it.
    claimed_by: Option<String>,
    /// Who lost it last.
    last_claimed_by: Option<String>,
    /// How often it was lost.
    attempt: i64,
    /// Whether it can be started now.
    ready: bool,
    /// Blockers that are not done.
    open_blockers: i64,
    /// The form of the file it came from, if it came from one.
    source: Option<String>,
    /// Its id there.
    source_id: Option<String>,
    /// When it was made.
    created_at: String,
    /// When it, its notes or its blockers changed last.
    updated_at: String,
}

impl TaskView {
    /// A task of a project.
    pub(crate) fn new(project: &str, task: &Task) -> Self {
        Self {
            id: task.id.clone(),
            project: project.to_owned(),
            title: task.title.clone(),
            status: task.state.status().to_string(),
            substate: task.state.substate().to_owned(),
            impact: task.impact,
            effort_days: task.effort_days,
            roi: task.roi,
            owns: strings(&task.owns),
            labels: strings(&task.labels),
            verify: task.verify.clone(),
            claimed_by: task.claimed_by.clone(),
            last_claimed_by: task.last_claimed_by.clone(),
            attempt: task.attempt,
            ready: task.is_ready(),
            open_blockers: task.open_blockers,
            source: task.source.clone(),
            source_id: task.source_id.clone(),
            created_at: task.created_at.clone(),
            updated_at: task.updated_at.clone(),
        }
    }
}

/// A task that can start.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NextTask {
    /// The task.
    #[serde(flatten)]
    task: TaskView,
    /// Why dispatch does not hand it out yet all the same: `blocker_not_landed`.
    reason: Option<String>,
    /// The blockers that are done and not on the trunk.
    unlanded_blockers: Vec<String>,
}

impl NextTask {
    /// A startable task of a project.
    pub(crate) fn new(project: &str, it: &Startable) -> Self {
        let reason = (!it.unlanded_blockers.is_empty()).then(|| "blocker_not_landed".to_owned());
        let unlanded_blockers = it.unlanded_blockers.clone();
        Self { task: TaskView::new(project, &it.task), reason, unlanded_blockers }
    }
}

/// A task that was added.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskAdded {
    /// The task.
    pub(crate) task: TaskView,
    /// What blocks it.
    pub(crate) blocked_by: Vec<String>,
    /// The id that the whole title would have made, when it was cut.
    pub(crate) uncut_id: Option<String>,
}

/// A task that was claimed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskClaimed {
    /// The task.
    pub(crate) task: TaskView,
    /// The state it was in, as `OPEN/todo`.
    pub(crate) was: String,
    /// Whether the holder had it already.
    pub(crate) repeated: bool,
    /// Open blockers that `--force` passed over.
    pub(crate) passed_over: Vec<String>,
    /// How far the holder's workspace is behind; null without one.
    pub(crate) staleness: Option<StalenessView>,
}

/// A listing of tasks.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskListed {
    /// The tasks.
    pub(crate) items: Vec<TaskView>,
    /// How many there are here.
    pub(crate) count: usize,
    /// How many there are without the limit.
    pub(crate) total: usize,
}

/// A task that was moved between states.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskMoved {
    /// The task.
    task: TaskView,
    /// The state it was in, as `OPEN/todo`.
    was: String,
    /// Who held it before.
    was_held_by: Option<String>,
    /// Whether anything changed.
    changed: bool,
    /// Dependents that cannot start any longer because of it.
    blocked_again: Vec<String>,
}

impl From<&Moved> for TaskMoved {
    fn from(moved: &Moved) -> Self {
        Self {
            task: TaskView::new(&moved.project.name, &moved.task),
            was: moved.was.full(),
            was_held_by: moved.was_held_by.clone(),
            changed: moved.changed,
            blocked_again: moved.blocked_again.clone(),
        }
    }
}

/// A task that was closed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskClosed {
    /// The task.
    task: TaskView,
    /// The state it was in, as `OPEN/todo`.
    was: String,
    /// Whether its state changed.
    changed: bool,
    /// Dependents that can start now.
    unblocked: Vec<String>,
    /// Dependents that wait for it for ever, unless something is done.
    left_blocked: Vec<String>,
    /// Dependents that no longer wait for it.
    released: Vec<String>,
    /// The task that those wait for instead.
    moved_to: Option<String>,
    /// With `--if-ready`: the blockers that are not done, for which it was left as it is.
    blockers: Vec<String>,
}

impl From<&Closed> for TaskClosed {
    fn from(closed: &Closed) -> Self {
        Self {
            task: TaskView::new(&closed.project.name, &closed.task),
            was: closed.was.full(),
            changed: closed.changed,
            unblocked: closed.unblocked.clone(),
            left_blocked: closed.left_blocked.clone(),
            released: closed.released.clone(),
            moved_to: closed.moved_to.clone(),
            blockers: closed.blockers.iter().map(|it| it.id.clone()).collect(),
        }
    }
}

/// One edge and whether it changed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EdgeView {
    /// The blocker.
    blocker: String,
    /// Whether it was added or removed just now.
    changed: bool,
}

/// What became of the edges of a task.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskEdges {
    /// The blocked task.
    task: TaskView,
    /// Each blocker that was named, once.
    edges: Items<EdgeView>,
    /// How many edges changed.
    changed: usize,
    /// Blockers that were closed without being done, and so block for ever.
    hopeless: Vec<String>,
}

impl From<&EdgesChanged> for TaskEdges {
    fn from(it: &EdgesChanged) -> Self {
        let edge = |it: &EdgeChange| EdgeView { blocker: it.blocker.clone(), changed: it.changed };
        Self {
            task: TaskView::new(&it.project.name, &it.task),
            edges: Items::new(it.edges.iter().map(edge).collect()),
            changed: it.edges.iter().filter(|it| it.changed).count(),
            hopeless: it.hopeless.clone(),
        }
    }
}

/// Which blockers a task has now, and which it lost and got.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskReparented {
    /// The blocked task.
    pub(crate) task: TaskView,
    /// Its blockers.
    pub(crate) blocked_by: Vec<String>,
    /// Those that are new.
    pub(crate) added: Vec<String>,
    /// Those that are gone.
    pub(crate) removed: Vec<String>,
}

/// A task whose fields were written.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskUpdated {
    /// The task.
    pub(crate) task: TaskView,
    /// The fields that differ from before.
    pub(crate) changed: Vec<String>,
}

/// A task under its new id.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskRenamed {
    /// The task.
    pub(crate) task: TaskView,
    /// The id it had.
    pub(crate) was: String,
    /// Whether the ids differ.
    pub(crate) changed: bool,
}

/// A task that was deleted, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskDeleted {
    /// The task as it was.
    pub(crate) task: TaskView,
    /// Whether it is gone.
    pub(crate) deleted: bool,
    /// The change group that took it, when it is gone.
    pub(crate) group: Option<String>,
    /// Edges that go with it.
    pub(crate) edges: i64,
    /// Notes that go with it.
    pub(crate) notes: i64,
    /// Dependents that can start without it.
    pub(crate) unblocked: Vec<String>,
}
