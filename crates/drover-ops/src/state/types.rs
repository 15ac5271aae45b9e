//! What waits on a person, in the form in which it is told.

/// What kind of thing waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An agent shows a dialog that asks for permission.
    Permission,
    /// An agent asks something.
    Question,
    /// An agent is not logged in to its provider.
    Login,
    /// An agent has reached a limit.
    Limit,
    /// An agent is dead.
    Dead,
    /// An agent holds a task and does nothing.
    Stalled,
    /// A command that should prove a task, or a landing, failed.
    Failed,
    /// A task was lost as often as the policy allows.
    Attempts,
    /// A command from outside waits for trust.
    Trust,
    /// An agent's workspace cannot take a task.
    Workspace,
    /// The agents have used more than the policy allows.
    Budget,
    /// Work is closed and not on the trunk.
    Unlanded,
    /// A message was not delivered.
    Undelivered,
    /// A proposed task waits to be admitted.
    Triage,
}

impl Kind {
    /// Every kind, the most urgent first.
    pub const ALL: &'static [Self] = &[
        Self::Permission,
        Self::Question,
        Self::Login,
        Self::Limit,
        Self::Dead,
        Self::Stalled,
        Self::Failed,
        Self::Attempts,
        Self::Trust,
        Self::Workspace,
        Self::Budget,
        Self::Unlanded,
        Self::Undelivered,
        Self::Triage,
    ];

    /// The stable word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Permission => "permission",
            Self::Question => "question",
            Self::Login => "login",
            Self::Limit => "limit",
            Self::Dead => "dead",
            Self::Stalled => "stalled",
            Self::Failed => "failed",
            Self::Attempts => "attempts_spent",
            Self::Trust => "trust",
            Self::Workspace => "workspace",
            Self::Budget => "budget",
            Self::Unlanded => "unlanded",
            Self::Undelivered => "undelivered",
            Self::Triage => "triage",
        }
    }
}

/// A command that goes on from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What it is for.
    pub why: String,
    /// The command.
    pub run: String,
}

/// One thing that waits on a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// What kind of thing.
    pub kind: Kind,
    /// Which agent or task it is about.
    pub about: String,
    /// What it is, in a sentence.
    pub what: String,
    /// Since when, RFC 3339.
    pub since: Option<String>,
    /// What answers it, best first.
    pub next: Vec<Step>,
}

pub(super) fn step(why: &str, run: String) -> Step {
    Step { why: why.to_owned(), run }
}
