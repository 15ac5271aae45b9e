//! Agents as JSON.

use drover_core::agent::dialog::Dialog;
use drover_core::agent::{Presence, Reading, Source};
use drover_ops::agents::{Observed, Restored};
use drover_ops::time_text;
use schemars::JsonSchema;
use serde::Serialize;

use super::items::{Items, strings};
use super::usage::UsageView;
use super::workspace::{LossView, WorkspaceFreed};

/// An agent and what it is doing.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentView {
    /// The name.
    name: String,
    /// The project.
    project: String,
    /// The identity that never changes.
    uid: String,
    /// `operator`, `coordinator`, `worker` or `reviewer`.
    role: String,
    /// The engine.
    engine: String,
    /// What it is doing: `starting`, `working`, `idle`, `needs_input`, `needs_permission`,
    /// `limited`, `exited` or `unknown`.
    state: String,
    /// Who said so.
    source: String,
    /// Since when, if known.
    since: Option<String>,
    /// What was said.
    evidence: String,
    /// Why it is in this state, or why nothing is known.
    reason: Option<String>,
    /// When it can go on, for one that is limited and knows.
    until: Option<String>,
    /// The dialog that waits for an answer on its screen.
    dialog: Option<DialogView>,
    /// How many of its turns have ended; none where nothing counts them.
    turn: Option<i64>,
    /// Whether it has been idle for longer than the policy `idle_after` says, as a helper of `scratch` or
    /// with a task in its hands.
    idle: bool,
    /// The socket through which its engine is spoken to.
    channel: ChannelView,
    /// Whether somebody else has started its program: a close leaves that as it is.
    adopted: bool,
    /// What Drover did with it last.
    lifecycle: String,
    /// Why its launch failed.
    failure: Option<String>,
    /// What its pane runs.
    command: Vec<String>,
    /// What `me work` runs for each task.
    work: Option<Vec<String>>,
    /// How it takes work: `run`, `message` or `none`.
    takes_work: String,
    /// The directory it starts in.
    cwd: String,
    /// The variables it inherits beyond the usual ones.
    env_names: Vec<String>,
    /// The model it was asked to use.
    model: Option<String>,
    /// How hard it was asked to think.
    thinking: Option<String>,
    /// Whether it was to run without asking for permission.
    unattended: bool,
    /// The skills it was given.
    skills: Vec<String>,
    /// Where it runs.
    pane: Option<PaneView>,
    /// What its program calls itself; none where its pane was not seen.
    title: Option<String>,
    /// How it ended: exit code.
    exit_status: Option<i64>,
    /// How it ended: signal.
    exit_signal: Option<i64>,
    /// When it ended.
    ended_at: Option<String>,
    /// The conversation it is in, as its engine names it.
    conversation: Option<String>,
    /// How often it was started again.
    restarts: i64,
    /// When it was made.
    created_at: String,
}

/// The socket through which an engine is spoken to.
#[derive(Debug, Serialize, JsonSchema)]
struct ChannelView {
    /// `ok`, `starting`, `missing`, or `none` for an engine without one and for an agent that does not run.
    state: String,
    /// Where it is.
    socket: Option<String>,
    /// Why it is missing.
    reason: Option<String>,
}

impl ChannelView {
    fn of(observed: &Observed) -> Self {
        let is_running = observed.agent.lifecycle.is_running();
        let said = observed.decided.asked.iter().find(|it| it.source == Source::Control);
        let (state, reason) = match (said.map(|it| (it.state, &it.reason)), &observed.socket) {
            (_, None) => ("none", None),
            (Some((Presence::Unknown, reason)), _) => ("missing", reason.clone()),
            (Some((Presence::Starting, reason)), _) => ("starting", reason.clone()),
            (Some(_), _) => ("ok", None),
            (None, _) if is_running => ("missing", Some("nothing serves it".to_owned())),
            (None, _) => ("none", None),
        };
        let socket = observed.socket.as_ref().map(|it| it.to_string_lossy().into_owned());
        Self { state: state.to_owned(), socket, reason }
    }
}

