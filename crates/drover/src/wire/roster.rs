//! Agents that came to be, and those that could, as JSON.

use drover_ops::agents::Orphan;
use drover_ops::rows::Workspace;
use schemars::JsonSchema;
use serde::Serialize;

use super::agent::AgentView;
use super::items::Items;
use super::message::MessageView;

/// An agent that was started.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentSpawned {
    /// The agent.
    pub(crate) agent: AgentView,
    /// Where its command came from: `--command`, a variable, or `the engine`.
    pub(crate) command_from: String,
    /// Its workspace; none where it works elsewhere.
    pub(crate) workspace: Option<MadeWorkspaceView>,
    /// What was sent to it, and how far that got.
    pub(crate) message: Option<MessageView>,
    /// Why that got no further, as one stable word.
    pub(crate) reason: Option<String>,
}

/// A workspace that was made.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MadeWorkspaceView {
    /// Where it is.
    path: String,
    /// Its branch.
    branch: String,
    /// The commit it starts from.
    base: String,
}

impl From<&Workspace> for MadeWorkspaceView {
    fn from(row: &Workspace) -> Self {
        Self { path: row.path.clone(), branch: row.branch.clone(), base: row.base_sha.clone() }
    }
}

/// The agents of a project, and those of its session that have no row.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentsListed {
    /// The agents.
    pub(crate) items: Vec<AgentView>,
    /// How many there are.
    pub(crate) count: usize,
    /// Chat agents in panes of the project's session that nobody has told Drover of.
    pub(crate) orphans: Items<OrphanPaneView>,
}

/// A pane with a chat agent that is not in the database.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OrphanPaneView {
    /// The pane's id.
    pane: String,
    /// Its title.
    title: String,
    /// The engine that runs in it.
    engine: String,
    /// The words it was started with.
    command: Vec<String>,
    /// The window's id.
    window: String,
    /// The session's name.
    session: String,
    /// Its server's socket.
    socket: String,
}

impl From<&Orphan> for OrphanPaneView {
    fn from(orphan: &Orphan) -> Self {
        let pane = &orphan.pane;
        Self {
            pane: pane.id.to_string(),
            title: pane.title.clone(),
            engine: orphan.engine.clone(),
            command: orphan.command.clone(),
            window: pane.window.to_string(),
            session: pane.session_name.clone(),
            socket: orphan.socket.clone(),
        }
    }
}

/// A pane that became an agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentAdopted {
    /// The agent.
    pub(crate) agent: AgentView,
    /// Whether it was none before.
    pub(crate) adopted: bool,
    /// The title of its pane, which stays.
    pub(crate) title: String,
    /// The line that starts its program by hand with a channel of its own, where it has none.
    pub(crate) by_hand: Option<String>,
}
