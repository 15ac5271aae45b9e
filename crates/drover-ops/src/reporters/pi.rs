//! What pi says of itself over its control socket, as a reading.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use drover_core::agent::{Presence, Reading, Source};
use drover_host::control::pi::{Dialog, Last, PiError, PiSocket, State, Status};
use drover_host::control::{ControlError, extension};
use drover_store::agents::Agent;
use jiff::Timestamp;

use super::report::{Conversation, Report, Turn};
use crate::engines;

/// How long pi may take to say what it does.
pub(crate) const LIMIT: Duration = Duration::from_secs(1);

/// How long pi may take from its launch until it serves its socket.
const START: Duration = Duration::from_secs(30);

/// How much of a text is evidence.
const EXCERPT: usize = 200;

/// The question to one pi: plain data.
#[derive(Debug)]
pub(super) struct Question {
    socket: PathBuf,
    agent: String,
    is_young: bool,
}

impl Question {
    pub(super) fn new(state: &std::path::Path, agent: &Agent, now: Timestamp) -> Self {
        let socket = engines::pi_socket(state, agent);
        Self { socket, agent: agent.uid.clone(), is_young: is_young(agent, now) }
    }

    pub(super) fn answer(&self) -> Report {
        let asked = PiSocket::at(&self.socket).status(LIMIT);
        match asked {
            Ok(status) if status.agent.as_deref() == Some(&self.agent) => report(&status),
            Ok(status) => {
                let whose = status.agent.as_deref().unwrap_or("no agent of ours");
                let reason = format!("the socket is served by {whose}, not by this agent");
                quiet(Presence::Unknown, "its control socket is another's", reason)
            }
            Err(PiError::Channel(err)) if err.is_absent() && self.is_young => {
                quiet(Presence::Starting, "its control socket is not served yet", err.to_string())
            }
            Err(err) => quiet(Presence::Unknown, "its control socket", silence(&err)),
        }
    }
}

/// Whether an agent was launched so short a time ago that it may not serve its socket yet.
pub(crate) fn is_young(agent: &Agent, now: Timestamp) -> bool {
    // One that somebody else has started serves it now, or never.
    let since = agent.lifecycle_at.parse::<Timestamp>().ok().filter(|_| !agent.is_adopted);
    since.is_some_and(|it| it.saturating_add(START).is_ok_and(|it| now < it))
}

/// Why a socket said nothing, with what to do about it.
pub(crate) fn silence(err: &PiError) -> String {
    match err {
        PiError::Channel(ControlError::Missing { .. } | ControlError::Stale { .. }) => {
            format!("{err}: pi is older than 1.6, runs without our extension, or has not come up")
        }
        other => other.to_string(),
    }
}

fn quiet(state: Presence, evidence: &str, reason: String) -> Report {
    let reading = Reading {
        source: Source::Control,
        state,
        since: None,
        evidence: evidence.to_owned(),
        reason: Some(reason),
        expires: None,
    };
    Report { readings: vec![reading], turn: None, conversation: None }
}

fn report(status: &Status) -> Report {
    let (state, mut evidence, reason) = meaning(status);
    if status.extension != extension::VERSION {
        let (theirs, ours) = (status.extension, extension::VERSION);
        // Writing to a string cannot fail.
        let _ =
            write!(evidence, "; its extension is version {theirs}, and ours {ours}: restart it");
    }
    let reading = Reading {
        source: Source::Control,
        state,
        since: status.since,
        evidence,
        reason,
        expires: None,
    };
    let last = status.last.as_ref();
    let turn = Turn {
        number: status.turns,
        last_text: last.and_then(|it| it.text.clone()),
        last_error: last.and_then(|it| it.error.clone()),
    };
    let conversation = status.session.clone().map(|id| Conversation {
        id,
        file: status.file.clone(),
        process: status.pid,
    });
    Report { readings: vec![reading], turn: Some(turn), conversation }
}

/// What pi's word means: the state, what was said, and why.
fn meaning(status: &Status) -> (Presence, String, Option<String>) {
    let title = status.dialog.as_ref().map(|it| excerpt(&it.title)).unwrap_or_default();
    match status.state {
        State::Starting => (Presence::Starting, "pi has no session yet".to_owned(), None),
        State::Trust => (Presence::NeedsInput, title, Some("trust".to_owned())),
        State::Dialog if asks_leave(status.dialog.as_ref()) => {
            (Presence::NeedsPermission, title, None)
        }
        State::Dialog => (Presence::NeedsInput, title, Some("question".to_owned())),
        State::Busy => match &status.failing {
            Some(error) => (Presence::Working, excerpt(error), Some("retrying".to_owned())),
            None => (Presence::Working, "a turn is running".to_owned(), None),
        },
        State::Idle => at_rest(status.last.as_ref()),
    }
}

