//! Messages to agents as JSON.

use drover_ops::rows::Message;
use schemars::JsonSchema;
use serde::Serialize;

use super::glance::StalenessView;

/// A message and how far it got: its receipt.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MessageView {
    /// The identity that never changes.
    id: String,
    /// Its number among the agent's messages.
    number: i64,
    /// The agent.
    agent: String,
    /// The project.
    project: String,
    /// `queued`, `typed`, `submitted`, `received`, `refused`, `withdrawn` or `uncertain`.
    level: String,
    /// `turn_end`, `when_idle`, `interrupt`, `steer` or `fresh`.
    mode: String,
    /// `mux` where it is typed even next to a channel of the engine's own.
    via: Option<String>,
    /// Who sent it.
    sender: String,
    /// SHA-256 of the sent text.
    sha256: String,
    /// Length of the sent text.
    bytes: i64,
    /// Control bytes that were left out of it.
    removed_bytes: i64,
    /// What proves the level.
    proof: Option<String>,
    /// Why it got no further.
    reason: Option<String>,
    /// The number that the turn which took it has when it ends, where its engine counts turns.
    turn: Option<i64>,
    /// That turn, as its engine names it.
    turn_id: Option<String>,
    /// Whether it is being typed now, or was when its deliverer ended.
    in_delivery: bool,
    /// When it was written.
    created_at: String,
    /// When it left.
    sent_at: Option<String>,
}

impl MessageView {
    /// A message to an agent of a project.
    pub(crate) fn new(project: &str, agent: &str, message: &Message) -> Self {
        Self {
            id: message.uid.clone(),
            number: message.number,
            agent: agent.to_owned(),
            project: project.to_owned(),
            level: message.level.to_string(),
            mode: message.mode.to_string(),
            via: message.via.clone(),
            sender: message.sender.clone(),
            sha256: message.digest.clone(),
            bytes: message.bytes,
            removed_bytes: message.removed_bytes,
            proof: message.proof.clone(),
            reason: message.reason.clone(),
            turn: message.turn,
            turn_id: message.turn_id.clone(),
            in_delivery: message.lease.is_some(),
            created_at: message.created_at.clone(),
            sent_at: message.sent_at.clone(),
        }
    }
}

/// One message.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MessageAnswer {
    /// The message.
    pub(crate) message: MessageView,
}

/// A message that was sent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MessageSent {
    /// The message.
    pub(crate) message: MessageView,
    /// Whether the pane was taken out of copy mode for it.
    pub(crate) left_copy_mode: bool,
    /// How far the agent's workspace is behind; null without one.
    pub(crate) staleness: Option<StalenessView>,
}

/// A message of a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct QueuedView {
    /// The message.
    #[serde(flatten)]
    pub(crate) message: MessageView,
    /// Its text, as long as it is kept.
    pub(crate) text: Option<String>,
}
