//! The messages of the app-server, as far as Drover reads them; what it adds is passed over.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A conversation that the app-server has loaded.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    /// Its identity, which a resume takes.
    pub id: String,
    /// What it is doing.
    pub status: Status,
    /// Whether nothing of it is kept, as of the one that writes titles.
    #[serde(default)]
    pub ephemeral: bool,
    /// The conversation it works for, if it is a helper's.
    #[serde(default)]
    pub parent_thread_id: Option<String>,
    /// Who began it: `user` for a person's own.
    #[serde(default)]
    pub thread_source: Option<String>,
    /// The file in which it is kept.
    #[serde(default)]
    pub path: Option<String>,
}

impl Thread {
    /// Whether a person, or Drover, speaks in it: not Codex's own, and not a helper's.
    pub fn is_conversation(&self) -> bool {
        let is_users = self.thread_source.as_deref().is_none_or(|it| it == "user");
        is_users && !self.ephemeral && self.parent_thread_id.is_none()
    }
}

/// What a conversation is doing.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Status {
    /// It waits for a prompt.
    Idle,
    /// A turn runs.
    #[serde(rename_all = "camelCase")]
    Active {
        /// What the turn waits for.
        #[serde(default)]
        active_flags: Vec<Flag>,
    },
    /// The last turn ended in an error; it takes the next prompt.
    SystemError,
    /// It is on the disk only.
    NotLoaded,
    /// A word that this Drover does not know.
    #[serde(other)]
    Unknown,
}

impl Status {
    /// Whether a turn runs.
    pub fn is_active(&self) -> bool {
        matches!(self, Self::Active { .. })
    }
}

/// What a running turn waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Flag {
    /// Somebody's leave.
    WaitingOnApproval,
    /// Somebody's answer.
    WaitingOnUserInput,
    /// A word that this Drover does not know.
    #[serde(other)]
    Unknown,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// Its identity.
    pub id: String,
    /// How far it is.
    pub status: TurnStatus,
    /// What was said and done in it, as much as was asked for.
    #[serde(default)]
    pub items: Vec<Item>,
    /// What ended it, if an error did.
    #[serde(default)]
    pub error: Option<TurnError>,
    /// When it began, in seconds since 1970.
    #[serde(default)]
    pub started_at: Option<i64>,
    /// When it ended, in seconds since 1970.
    #[serde(default)]
    pub completed_at: Option<i64>,
}

impl Turn {
    /// Whether it is over, however it ended.
    pub fn has_ended(&self) -> bool {
        match self.status {
            TurnStatus::Completed | TurnStatus::Interrupted | TurnStatus::Failed => true,
            TurnStatus::InProgress | TurnStatus::Unknown => false,
        }
    }

    /// What the agent said last in it.
    pub fn last_text(&self) -> Option<&str> {
        self.items.iter().rev().find_map(|it| match it {
            Item::AgentMessage { text } if !text.is_empty() => Some(text.as_str()),
            Item::AgentMessage { .. } | Item::UserMessage { .. } | Item::Other => None,
        })
    }

    /// The prompts that it took, by the names their senders gave them; none for one without a name.
    pub fn prompts(&self) -> impl Iterator<Item = Option<&str>> {
        self.items.iter().filter_map(|it| match it {
            Item::UserMessage { client_id } => Some(client_id.as_deref()),
            Item::AgentMessage { .. } | Item::Other => None,
        })
    }
}

/// How far a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TurnStatus {
    /// It ended by itself.
    Completed,
    /// Somebody stopped it.
    Interrupted,
    /// An error ended it.
    Failed,
    /// It runs.
    InProgress,
    /// A word that this Drover does not know.
    #[serde(other)]
    Unknown,
}

/// Something said or done in a turn.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Item {
    /// A prompt.
    #[serde(rename_all = "camelCase")]
    UserMessage {
        /// The name that its sender gave it.
        #[serde(default)]
        client_id: Option<String>,
    },
    /// An answer.
    AgentMessage {
        /// Its text.
        text: String,
    },
    /// Anything else.
    #[serde(other)]
    Other,
}

/// The error of a turn.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnError {
    /// In words.
    pub message: String,
    /// What kind of error, in the app-server's own form.
    #[serde(default)]
    pub codex_error_info: Option<Value>,
    /// What lies behind it, in words.
    #[serde(default)]
    pub additional_details: Option<String>,
}

impl TurnError {
    /// The word of its kind, as `usageLimitExceeded`.
    pub fn kind(&self) -> Option<&str> {
        match self.codex_error_info.as_ref()? {
            Value::String(word) => Some(word),
            Value::Object(fields) => fields.keys().next().map(String::as_str),
            _ => None,
        }
    }

    /// The status with which the provider answered.
    pub fn http_status(&self) -> Option<u64> {
        let info = self.codex_error_info.as_ref()?.as_object()?;
        info.values().find_map(|it| it.get("httpStatusCode")?.as_u64())
    }

    /// What happened, in words: what lies behind it where the message only counts the tries.
    pub fn text(&self) -> &str {
        self.additional_details.as_deref().unwrap_or(&self.message)
    }
}

/// How much of each turn a list holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum View {
    /// The turns alone.
    NotLoaded,
    /// With the first prompt and the last answer.
    Summary,
    /// With all that was said and done.
    Full,
}

/// Leave that a turn waits for.
#[derive(Debug, Clone, PartialEq)]
pub struct Approval {
    /// The request that an answer names; a connection's own.
    pub(super) request: Value,
    /// The method by which it was asked.
    pub method: String,
    /// The conversation.
    pub thread: String,
    /// The turn.
    pub turn: String,
    /// What is to be done, by the app-server's name for it; the same on every connection.
    pub item: String,
    /// What it asks leave for, in words: the command, or the files.
    pub what: String,
    /// Why it asks, if it said so.
    pub reason: Option<String>,
    /// The words that it takes as an answer, as far as they are plain words.
    pub decisions: Vec<String>,
}

impl Approval {
    /// Reads a request for leave; none if it asks for something else.
    pub(super) fn of(request: &Value, method: &str, params: &Value) -> Option<Self> {
        let text = |name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
        let (thread, turn, item) = (text("threadId")?, text("turnId")?, text("itemId")?);
        let what = match method {
            "item/commandExecution/requestApproval" => text("command"),
            "item/fileChange/requestApproval" => Some(
                text("grantRoot")
                    .map_or_else(|| "change files".to_owned(), |it| format!("write below {it}")),
            ),
            "item/permissions/requestApproval" => Some("more permissions".to_owned()),
            _ => return None,
        };
        let words = params.get("availableDecisions").and_then(Value::as_array);
        let decisions = words.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        Some(Self {
            request: request.clone(),
            method: method.to_owned(),
            thread,
            turn,
            item,
            what: what.unwrap_or_else(|| "a command".to_owned()),
            reason: text("reason"),
            decisions: decisions.collect(),
        })
    }
}
