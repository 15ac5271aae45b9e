//! What a Codex does, as its own app-server says.

use std::path::PathBuf;
use std::time::Duration;

use drover_core::agent::{Presence, Reading, Source};
use drover_host::control::codex::{
    Client, CodexError, Flag, Status, Thread, Turn as CodexTurn, TurnError, View,
};
use drover_store::agents::Agent;
use drover_store::reports;
use jiff::{SignedDuration, Timestamp};

use super::report::{Report, Turn};
use crate::ctx::Ctx;
use crate::engines::codex::{self, RETRIES, Shown};

/// How long an app-server has for all that it is asked.
const LIMIT: Duration = Duration::from_secs(1);
/// How long of that it has to say again what it asks leave for.
const APPROVAL_LIMIT: Duration = Duration::from_millis(300);
/// A terminal that has opened no conversation for so long shows something else.
const START_LIMIT: SignedDuration = SignedDuration::from_secs(20);

/// The app-server to ask, and what is known of it besides.
#[derive(Debug)]
pub(super) struct Question {
    socket: PathBuf,
    /// The conversation that was last seen begun or at work.
    shown: Option<String>,
    /// What Codex tries again by itself, as of when, and why.
    retries: Option<(Option<Timestamp>, String)>,
    /// Whether its terminal may not have come so far yet.
    is_young: bool,
}

/// The question for an agent; none for one whose program has no app-server.
pub(super) fn question(ctx: &Ctx, agent: &Agent) -> Option<Question> {
    if !codex::is_served(ctx.state_path(), &agent.uid) {
        return None;
    }
    // What cannot be read is not known; the app-server is asked all the same.
    let report = reports::of_agent(&ctx.read(), agent.pk).ok().flatten();
    let began: Option<Timestamp> = agent.lifecycle_at.parse().ok();
    let retries = report.as_ref().filter(|it| it.event == RETRIES).map(|it| {
        let why = it.last_error.clone().unwrap_or_else(|| "an error".to_owned());
        (it.since.parse().ok(), why)
    });
    Some(Question {
        socket: codex::socket(ctx.state_path(), &agent.uid),
        shown: report.and_then(|it| it.conversation_id).or_else(|| agent.conversation_id.clone()),
        retries,
        is_young: began.is_some_and(|it| ctx.now().duration_since(it) < START_LIMIT),
    })
}

/// Asks it.
pub(super) fn answer(question: &Question) -> Report {
    ask(question).unwrap_or_else(|err| {
        let (state, evidence) = (Presence::Unknown, "its app-server".to_owned());
        only(Reading { reason: Some(err.to_string()), ..reading(state, evidence) })
    })
}

fn ask(question: &Question) -> Result<Report, CodexError> {
    let mut client = Client::connect(&question.socket, LIMIT)?;
    let threads = client.threads()?;
    let thread = match codex::shown(&threads, question.shown.as_deref()) {
        Shown::Conversation(thread) => thread,
        Shown::Nothing => return Ok(only(without_conversation(question))),
        Shown::OneOf(count) => {
            let evidence = format!("its app-server has {count} conversations open");
            let reason = Some("nothing says which of them its terminal shows".to_owned());
            return Ok(only(Reading { reason, ..reading(Presence::Unknown, evidence) }));
        }
    };
    // Counted first: what is said below is then never older than the number beside it.
    let number = client.ended_turns(&thread.id)?;
    let turns = client.turns(&thread.id, 2, View::Summary)?;
    let last = turns.iter().find(|it| it.has_ended());
    let turn = match last {
        None => Turn::default(),
        Some(last) => Turn {
            number,
            last_text: last.last_text().map(str::to_owned),
            last_error: last.error.as_ref().map(|it| it.text().to_owned()),
        },
    };
    let readings = vec![status(&mut client, thread, &turns, question)];
    Ok(Report { readings, turn: Some(turn), conversation: None })
}

fn status(
    client: &mut Client,
    thread: &Thread,
    turns: &[CodexTurn],
    question: &Question,
) -> Reading {
    let latest = turns.first();
    let began = latest.filter(|it| !it.has_ended()).and_then(|it| it.started_at);
    let ended = latest.and_then(|it| it.completed_at);
    match &thread.status {
        Status::Active { active_flags } => {
            let since = began.and_then(|it| Timestamp::from_second(it).ok());
            Reading { since, ..active(client, thread, active_flags, question) }
        }
        Status::Idle | Status::SystemError => {
            let since = ended.and_then(|it| Timestamp::from_second(it).ok());
            let error = latest.and_then(|it| it.error.as_ref());
            Reading { since, ..at_rest(error) }
        }
        Status::NotLoaded | Status::Unknown => {
            let reason = Some("it said so in a word that is not known here".to_owned());
            let evidence = "its app-server said what it does".to_owned();
            Reading { reason, ..reading(Presence::Unknown, evidence) }
        }
    }
}

fn active(client: &mut Client, thread: &Thread, flags: &[Flag], question: &Question) -> Reading {
    if flags.contains(&Flag::WaitingOnApproval) {
        client.allow(APPROVAL_LIMIT);
        // That it asks is known; what for is told where it says so in time.
        let asked = client.approval(&thread.id).ok().flatten();
        let evidence = asked.as_ref().map_or_else(
            || "its turn waits for leave".to_owned(),
            |it| format!("its turn waits for leave: {}", it.what),
        );
        let reason = Some("permission".to_owned());
        return Reading { reason, ..reading(Presence::NeedsPermission, evidence) };
    }
    if flags.contains(&Flag::WaitingOnUserInput) {
        let evidence = "its turn waits for an answer".to_owned();
        let reason = Some("question".to_owned());
        return Reading { reason, ..reading(Presence::NeedsInput, evidence) };
    }
    if let Some((since, why)) = &question.retries {
        let reason = Some("retrying".to_owned());
        return Reading { reason, since: *since, ..reading(Presence::Limited, why.clone()) };
    }
    reading(Presence::Working, "its app-server says that a turn runs".to_owned())
}

/// What an agent does whose turn is over: what ended it may keep it from all that is sent next.
fn at_rest(error: Option<&TurnError>) -> Reading {
    let Some(error) = error else {
        return reading(Presence::Idle, "its app-server says that it is idle".to_owned());
    };
    let evidence = error.text().to_owned();
    let (state, reason) = match (error.kind(), error.http_status()) {
        (Some("unauthorized"), _) | (_, Some(401 | 403)) => (Presence::NeedsInput, "login"),
        (Some("usageLimitExceeded" | "sessionBudgetExceeded"), _) | (_, Some(402)) => {
            (Presence::Limited, "usage limit")
        }
        (Some("rateLimitExceeded" | "serverOverloaded"), _) | (_, Some(429 | 503 | 529)) => {
            (Presence::Limited, "rate limit")
        }
        (_, _) => (Presence::Idle, "its last turn ended in an error"),
    };
    Reading { reason: Some(reason.to_owned()), ..reading(state, evidence) }
}

fn without_conversation(question: &Question) -> Reading {
    let evidence = "its terminal has opened no conversation yet".to_owned();
    if question.is_young {
        return reading(Presence::Starting, evidence);
    }
    let reason = Some("its terminal may wait for a person".to_owned());
    Reading { reason, ..reading(Presence::Unknown, evidence) }
}

fn reading(state: Presence, evidence: String) -> Reading {
    let source = Source::Control;
    Reading { source, state, since: None, evidence, reason: None, expires: None }
}

/// A report of a state alone. Conversations are recorded by what runs beside the app-server.
fn only(reading: Reading) -> Report {
    Report { readings: vec![reading], turn: None, conversation: None }
}
