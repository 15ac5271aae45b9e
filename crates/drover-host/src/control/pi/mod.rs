//! The control socket that our extension serves inside pi: one request a connection, each bounded.

mod error;
mod reply;
mod status;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

pub use error::{PROTOCOL, PiError};
pub use status::{Dialog, Last, State, Status};

use super::line;
use reply::Reply;

/// What is added to a limit of the other side's, so that its own word comes first.
const BEYOND: Duration = Duration::from_secs(5);

/// Who serves a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// The agent it was launched as.
    pub agent: Option<String>,
    /// Names this life of the program: a restarted one has another.
    pub instance: String,
    /// The version of our extension in it.
    pub extension: u64,
    /// pi's own version, if it could be found.
    pub pi: Option<String>,
}

/// How a text is to reach pi.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// As a turn of its own, and only while pi is idle.
    Turn,
    /// Into the running turn.
    Steer,
    /// As a turn of its own after the running one was stopped.
    Interrupt,
    /// As the first turn of a new session.
    Fresh,
}

/// A text for pi.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// The text's identity: a repeat is answered and not sent again.
    pub id: &'a str,
    /// The life of the program for which that holds.
    pub instance: &'a str,
    /// The text.
    pub text: &'a str,
}

/// A text that pi took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Whether it waits for its place in the running turn.
    pub is_queued: bool,
    /// The number that the turn which took it will have when it has ended.
    pub turn: i64,
    /// The session it is in.
    pub session: Option<String>,
    /// Whether it had been sent before, and was not sent again.
    pub is_repeat: bool,
}

/// A command of pi's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command<'a> {
    /// A new session.
    New,
    /// Extensions, skills and context files read anew.
    Reload,
    /// The conversation summed up, with these instructions.
    Compact(Option<&'a str>),
}

impl Command<'_> {
    /// The word after the slash.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Reload => "reload",
            Self::Compact(_) => "compact",
        }
    }
}

/// What became of a turn that was to be stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// There was none.
    WasIdle,
    /// It has ended.
    Ended,
    /// It was told to end and has not in time.
    NotYet,
}

/// The socket of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PiSocket {
    path: PathBuf,
}

impl PiSocket {
    /// The socket at a path, which is not looked at yet.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Who serves it.
    pub fn hello(&self, limit: Duration) -> Result<Hello, PiError> {
        let reply = self.ask(json!({"op": "hello"}), limit)?;
        Ok(Hello {
            agent: reply.text("agent"),
            instance: reply.needed_text("instance")?,
            extension: reply.number("extension")?.unsigned_abs(),
            pi: reply.text("pi"),
        })
    }

    /// What pi is doing.
    pub fn status(&self, limit: Duration) -> Result<Status, PiError> {
        Ok(Status::of(&self.ask(json!({"op": "status"}), limit)?)?)
    }

    /// Gives pi a text; returns when pi has it.
    pub fn give(&self, way: Way, text: &Text<'_>, limit: Duration) -> Result<Taken, PiError> {
        let (op, mode) = match way {
            Way::Turn => ("send", "none"),
            Way::Steer => ("send", "steer"),
            Way::Interrupt => ("interrupt", "none"),
            Way::Fresh => ("fresh", "none"),
        };
        let request = json!({
            "op": op, "mode": mode, "message": text.id, "instance": text.instance, "text": text.text,
        });
        self.taken(request, text.id, limit)
    }

    /// What became of a text that was given before, perhaps by a call that is gone.
    pub fn recall(&self, id: &str, limit: Duration) -> Result<Taken, PiError> {
        self.taken(json!({"op": "recall", "message": id}), id, limit)
    }

    fn taken(&self, request: Value, id: &str, limit: Duration) -> Result<Taken, PiError> {
        let reply = self.ask(request, limit)?;
        // An answer about another text proves nothing of this one.
        if reply.text("message").as_deref() != Some(id) {
            return Err(reply.lacks("message").into());
        }
        Ok(Taken {
            is_queued: reply.needed_text("disposition")? == "queued",
            turn: reply.number("turn")?,
            session: reply.text("session"),
            is_repeat: reply.flag("repeated"),
        })
    }

    /// Stops the running turn and waits for its end.
    pub fn abort(&self, limit: Duration) -> Result<Stopped, PiError> {
        let wait = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let request = json!({"op": "abort", "timeout_ms": wait});
        let reply = self.ask(request, limit.saturating_add(BEYOND))?;
        Ok(match (reply.text("was").as_deref(), reply.flag("settled")) {
            (Some("busy"), true) => Stopped::Ended,
            (Some("busy"), false) => Stopped::NotYet,
            _ => Stopped::WasIdle,
        })
    }

    /// Carries a command of pi's out; `force` stops a running turn for it.
    pub fn command(
        &self,
        command: Command<'_>,
        force: bool,
        limit: Duration,
    ) -> Result<Status, PiError> {
        let mut request = json!({"op": "command", "name": command.name(), "force": force});
        if let Command::Compact(Some(instructions)) = command {
            request["instructions"] = instructions.into();
        }
        Ok(Status::of(&self.ask(request, limit)?)?)
    }

    fn ask(&self, mut request: Value, limit: Duration) -> Result<Reply<'_>, PiError> {
        request["v"] = PROTOCOL.into();
        let line = line::exchange(&self.path, &request.to_string(), limit)?;
        Reply::read(&self.path, &line)
    }
}
