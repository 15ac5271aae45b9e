//! Dispatch, runs, the caller and the state of projects as JSON.

use drover_ops::dispatch::{Pass, Skipped};
use drover_ops::me::Me;
use drover_ops::run::Ran;
use drover_ops::state::{Need, ProjectState};
use schemars::JsonSchema;
use serde::Serialize;

use super::glance::GlancedView;
use super::standing::{RecentView, TracksView};
use super::{AgentView, CommitView, Items, OrphanPaneView, OrphanView, TaskView, UsageView};
use crate::output::Next;

/// A task that was handed to an agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HandedView {
    /// The task.
    task: String,
    /// The agent.
    agent: String,
}

/// A branch that was landed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LandedBranchView {
    /// Whose it is.
    agent: String,
    /// The merge commit; none in a dry run.
    commit: Option<String>,
}

/// A branch that could not be landed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LandFailureView {
    /// Whose it is.
    agent: String,
    /// Why not.
    why: String,
}

/// A task or an agent that was passed over.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SkippedView {
    /// The task's id, or the agent's name.
    name: String,
    /// A stable word, as `blocker_not_landed`.
    reason: String,
    /// The task in the way.
    because_of: Option<String>,
}

impl From<&Skipped> for SkippedView {
    fn from(it: &Skipped) -> Self {
        Self {
            name: it.name.clone(),
            reason: it.reason.to_owned(),
            because_of: it.because_of.clone(),
        }
    }
}

/// What one pass of dispatch did and saw.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PassView {
    /// Branches that were landed on the trunk.
    landed: Items<LandedBranchView>,
    /// Branches that could not be.
    failures: Items<LandFailureView>,
    /// Tasks that were handed out.
    handed: Items<HandedView>,
    /// Ready tasks that wait, and why.
    skipped: Items<SkippedView>,
    /// Agents that got none, and why.
    passed_over: Items<SkippedView>,
    /// Agents that live and take tasks.
    workers: usize,
    /// Tasks in progress in the hands of agents that go on by themselves.
    in_progress: usize,
    /// Tasks that are not closed.
    open: usize,
    /// Branches that hold work the trunk does not.
    unlanded: usize,
}

impl From<&Pass> for PassView {
    fn from(pass: &Pass) -> Self {
        let handed = pass
            .handed
            .iter()
            .map(|it| HandedView { task: it.task.clone(), agent: it.agent.clone() });
        let landed = pass
            .landed
            .iter()
            .map(|it| LandedBranchView { agent: it.agent.clone(), commit: it.commit.clone() });
        let failures = pass
            .failures
            .iter()
            .map(|it| LandFailureView { agent: it.agent.clone(), why: it.why.clone() });
        Self {
            landed: landed.collect(),
            failures: failures.collect(),
            handed: handed.collect(),
            skipped: pass.skipped.iter().map(SkippedView::from).collect(),
            passed_over: pass.passed_over.iter().map(SkippedView::from).collect(),
            workers: pass.workers,
            in_progress: pass.in_progress,
            open: pass.open,
            unlanded: pass.unlanded,
        }
    }
}

/// What dispatch did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Dispatched {
    /// The project.
    pub(crate) project: String,
    /// The last pass.
    pub(crate) pass: PassView,
}

/// How a run ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunEnded {
    /// The project.
    project: String,
    /// Tasks that the plan added.
    added: Vec<String>,
    /// The last pass.
    pass: PassView,
    /// The workers that live on.
    agents: Vec<String>,
    /// The integration branch.
    trunk: String,
    /// The commit it is at.
    trunk_commit: String,
    /// The one command that brings the work to the user's branch.
    fast_forward: String,
    /// What the repository's tests print on the finished work; for `demo` only.
    pub(crate) tests: Option<String>,
}

impl From<&Ran> for RunEnded {
    fn from(ran: &Ran) -> Self {
        Self {
            project: ran.project.name.clone(),
            added: ran.imported.as_ref().map(|it| it.added.clone()).unwrap_or_default(),
            pass: (&ran.last).into(),
            agents: ran.agents.clone(),
            trunk: ran.trunk.branch.clone(),
            trunk_commit: ran.trunk.commit.clone(),
            fast_forward: ran.trunk.fast_forward.clone(),
            tests: None,
        }
    }
}

/// One thing that waits on a person.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NeedView {
    /// `permission`, `question`, `limit`, `dead`, `stalled`, `failed`, `attempts_spent`, `trust`,
    /// `workspace`, `unlanded`, `undelivered` or `triage`.
    kind: String,
    /// Which agent or task it is about.
    about: String,
    /// What it is.
    what: String,
    /// Since when.
    since: Option<String>,
    /// What answers it, best first.
    next: Vec<Next>,
}

