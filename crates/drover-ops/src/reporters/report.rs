//! What a reporter says of an agent.

use drover_core::agent::Reading;

/// The last turn of an agent that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Turn {
    /// How many turns have ended since the agent began to count; the number of this one.
    pub number: i64,
    /// What the agent said last in it; none if it said nothing.
    pub last_text: Option<String>,
    /// The error that ended it, if one did.
    pub last_error: Option<String>,
}

/// The conversation that an agent's program is in, by its own word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// As the engine names it.
    pub id: String,
    /// Where the engine keeps it.
    pub file: Option<String>,
    /// The number of the process that said so.
    pub process: u32,
}

/// What an agent's own reporter said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What it is doing; `unknown` with the reason where the reporter did not answer in its time.
    pub readings: Vec<Reading>,
    /// Its last turn, where its engine counts them.
    pub turn: Option<Turn>,
    /// The conversation it is in, where its engine says so.
    pub conversation: Option<Conversation>,
}
