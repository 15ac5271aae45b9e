//! The JSON shapes of every result; `docs/schema.json` is made from them.

mod agent;
mod database;
mod delegate;
mod doctor;
mod glance;
mod graph;
mod import;
mod items;
mod link;
mod log;
mod manual;
mod message;
mod mu;
mod policy;
mod project;
mod record;
mod roster;
mod sql;
mod standing;
mod task;
mod usage;
mod waited;
mod work;
mod workspace;

pub(crate) use agent::{
    AgentAborted, AgentApproved, AgentAttached, AgentClosePreview, AgentClosed, AgentExplained,
    AgentKicked, AgentRead, AgentRenamed, AgentRestarted, AgentShown, AgentView, AgentsRestored,
    DialogView, ProcessView, ReadingView, RestoredView,
};
pub(crate) use database::{DatabaseCompacted, DatabaseRebuilt, ProjectsForgotten};
pub(crate) use delegate::{DelegateAnswer, DelegateView};
pub(crate) use doctor::{DatabaseCopied, DoctorAnswer};
pub(crate) use glance::StalenessView;
pub(crate) use graph::{TaskPlan, TaskTreeView, TaskWhy, id_of};
pub(crate) use import::{TasksExported, TasksImported};
pub(crate) use items::{Items, strings};
pub(crate) use link::{ClientLinked, LinkView, SkillPage};
pub(crate) use log::{
    ChangeLogged, ChangeView, ConflictView, GroupView, LineAppended, MeanwhileView, UndoAnswer,
};
pub(crate) use manual::{CompletionScript, ManualPage, ManualPages};
pub(crate) use message::{MessageAnswer, MessageSent, MessageView, QueuedView};
pub(crate) use mu::ProjectsImported;
pub(crate) use policy::{CommandView, Commands, PolicySet};
pub(crate) use project::{
    AgentLosses, ProjectAnswer, ProjectArchived, ProjectCreated, ProjectRenamed, ProjectTornDown,
    ProjectView,
};
pub(crate) use record::{EntryView, NoteView, TaskNoted, TaskNotes, TaskProofView, TaskShown};
pub(crate) use roster::{
    AgentAdopted, AgentSpawned, AgentsListed, MadeWorkspaceView, OrphanPaneView,
};
pub(crate) use sql::QueryAnswer;
pub(crate) use task::{
    NextTask, TaskAdded, TaskClaimed, TaskClosed, TaskDeleted, TaskEdges, TaskListed, TaskMoved,
    TaskRenamed, TaskReparented, TaskUpdated, TaskView,
};
pub(crate) use usage::{UsageView, in_words as usage_in_words};
pub(crate) use waited::{AgentsWaited, TasksWaited, WaitedAgentView, WaitedTaskView};
pub(crate) use work::{
    Dispatched, MeView, PassView, ProjectStateView, RunEnded, StateView, WorkedView, held,
};
pub(crate) use workspace::{
    CommitView, LossView, OrphanView, WorkspaceCommits, WorkspaceDiff, WorkspaceDiscardPreview,
    WorkspaceFreed, WorkspaceLanded, WorkspacePath, WorkspaceRefreshed, WorkspaceView,
};