/// A pi that waits for a text: whether it can go on depends on how its last turn ended.
fn at_rest(last: Option<&Last>) -> (Presence, String, Option<String>) {
    let error = last.filter(|it| !it.is_aborted).and_then(|it| it.error.as_deref());
    let Some(error) = error else {
        return (Presence::Idle, "no turn is running".to_owned(), None);
    };
    let said = excerpt(error);
    match Failure::of(error) {
        Failure::Login => (Presence::NeedsInput, said, Some("login".to_owned())),
        Failure::Limit => (Presence::Limited, said, Some("limit".to_owned())),
        Failure::Other => (Presence::Idle, said, Some("failed".to_owned())),
    }
}

/// Why a provider did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    Login,
    Limit,
    Other,
}

impl Failure {
    /// What the error says; it begins with the provider's status wherever there was one.
    fn of(error: &str) -> Self {
        let lower = error.to_lowercase();
        let begins = |codes: &[&str]| codes.iter().any(|it| lower.starts_with(it));
        let holds = |words: &[&str]| words.iter().any(|it| lower.contains(it));
        if begins(&["401", "403"])
            || holds(&["unauthorized", "api key", "authentication", "/login", "not logged in"])
        {
            return Self::Login;
        }
        if begins(&["429", "529", "402"])
            || holds(&["rate limit", "rate_limit", "usage limit", "quota", "overloaded"])
        {
            return Self::Limit;
        }
        Self::Other
    }
}

/// Whether a dialog asks for leave to do something, and not for an answer.
fn asks_leave(dialog: Option<&Dialog>) -> bool {
    const WORDS: [&str; 6] = ["allow", "approve", "permit", "permission", "proceed", "run "];
    let Some(dialog) = dialog else { return false };
    let title = dialog.title.to_lowercase();
    match dialog.kind.as_str() {
        "confirm" => true,
        "select" => WORDS.iter().any(|it| title.contains(it)),
        _ => false,
    }
}

fn excerpt(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(EXCERPT) {
        line.truncate(end);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(state: State) -> Status {
        Status {
            agent: Some("a".to_owned()),
            pid: 1,
            instance: "i".to_owned(),
            extension: extension::VERSION,
            state,
            since: None,
            turns: 2,
            dialog: None,
            failing: None,
            model: None,
            session: Some("s".to_owned()),
            file: None,
            last: None,
        }
    }

    #[track_caller]
    fn check(status: &Status, state: Presence, reason: Option<&str>) {
        let (seen, evidence, why) = meaning(status);
        assert_eq!((seen, why.as_deref()), (state, reason), "{evidence}");
    }

    fn dialog(kind: &str, title: &str) -> Status {
        let dialog = Dialog { kind: kind.to_owned(), title: title.to_owned() };
        Status { dialog: Some(dialog), ..status(State::Dialog) }
    }

    fn failed(error: &str, is_aborted: bool) -> Status {
        let error = Some(error.to_owned());
        let last = Last { turn: 2, text: None, error, is_aborted };
        Status { last: Some(last), ..status(State::Idle) }
    }

    #[test]
    fn a_word_of_pi_becomes_a_state_with_its_reason() {
        check(&status(State::Idle), Presence::Idle, None);
        check(&status(State::Busy), Presence::Working, None);
        check(&status(State::Starting), Presence::Starting, None);
        check(&status(State::Trust), Presence::NeedsInput, Some("trust"));
        let failing = Some("429: slow down".to_owned());
        let retrying = Status { failing, ..status(State::Busy) };
        check(&retrying, Presence::Working, Some("retrying"));
    }

    #[test]
    fn a_dialog_asks_for_leave_or_for_an_answer() {
        check(&dialog("confirm", "Allow?"), Presence::NeedsPermission, None);
        check(&dialog("select", "Dangerous: rm. Allow?"), Presence::NeedsPermission, None);
        check(&dialog("select", "Which colour?"), Presence::NeedsInput, Some("question"));
        check(&dialog("input", "Allow what?"), Presence::NeedsInput, Some("question"));
    }

    #[test]
    fn an_extension_of_another_version_is_named() {
        let old = Status { extension: extension::VERSION - 1, ..status(State::Idle) };
        let reading = report(&old).readings.remove(0);
        assert_eq!(reading.state, Presence::Idle);
        assert!(reading.evidence.contains("its extension is version 0"), "{}", reading.evidence);
    }

    #[test]
    fn a_turn_that_the_provider_refused_is_not_taken_for_done() {
        check(&failed("401: {\"type\":\"x\"}", false), Presence::NeedsInput, Some("login"));
        check(&failed("No API key for fake", false), Presence::NeedsInput, Some("login"));
        check(&failed("429: {}", false), Presence::Limited, Some("limit"));
        check(&failed("usage limit reached", false), Presence::Limited, Some("limit"));
        check(&failed("500: {}", false), Presence::Idle, Some("failed"));
        check(&failed("aborted", true), Presence::Idle, None);
    }
}
