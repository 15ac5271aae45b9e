//! Projects as JSON.

use drover_core::workspace::Loss;
use drover_ops::projects::{Archived, Listed, Renamed, TornDown};
use drover_ops::workspaces::{Kind, trunk};
use schemars::JsonSchema;
use serde::Serialize;

use super::agent::ProcessView;
use super::items::Items;
use super::workspace::LossView;

/// A project with what it holds.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProjectView {
    /// The name.
    name: String,
    /// What it is called in full.
    title: String,
    /// `setup`, `active`, `reviewing` or `archived`.
    state: String,
    /// How many projects had this name before, plus one.
    generation: i64,
    /// When it was made.
    created_at: String,
    /// Its repository.
    repository: Option<RepositoryView>,
    /// Tasks of every state.
    tasks: i64,
    /// Tasks that are not closed.
    open_tasks: i64,
    /// Edges between its tasks.
    edges: i64,
    /// Notes on its tasks.
    notes: i64,
    /// Agents that are not closed.
    agents: i64,
    /// Workspaces with a checkout.
    workspaces: i64,
    /// The session of its agents, once it had one.
    session: Option<String>,
    /// Whether that session is there; null where nobody looked or no answer came.
    session_alive: Option<bool>,
    /// Its policy: what was set.
    policy: std::collections::BTreeMap<String, String>,
}

/// A repository of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RepositoryView {
    /// `git`, `jj` or `copy`.
    kind: String,
    /// Its main working tree, or the directory that is copied.
    path: String,
    /// The branch that was checked out when it was recorded.
    base_branch: Option<String>,
    /// The commit that was checked out when it was recorded.
    base_sha: String,
    /// Where it came from.
    origin_url: Option<String>,
    /// The integration branch, on which work lands; null where copies are made, which have none.
    trunk: Option<String>,
}

impl From<&Listed> for ProjectView {
    fn from(listed: &Listed) -> Self {
        let (project, counts) = (&listed.project, &listed.counts);
        Self {
            name: project.name.clone(),
            title: project.title.clone(),
            state: project.state.clone(),
            generation: project.generation,
            created_at: project.created_at.clone(),
            repository: listed.repository.as_ref().map(|it| RepositoryView {
                kind: it.kind.clone(),
                path: it.path.clone(),
                base_branch: it.base_branch.clone(),
                base_sha: it.base_sha.clone(),
                origin_url: it.origin_url.clone(),
                trunk: (it.kind != Kind::Copy.word()).then(|| trunk(&project.name)),
            }),
            tasks: counts.tasks,
            open_tasks: counts.open_tasks,
            edges: counts.edges,
            notes: counts.notes,
            agents: counts.agents,
            workspaces: counts.workspaces,
            session: listed.session.as_ref().map(|it| it.name.clone()),
            session_alive: listed.session.as_ref().and_then(|it| it.is_alive),
            policy: listed.policy.iter().cloned().collect(),
        }
    }
}

/// One project.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProjectAnswer {
    /// The project.
    pub(crate) project: ProjectView,
}

/// A project that was made or found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProjectCreated {
    /// The project.
    pub(crate) project: ProjectView,
    /// Whether it is new.
    pub(crate) created: bool,
    /// Whether its repository is new.
    pub(crate) repository_added: bool,
}

/// A project that is, or would be, torn down.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProjectTornDown {
    /// The name.
    name: String,
    /// Whether it is done; else this is a preview.
    done: bool,
    /// Tasks that go with it.
    tasks: i64,
    /// Edges that go with it.
    edges: i64,
    /// Notes that go with it.
    notes: i64,
    /// Agents that are closed.
    agents: Vec<String>,
    /// Checkouts that go.
    workspaces: Items<CheckoutGone>,
    /// Branches that stay in the repository.
    branches: Vec<String>,
    /// What would be lost, which forbids it.
    losses: Items<AgentLosses>,
    /// Processes that live in spite of everything.
    left: Vec<ProcessView>,
}

/// A checkout that goes with its agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckoutGone {
    /// The agent.
    agent: String,
    /// Where it is, or was.
    path: String,
}

impl From<&(String, String)> for CheckoutGone {
    fn from((agent, path): &(String, String)) -> Self {
        Self { agent: agent.clone(), path: path.clone() }
    }
}

/// A project under its new name.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProjectRenamed {
    /// Its name.
    name: String,
    /// What it was called.
    was: String,
    /// Its integration branch; null where that was not renamed.
    trunk: Option<String>,
}

impl From<&Renamed> for ProjectRenamed {
    fn from(renamed: &Renamed) -> Self {
        Self {
            name: renamed.project.name.clone(),
            was: renamed.from.clone(),
            trunk: renamed.branch.clone(),
        }
    }
}

/// A project that was put away or fetched back.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProjectArchived {
    /// Its name.
    name: String,
    /// How many projects had this name before, plus one.
    generation: i64,
    /// Its state now.
    state: String,
    /// Tasks of every state, which it keeps.
    tasks: i64,
    /// Tasks that are not closed.
    open_tasks: i64,
    /// Its integration branch, which stays in the repository.
    trunk: Option<String>,
}

impl From<&Archived> for ProjectArchived {
    fn from(archived: &Archived) -> Self {
        Self {
            name: archived.project.name.clone(),
            generation: archived.project.generation,
            state: archived.project.state.clone(),
            tasks: archived.counts.tasks,
            open_tasks: archived.counts.open_tasks,
            trunk: archived.branch.clone(),
        }
    }
}

/// What would be lost of one agent's workspace.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentLosses {
    /// The agent.
    agent: String,
    /// What would be lost.
    losses: Vec<LossView>,
}

impl AgentLosses {
    /// Losses by agent.
    pub(crate) fn all(losses: &[(String, Vec<Loss>)]) -> Items<Self> {
        let one = |(agent, losses): &(String, Vec<Loss>)| Self {
            agent: agent.clone(),
            losses: losses.iter().map(LossView::from).collect(),
        };
        Items::new(losses.iter().map(one).collect())
    }
}

impl From<&TornDown> for ProjectTornDown {
    fn from(torn: &TornDown) -> Self {
        let process = |it: &(u32, String)| ProcessView { pid: it.0, name: it.1.clone() };
        Self {
            name: torn.project.name.clone(),
            done: torn.is_done,
            tasks: torn.counts.tasks,
            edges: torn.counts.edges,
            notes: torn.counts.notes,
            agents: torn.agents.clone(),
            workspaces: torn.workspaces.iter().map(CheckoutGone::from).collect(),
            branches: torn.branches.clone(),
            losses: AgentLosses::all(&torn.losses),
            left: torn.left.iter().map(process).collect(),
        }
    }
}
