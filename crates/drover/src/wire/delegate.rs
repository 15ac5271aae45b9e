//! Delegates as JSON.

use drover_ops::delegates::Delegated;
use schemars::JsonSchema;
use serde::Serialize;

/// A helper that was given one task in words.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DelegateView {
    /// The identity that never changes.
    id: String,
    /// Its name, and its agent's.
    name: String,
    /// The project its agent lives in.
    project: String,
    /// `queued`, `starting`, `running`, or how it ended: `done`, `empty`, `error`, `died`, `timeout`,
    /// `cancelled`, `failed`.
    state: String,
    /// What it is about.
    label: Option<String>,
    /// Who asked for it.
    delegator: String,
    /// What it runs.
    engine: String,
    /// The model it was asked to use.
    model: Option<String>,
    /// Where it works; none for a workspace of its own.
    cwd: Option<String>,
    /// What it answered, as long as that is kept.
    answer: Option<String>,
    /// The end of its screen, where it gave no answer.
    screen: Option<String>,
    /// The turn that the answer is from.
    turn: Option<i64>,
    /// Why it ended as it did, or what became of its pane.
    reason: Option<String>,
    /// Whether its agent is still there, to be attached to or closed.
    has_agent: bool,
    /// When it was asked for.
    created_at: String,
    /// When it was started.
    started_at: Option<String>,
    /// When it ended.
    ended_at: Option<String>,
}

impl DelegateView {
    /// A delegate with its answer.
    pub(crate) fn new(delegated: &Delegated) -> Self {
        let delegate = &delegated.delegate;
        let is_done = delegate.state == "done";
        Self {
            id: delegate.uid.clone(),
            name: delegate.name.clone(),
            project: delegated.project.name.clone(),
            state: delegate.state.clone(),
            label: delegate.label.clone(),
            delegator: delegate.delegator.clone(),
            engine: delegate.engine.clone(),
            model: delegate.model.clone(),
            cwd: delegate.cwd.clone(),
            answer: delegated.answer.clone().filter(|_| is_done),
            screen: delegated.answer.clone().filter(|_| !is_done),
            turn: delegate.turn,
            reason: delegate.reason.clone(),
            has_agent: delegated.agent.is_some(),
            created_at: delegate.created_at.clone(),
            started_at: delegate.started_at.clone(),
            ended_at: delegate.ended_at.clone(),
        }
    }
}

/// One delegate.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DelegateAnswer {
    /// The delegate.
    pub(crate) delegate: DelegateView,
}
