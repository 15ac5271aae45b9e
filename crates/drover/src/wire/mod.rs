//! The JSON shapes of every result; `docs/schema.json` is made from them.

mod agent;
mod doctor;
mod import;
mod log;
mod policy;
mod project;
mod task;

pub(crate) use agent::{
    AgentAttached, AgentClosed, AgentExplained, AgentKicked, AgentRenamed, AgentRestarted,
    AgentShown, AgentSpawned, AgentView, ProcessView, ReadingView,
};
pub(crate) use doctor::{DatabaseCopied, DoctorAnswer};
pub(crate) use import::TasksImported;
pub(crate) use log::{
    ChangeLogged, ChangeView, ConflictView, GroupView, LineAppended, MeanwhileView, UndoAnswer,
};
pub(crate) use policy::{CommandView, Commands, PolicySet};
pub(crate) use project::{ProjectAnswer, ProjectCreated, ProjectView};
pub(crate) use task::{TaskAdded, TaskClaimed, TaskView};

use schemars::JsonSchema;
use serde::Serialize;

/// A collection with its size.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Items<T> {
    /// The things.
    pub(crate) items: Vec<T>,
    /// How many there are.
    pub(crate) count: usize,
}

impl<T> Items<T> {
    /// Wraps a list.
    pub(crate) fn new(items: Vec<T>) -> Self {
        Self { count: items.len(), items }
    }
}

/// A JSON array stored as text, as an array again.
pub(crate) fn strings(stored: &str) -> Vec<String> {
    serde_json::from_str(stored).unwrap_or_default()
}
