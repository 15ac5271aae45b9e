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
    /// `idle`, `died`, `needs_person` or `waiting`.
    outcome: String,
    /// Whether it was seen at work.
    was_busy: bool,
}

impl WaitedAgentView {
    /// An agent of a wait.
    pub(crate) fn new(waited: &WaitedAgent) -> Self {
        Self {
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