/// Where an agent runs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PaneView {
    /// Which multiplexer.
    mux: String,
    /// Its server's socket.
    socket: String,
    /// The session's id.
    session: String,
    /// The window's id.
    window: String,
    /// The pane's id.
    id: String,
    /// The process in the pane.
    pid: i64,
    /// The name of the window that it was to share with others.
    tab: Option<String>,
}

impl AgentView {
    /// An agent of a project as it was seen.
    pub(crate) fn new(project: &str, observed: &Observed) -> Self {
        let (agent, decided) = (&observed.agent, &observed.decided);
        let profile = &agent.profile;
        Self {
            name: agent.name.clone(),
            project: project.to_owned(),
            uid: agent.uid.clone(),
            role: profile.role.clone(),
            engine: profile.engine.clone(),
            state: decided.state.to_string(),
            source: decided.source.to_string(),
            since: decided.since.map(time_text),
            evidence: decided.evidence.clone(),
            reason: decided.reason.clone(),
            until: observed.decided.until.map(time_text),
            dialog: observed.dialog.as_ref().map(DialogView::from),
            turn: observed.turn.as_ref().map(|it| it.number),
            idle: observed.is_left_idle,
            channel: ChannelView::of(observed),
            adopted: agent.is_adopted,
            lifecycle: agent.lifecycle.to_string(),
            failure: agent.failure.clone(),
            command: strings(&profile.command),
            work: profile.work.as_deref().map(strings),
            takes_work: profile.takes_work.clone(),
            cwd: profile.cwd.clone(),
            env_names: strings(&profile.env_names),
            model: profile.model.clone(),
            thinking: profile.thinking.clone(),
            unattended: profile.unattended,
            skills: strings(&profile.skills),
            pane: PaneView::of(observed),
            title: observed.pane.as_ref().map(|it| it.title.clone()),
            exit_status: agent.exit_status,
            exit_signal: agent.exit_signal,
            ended_at: agent.ended_at.clone(),
            conversation: agent.conversation_id.clone(),
            restarts: agent.restarts,
            created_at: agent.created_at.clone(),
        }
    }
}

impl PaneView {
    fn of(observed: &Observed) -> Option<Self> {
        let agent = &observed.agent;
        agent.binding.as_ref().map(|it| Self {
            mux: it.mux.clone(),
            socket: it.mux_socket.clone(),
            session: it.session_id.clone(),
            window: it.window_id.clone(),
            id: it.pane_id.clone(),
            pid: it.pane.pid,
            tab: agent.tab.clone(),
        })
    }
}

/// One agent and the end of its screen.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentShown {
    /// The agent.
    pub(crate) agent: AgentView,
    /// What it used.
    pub(crate) usage: UsageView,
    /// The end of its screen; none without a pane.
    pub(crate) screen: Option<String>,
}

/// An agent and what its pane shows.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentRead {
    /// The agent.
    pub(crate) agent: AgentView,
    /// The end of its screen; none without a pane.
    pub(crate) screen: Option<String>,
}

/// An agent that was closed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentClosed {
    /// The agent.
    pub(crate) agent: AgentView,
    /// How many processes were ended.
    pub(crate) ended: usize,
    /// The processes that live in spite of everything.
    pub(crate) left: Vec<ProcessView>,
    /// The tasks it held, which are open again.
    pub(crate) released: Vec<String>,
    /// What became of its workspace; none when it had none.
    pub(crate) workspace: Option<WorkspaceFreed>,
}

/// What a close with `--discard` would take.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentClosePreview {
    /// The agent.
    pub(crate) agent: String,
    /// What would go, and be kept as a rescue.
    pub(crate) losses: Items<LossView>,
    /// What works inside and is not the agent's; while anything does, a discard is refused.
    pub(crate) held: Items<LossView>,
}

/// A process.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProcessView {
    /// Its number.
    pub(crate) pid: u32,
    /// The name it goes by.
    pub(crate) name: String,
}

