//! What pi is doing, as the extension says it.

use jiff::Timestamp;

use super::reply::Reply;
use crate::control::error::ControlError;

/// What pi is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It has no session yet, or is changing it.
    Starting,
    /// It asks whether to trust the directory.
    Trust,
    /// It asks something else.
    Dialog,
    /// A turn, a retry or a compaction is under way.
    Busy,
    /// It waits for a text.
    Idle,
}

impl State {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "starting" => Self::Starting,
            "trust" => Self::Trust,
            "dialog" => Self::Dialog,
            "busy" => Self::Busy,
            "idle" => Self::Idle,
            _ => return None,
        })
    }
}

/// What stands open in front of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// `confirm`, `select`, `input`, `editor`, `custom` or `trust`.
    pub kind: String,
    /// Its title.
    pub title: String,
}

/// The turn that ended last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Last {
    /// Its number.
    pub turn: i64,
    /// What was said last in it.
    pub text: Option<String>,
    /// The error that ended it.
    pub error: Option<String>,
    /// Whether it was stopped.
    pub is_aborted: bool,
}

/// An answer to `status`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// The agent it was launched as.
    pub agent: Option<String>,
    /// pi's process.
    pub pid: u32,
    /// Names this life of the program.
    pub instance: String,
    /// The version of our extension in it.
    pub extension: u64,
    /// What pi is doing.
    pub state: State,
    /// Since when.
    pub since: Option<Timestamp>,
    /// How many turns have ended in this life of the program.
    pub turns: i64,
    /// What stands open.
    pub dialog: Option<Dialog>,
    /// The error after which it is trying once more.
    pub failing: Option<String>,
    /// The model, as `provider/id`.
    pub model: Option<String>,
    /// The session it is in.
    pub session: Option<String>,
    /// The file of that session, which need not exist before its first message.
    pub file: Option<String>,
    /// The turn that ended last.
    pub last: Option<Last>,
}

impl Status {
    pub(super) fn of(reply: &Reply<'_>) -> Result<Self, ControlError> {
        let word = reply.needed_text("state")?;
        let dialog = reply.part("dialog").map(|it| Dialog {
            kind: it.text("kind").unwrap_or_default(),
            title: it.text("title").unwrap_or_default(),
        });
        let last = reply.part("last").map(|it| last_of(&it)).transpose()?;
        Ok(Self {
            agent: reply.text("agent"),
            pid: u32::try_from(reply.number("pid")?).map_err(|_| reply.lacks("pid"))?,
            instance: reply.needed_text("instance")?,
            extension: reply.number("extension")?.unsigned_abs(),
            state: State::parse(&word).ok_or_else(|| reply.lacks("state"))?,
            since: Timestamp::from_millisecond(reply.number("since")?).ok(),
            turns: reply.number("turns")?,
            dialog,
            failing: reply.part("failing").and_then(|it| it.text("error")),
            model: reply.text("model"),
            session: reply.text("session"),
            file: reply.text("file"),
            last,
        })
    }
}

fn last_of(part: &Reply<'_>) -> Result<Last, ControlError> {
    Ok(Last {
        turn: part.number("turn")?,
        text: part.text("text"),
        error: part.text("error"),
        is_aborted: part.flag("aborted"),
    })
}
