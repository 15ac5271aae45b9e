//! The JSON shapes of every result; `docs/schema.json` is made from them.

mod agent;
mod graph;
mod items;
mod message;
mod project;
mod record;
mod task;

pub(crate) use agent::{
    AgentAttached, AgentClosed, AgentExplained, AgentKicked, AgentRenamed, AgentRestarted,
    AgentShown, AgentSpawned, AgentView, ProcessView, ReadingView,
};
pub(crate) use graph::{TaskPlan, TaskTreeView, TaskWhy, id_of};
pub(crate) use items::{Items, strings};
pub(crate) use message::{MessageAnswer, MessageSent, MessageView, QueuedView};
pub(crate) use project::{ProjectAnswer, ProjectCreated, ProjectView};
pub(crate) use record::{EntryView, NoteView, TaskNoted, TaskNotes, TaskProofView, TaskShown};
pub(crate) use task::{
    TaskAdded, TaskClaimed, TaskClosed, TaskDeleted, TaskEdges, TaskListed, TaskMoved, TaskRenamed,
    TaskReparented, TaskUpdated, TaskView,
};