impl From<&Need> for NeedView {
    fn from(need: &Need) -> Self {
        Self {
            kind: need.kind.as_str().to_owned(),
            about: need.about.clone(),
            what: need.what.clone(),
            since: need.since.clone(),
            next: need
                .next
                .iter()
                .map(|it| Next { why: it.why.clone(), run: it.run.clone() })
                .collect(),
        }
    }
}

/// An agent, what it does and what it used.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentInState {
    #[serde(flatten)]
    agent: AgentView,
    /// What it used.
    usage: UsageView,
}

/// How one project stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProjectStateView {
    /// The project.
    project: String,
    /// What waits on a person, the most urgent first.
    needs_you: Items<NeedView>,
    /// Its agents, what they do and what they used.
    agents: Items<AgentInState>,
    /// Chat agents in panes of its session that nobody has told Drover of.
    orphans: Items<OrphanPaneView>,
    /// Its workspaces, and which of them would conflict with which.
    workspaces: Items<GlancedView>,
    /// Directories and rows of its workspaces that have lost each other.
    workspace_orphans: Items<OrphanView>,
    /// What its agents used, closed ones included.
    usage: UsageView,
    /// How many tasks have each state, by `STATUS/substate`.
    tasks: std::collections::BTreeMap<String, i64>,
    /// How many open tasks wait for others.
    blocked: i64,
    /// The best ready tasks.
    ready: Items<TaskView>,
    /// The tasks in progress.
    in_progress: Items<TaskView>,
    /// The tasks that were closed last.
    recent_closed: Items<TaskView>,
    /// The proposed tasks, oldest first.
    triage: Items<TaskView>,
    /// The ready task that was made first on this machine.
    oldest_ready: Option<TaskView>,
    /// Connected groups of open goals and what they need, by their first goal.
    tracks: TracksView,
    /// What happened last, oldest first.
    recent: Items<RecentView>,
    /// What came onto its trunk last, since the project was made, newest first.
    commits: Items<CommitView>,
}

impl From<&ProjectState> for ProjectStateView {
    fn from(state: &ProjectState) -> Self {
        let project = &state.project.name;
        let views = |tasks: &[drover_ops::rows::Task]| {
            tasks.iter().map(|it| TaskView::new(project, it)).collect()
        };
        Self {
            project: project.clone(),
            needs_you: state.needs.iter().map(NeedView::from).collect(),
            agents: state
                .agents
                .iter()
                .zip(&state.used_by)
                .map(|(it, used)| AgentInState {
                    agent: AgentView::new(project, it),
                    usage: used.into(),
                })
                .collect(),
            orphans: state.orphans.iter().map(OrphanPaneView::from).collect(),
            workspaces: state.workspaces.iter().map(GlancedView::from).collect(),
            workspace_orphans: state.workspace_orphans.iter().map(OrphanView::from).collect(),
            usage: (&state.used).into(),
            tasks: state.counts.iter().map(|(state, count)| (state.full(), *count)).collect(),
            blocked: state.blocked,
            ready: views(&state.ready),
            in_progress: views(&state.in_progress),
            recent_closed: views(&state.closed),
            triage: views(&state.triage),
            oldest_ready: state.oldest_ready.as_ref().map(|it| TaskView::new(project, it)),
            tracks: (&state.tracks).into(),
            recent: state.recent.iter().map(RecentView::from).collect(),
            commits: state.commits.iter().map(|it| CommitView::new(it, true)).collect(),
        }
    }
}

/// How the projects stand.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StateView {
    /// The projects, by name.
    pub(crate) projects: Items<ProjectStateView>,
    /// How many things wait on a person.
    pub(crate) needs_you: usize,
}

/// The caller.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MeView {
    /// The word in the log.
    actor: String,
    /// The agent's name, when it is one.
    agent: Option<String>,
    /// Its role, when it is an agent.
    role: Option<String>,
    /// The project that is meant.
    project: Option<String>,
    /// The tasks it holds: those in progress, unless all were asked for.
    tasks: Items<TaskView>,
}

impl From<&Me> for MeView {
    fn from(me: &Me) -> Self {
        Self {
            actor: me.word.clone(),
            agent: me.agent.as_ref().map(|it| it.name.clone()),
            role: me.agent.as_ref().map(|it| it.profile.role.clone()),
            project: me.project.as_ref().map(|it| it.name.clone()),
            tasks: held(me),
        }
    }
}

/// The tasks that a caller holds.
pub(crate) fn held(me: &Me) -> Items<TaskView> {
    me.tasks.iter().map(|(project, task)| TaskView::new(&project.name, task)).collect()
}

/// A task that was worked on.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkedView {
    /// The task, as it is now.
    pub(crate) task: TaskView,
    /// `closed` or `released`.
    pub(crate) end: String,
    /// Why it was released: a stable word.
    pub(crate) reason: Option<String>,
    /// What was noted, or what it was closed on.
    pub(crate) note: Option<String>,
}
