//! Tasks as JSON.

use drover_ops::rows::Task;
use schemars::JsonSchema;
use serde::Serialize;

use super::strings;

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
            created_at: task.created_at.clone(),
            updated_at: task.updated_at.clone(),
        }
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
}
