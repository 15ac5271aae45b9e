//! The one form of every answer: success and failure, as JSON and as text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::outcome::exit_code;

/// A command that goes on from here, and why one would.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Next {
    /// What it is for.
    pub(crate) why: String,
    /// The command; it pastes and runs.
    pub(crate) run: String,
}

/// What a verb answers when it did what it was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) outcome: String,
    pub(crate) data: Value,
    pub(crate) card: String,
    pub(crate) next: Vec<Next>,
    /// Only where the world decides the code, as for a wait.
    pub(crate) exit: Option<u8>,
}

impl Report {
    /// An answer with its outcome word and its data.
    pub(crate) fn new(outcome: &str, data: impl Serialize) -> Self {
        let data = serde_json::to_value(data)
            .unwrap_or_else(|err| json!({ "unprintable": err.to_string() }));
        Self {
            outcome: outcome.to_owned(),
            data,
            card: String::new(),
            next: Vec::new(),
            exit: None,
        }
    }

    /// The text for people.
    pub(crate) fn card(mut self, card: impl Into<String>) -> Self {
        self.card = card.into();
        self
    }

    /// A command that goes on from here.
    pub(crate) fn next(mut self, why: impl Into<String>, run: impl Into<String>) -> Self {
        self.next.push(Next { why: why.into(), run: run.into() });
        self
    }

    /// Commands that go on from here.
    pub(crate) fn nexts(mut self, nexts: Vec<Next>) -> Self {
        self.next.extend(nexts);
        self
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> u8 {
        self.exit.unwrap_or_else(|| exit_code(&self.outcome))
    }
}

/// A refusal or failure in the user's words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spoken {
    pub(crate) outcome: &'static str,
    pub(crate) error: String,
    pub(crate) data: Value,
    pub(crate) next: Vec<Next>,
}

impl Spoken {
    /// A refusal with its outcome word and its sentence.
    pub(crate) fn new(outcome: &'static str, error: impl std::fmt::Display) -> Self {
        Self { outcome, error: error.to_string(), data: json!({}), next: Vec::new() }
    }

    /// What a program may want to know of it.
    pub(crate) fn data(mut self, data: Value) -> Self {
        self.data = data;
        self
    }

    /// A command that goes on from here.
    pub(crate) fn next(mut self, why: impl Into<String>, run: impl Into<String>) -> Self {
        self.next.push(Next { why: why.into(), run: run.into() });
        self
    }

    /// Commands that go on from here.
    pub(crate) fn nexts(mut self, nexts: Vec<Next>) -> Self {
        self.next.extend(nexts);
        self
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> u8 {
        exit_code(self.outcome)
    }
}