/// An agent, every source asked about it, and the rule that decided.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentExplained {
    /// The agent.
    pub(crate) agent: AgentView,
    /// The rule that decided.
    pub(crate) rule: String,
    /// What each source said, the best first.
    pub(crate) asked: Vec<ReadingView>,
}

/// What one source said.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReadingView {
    /// The source.
    source: String,
    /// What it says the agent is doing.
    state: String,
    /// Since when, if it knows.
    since: Option<String>,
    /// For how many seconds by now.
    age_seconds: Option<i64>,
    /// What it was that it said.
    evidence: String,
    /// Why, or why nothing is known.
    reason: Option<String>,
}

impl ReadingView {
    pub(crate) fn new(reading: &Reading, age_seconds: Option<i64>) -> Self {
        Self {
            age_seconds,
            source: reading.source.to_string(),
            state: reading.state.to_string(),
            since: reading.since.map(time_text),
            evidence: reading.evidence.clone(),
            reason: reading.reason.clone(),
        }
    }
}

/// An agent whose front was signalled.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentKicked {
    /// The agent.
    pub(crate) agent: AgentView,
    /// The process group that got the signal, by the name of its leader; none in a dry run.
    pub(crate) group: Option<ProcessView>,
}

/// A dialog that waits for an answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct DialogView {
    /// What kind it is, such as `permission`.
    label: String,
    /// What it shows.
    text: String,
    /// Its answers, from top to bottom.
    choices: Vec<String>,
    /// What an answer to it is bound to.
    digest: String,
}

impl From<&Dialog> for DialogView {
    fn from(dialog: &Dialog) -> Self {
        Self {
            label: dialog.label.clone(),
            text: dialog.text.clone(),
            choices: dialog.rows.iter().map(|it| it.label.clone()).collect(),
            digest: dialog.digest.clone(),
        }
    }
}

/// An agent whose dialog was answered.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentApproved {
    /// The agent as it is now.
    pub(crate) agent: AgentView,
    /// The dialog.
    pub(crate) dialog: DialogView,
    /// The answer that was given, in the dialog's words.
    pub(crate) answer: String,
}

/// An agent whose turn was stopped.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentAborted {
    /// The agent as it is now.
    pub(crate) agent: AgentView,
    /// Whether a turn was running.
    pub(crate) was_busy: bool,
    /// What it did before.
    pub(crate) state_before: String,
    /// How many of its turns had ended before.
    pub(crate) turn_before: Option<i64>,
}

/// An agent that was started anew.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentRestarted {
    /// The agent.
    pub(crate) agent: AgentView,
    /// The tasks it held, which are open again.
    pub(crate) released: Vec<String>,
}

/// An agent that was to be brought back.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RestoredView {
    /// The agent as it is now.
    #[serde(flatten)]
    agent: AgentView,
    /// `restored`, or the word of the refusal.
    outcome: String,
    /// Why it is not back.
    why: Option<String>,
    /// What is not as it was.
    differences: Vec<String>,
    /// The tasks it had lost and holds again.
    claimed: Vec<String>,
}

impl RestoredView {
    /// An agent of a restore, and the word of its refusal if it was refused.
    pub(crate) fn new(restored: &Restored, refusal: &str) -> Self {
        let agent = AgentView::new(&restored.project.name, &restored.observed);
        match &restored.came {
            Ok(back) => Self {
                agent,
                outcome: "restored".to_owned(),
                why: None,
                differences: back.differences.clone(),
                claimed: back.claimed.clone(),
            },
            Err(err) => Self {
                agent,
                outcome: refusal.to_owned(),
                why: Some(err.to_string()),
                differences: Vec::new(),
                claimed: Vec::new(),
            },
        }
    }
}

/// What came of bringing agents back.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentsRestored {
    /// Each agent.
    pub(crate) agents: Items<RestoredView>,
}

/// An agent under its new name.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentRenamed {
    /// The agent.
    pub(crate) agent: AgentView,
    /// The name it had.
    pub(crate) was: String,
}

/// How an agent's pane is shown.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentAttached {
    /// The agent.
    pub(crate) agent: AgentView,
    /// The command that shows its pane.
    pub(crate) command: String,
}
