//! Waits as JSON.

use drover_ops::waits::{WaitedAgent, WaitedTask};
use schemars::JsonSchema;
use serde::Serialize;

use super::agent::AgentView;
use super::items::Items;
use super::task::TaskView;

/// An agent that was waited for.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WaitedAgentView {
    /// The agent as it was seen last.
    #[serde(flatten)]
    agent: AgentView,
    /// `done`, `empty` or `error` as the turn ended, `idle` if no turn was seen, `died`,
    /// `needs_person`, `timeout`, `unknown`, or `pending` if the wait ended before.
    outcome: String,
    /// Whether it was seen at work.
    was_busy: bool,
    /// What it said last in the last turn that ended.
    last_text: Option<String>,
    /// The error that ended that turn.
    last_error: Option<String>,
}

impl WaitedAgentView {
    /// An agent of a wait.
    pub(crate) fn new(waited: &WaitedAgent) -> Self {
        let turn = waited.observed.turn.as_ref();
        Self {
            last_text: turn.and_then(|it| it.last_text.clone()),
            last_error: turn.and_then(|it| it.last_error.clone()),
            agent: AgentView::new(&waited.project.name, &waited.observed),
            outcome: waited.state.as_str().to_owned(),
            was_busy: waited.was_busy,
        }
    }
}

/// How a wait for agents ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentsWaited {
    /// Each agent.
    pub(crate) agents: Items<WaitedAgentView>,
    /// Whether the time was over.
    pub(crate) timed_out: bool,
    /// With --first, the one that ended the wait.
    pub(crate) firing: Option<String>,
}

/// A task that was waited for.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WaitedTaskView {
    /// The task as it was seen last.
    #[serde(flatten)]
    task: TaskView,
    /// `reached`, `died`, `stalled`, `deleted` or `waiting`.
    outcome: String,
    /// Why it stands there, where that is not plain.
    reason: Option<String>,
    /// What the agent that holds it does.
    owner_state: Option<String>,
}

impl WaitedTaskView {
    /// A task of a wait.
    pub(crate) fn new(waited: &WaitedTask) -> Self {
        Self {
            task: TaskView::new(&waited.project.name, &waited.task),
            outcome: waited.state.as_str().to_owned(),
            reason: waited.reason.clone(),
            owner_state: waited.owner.as_ref().map(|it| it.decided.state.to_string()),
        }
    }
}

/// How a wait for tasks ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TasksWaited {
    /// Each task.
    pub(crate) tasks: Items<WaitedTaskView>,
    /// Whether the time was over.
    pub(crate) timed_out: bool,
    /// With --first, the one that ended the wait.
    pub(crate) firing: Option<String>,
}
