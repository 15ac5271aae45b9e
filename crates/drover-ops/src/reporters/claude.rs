//! What a Claude Code agent says of itself: its status file, and the last word of its hooks.

use drover_core::agent::{Presence, Reading, Source};
use drover_host::control::claude::{self, Status, StatusError};
use drover_host::proc::Identity;
use drover_store::agents::Agent;
use drover_store::reports::{self, Report as Heard};
use jiff::{SignedDuration, Timestamp};

use super::report::{Conversation, Report, Turn};
use crate::agents::identity;
use crate::ctx::Ctx;
use crate::hooks::is_in_turn;

/// So long after its start a program may be without a status file.
const STARTING: SignedDuration = SignedDuration::from_secs(60);
/// The status file follows the end of a turn within this.
const LAG: SignedDuration = SignedDuration::from_secs(2);
/// A hook's word that a turn runs does not count for longer where there is no status file.
const TRUSTED: SignedDuration = SignedDuration::from_mins(30);

/// A Claude Code agent to ask.
#[derive(Debug)]
pub(super) struct Question {
    process: Identity,
    started: Timestamp,
    heard: Option<Box<Heard>>,
    now: Timestamp,
}

impl Question {
    /// What is to be asked about an agent; none for one that is not bound to a process.
    pub(super) fn new(ctx: &Ctx, agent: &Agent) -> Option<Self> {
        let process = identity(&agent.binding.as_ref()?.pane);
        let now = ctx.now();
        let started = agent.lifecycle_at.parse().unwrap_or(now);
        // Before the status file, which then is the later word of the two.
        let heard = reports::of_agent(&ctx.read(), agent.pk).ok().flatten().map(Box::new);
        Some(Self { process, started, heard, now })
    }

    /// Asks.
    pub(super) fn answer(self) -> Report {
        let status = claude::status(&self.process);
        let report = said(&status, self.heard.as_deref(), self.started, self.now);
        let process = self.process.pid;
        let named = status.ok().map(|it| it.session).filter(|it| !it.is_empty());
        let conversation = named.map(|id| Conversation { id, file: None, process });
        Report { conversation, ..report }
    }
}

/// What both say together.
fn said(
    status: &Result<Status, StatusError>,
    heard: Option<&Heard>,
    started: Timestamp,
    now: Timestamp,
) -> Report {
    let turn = heard.map(|it| turn(it, status.as_ref().ok()));
    // What a program said that has ended since is the past.
    let is_over = matches!(status, Err(StatusError::NoProcess { .. }));
    let heard =
        heard.filter(|it| !is_over && it.at.parse::<Timestamp>().is_ok_and(|at| at >= started));
    let by_file = match status {
        Ok(status) => by_file(status, heard, now),
        Err(err) => without_file(err, has_said_nothing(heard), now.duration_since(started)),
    };
    let by_hooks = heard.and_then(|it| by_hooks(it, now));
    Report {
        readings: std::iter::once(by_file).chain(by_hooks).collect(),
        turn,
        conversation: None,
    }
}

fn by_file(status: &Status, heard: Option<&Heard>, now: Timestamp) -> Reading {
    let evidence = match &status.waiting_for {
        _ if status.word.is_empty() => "it has not said yet what it does".to_owned(),
        Some(what) => format!("its status is {}: {what}", status.word),
        None => format!("its status is {}", status.word),
    };
    let says = |state, reason: Option<&str>| Reading {
        source: Source::StatusFile,
        state,
        since: status.since,
        evidence: evidence.clone(),
        reason: reason.map(str::to_owned),
        expires: None,
    };
    match (status.word.as_str(), status.waiting_for.as_deref()) {
        ("idle", _) => match heard.and_then(|it| after_failure(it, now)) {
            Some((state, reason, expires, event)) => Reading {
                evidence: format!("{evidence}, after {event}"),
                expires,
                ..says(state, reason.as_deref())
            },
            None => says(Presence::Idle, None),
        },
        ("", _) => says(Presence::Starting, None),
        ("busy", _) if heard.is_some_and(|it| has_just_ended(it, status, now)) => {
            says(Presence::Unknown, Some("a hook said just now that its turn has ended"))
        }
        ("busy", _) => says(Presence::Working, None),
        ("waiting", Some("input needed")) => says(Presence::NeedsInput, Some("question")),
        (
            "waiting",
            Some("permission prompt" | "sandbox request" | "worker request" | "goal proposal"),
        ) => says(Presence::NeedsPermission, None),
        ("waiting", _) => says(Presence::NeedsInput, None),
        (_, _) => says(Presence::Unknown, Some("its status is a word that is not known")),
    }
}

/// What stands in the way of the next turn, after one that failed for it.
fn after_failure(
    heard: &Heard,
    now: Timestamp,
) -> Option<(Presence, Option<String>, Option<Timestamp>, String)> {
    if heard.event != "StopFailure" {
        return None;
    }
    let state = Presence::parse(&heard.state).ok().filter(|it| *it != Presence::Idle)?;
    let until = heard.until.as_deref().and_then(|it| it.parse().ok());
    if until.is_some_and(|it: Timestamp| it <= now) {
        return None;
    }
    Some((state, heard.reason.clone(), until, heard.event.clone()))
}

/// Whether its hooks told no more than that it started, which is before it takes any input.
fn has_said_nothing(heard: Option<&Heard>) -> bool {
    heard.is_none_or(|it| it.event == "SessionStart")
}

fn has_just_ended(heard: &Heard, status: &Status, now: Timestamp) -> bool {
    let Ok(at) = heard.at.parse::<Timestamp>() else { return false };
    matches!(heard.event.as_str(), "Stop" | "StopFailure")
        && status.since.is_some_and(|since| since < at)
        && now.duration_since(at) < LAG
}

fn without_file(err: &StatusError, is_unheard: bool, age: SignedDuration) -> Reading {
    let is_starting = matches!(err, StatusError::Missing { .. }) && is_unheard && age < STARTING;
    Reading {
        source: Source::StatusFile,
        state: if is_starting { Presence::Starting } else { Presence::Unknown },
        since: None,
        evidence: err.to_string(),
        reason: (!is_starting).then(|| err.to_string()),
        expires: None,
    }
}

fn by_hooks(heard: &Heard, now: Timestamp) -> Option<Reading> {
    let state = Presence::parse(&heard.state).ok()?;
    let at = heard.at.parse::<Timestamp>().ok();
    let until = heard.until.as_deref().and_then(|it| it.parse().ok());
    let expires = match state {
        Presence::Working => at.and_then(|it| it.checked_add(TRUSTED).ok()),
        Presence::Starting
        | Presence::Idle
        | Presence::NeedsInput
        | Presence::NeedsPermission
        | Presence::Limited
        | Presence::Exited
        | Presence::Unknown => until,
    };
    let age = at.map(|it| now.duration_since(it).as_secs()).unwrap_or_default();
    Some(Reading {
        source: Source::Hook,
        state,
        since: heard.since.parse().ok(),
        evidence: format!("its hook {} was called {age} s ago", heard.event),
        reason: heard.reason.clone(),
        expires,
    })
}

/// The last turn that has ended; one that was interrupted ends without a hook.
fn turn(heard: &Heard, status: Option<&Status>) -> Turn {
    let began: Option<Timestamp> = heard.since.parse().ok();
    let has_rested = is_in_turn(heard)
        && status.is_some_and(|it| {
            it.word == "idle" && it.since.zip(began).is_some_and(|(rest, began)| rest > began)
        });
    if has_rested {
        let last_error = Some("it was interrupted".to_owned());
        return Turn { number: heard.turns + 1, last_text: None, last_error };
    }
    Turn {
        number: heard.turns,
        last_text: heard.last_text.clone(),
        last_error: heard.last_error.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    type Said = Result<Status, StatusError>;

    fn written(word: &str, since: i64, waiting_for: Option<&str>) -> Status {
        Status {
            session: "s".to_owned(),
            word: word.to_owned(),
            waiting_for: waiting_for.map(str::to_owned),
            since: Some(at(since)),
        }
    }

    fn missing() -> Said {
        Err(StatusError::Missing { path: PathBuf::from("/x/1.json") })
    }

    fn heard(event: &str, state: &str, second: i64) -> Heard {
        let time = at(second).to_string();
        Heard {
            event: event.to_owned(),
            state: state.to_owned(),
            since: time.clone(),
            at: time,
            turns: 3,
            ..Heard::default()
        }
    }

    fn first(status: &Said, heard: Option<&Heard>) -> (Presence, Option<String>) {
        let report = said(status, heard, at(0), at(110));
        let reading = report.readings.into_iter().next().unwrap();
        (reading.state, reading.reason)
    }

    fn check(status: &Said, heard: Option<&Heard>, state: Presence, reason: Option<&str>) {
        assert_eq!(
            first(status, heard),
            (state, reason.map(str::to_owned)),
            "{status:?} {heard:?}"
        );
    }

    #[test]
    fn the_status_file_says_what_it_does_and_what_it_waits_for() {
        check(&Ok(written("idle", 100, None)), None, Presence::Idle, None);
        check(&Ok(written("busy", 100, None)), None, Presence::Working, None);
        check(
            &Ok(written("waiting", 100, Some("permission prompt"))),
            None,
            Presence::NeedsPermission,
            None,
        );
        check(
            &Ok(written("waiting", 100, Some("input needed"))),
            None,
            Presence::NeedsInput,
            Some("question"),
        );
        check(&Ok(written("waiting", 100, Some("dialog open"))), None, Presence::NeedsInput, None);
        assert_eq!(first(&Ok(written("dancing", 100, None)), None).0, Presence::Unknown);
    }

    #[test]
    fn an_interrupt_that_no_hook_told_leaves_nothing_working() {
        let working = heard("UserPromptSubmit", "working", 90);
        let report = said(&Ok(written("idle", 100, None)), Some(&working), at(0), at(110));
        assert_eq!(report.readings.first().unwrap().state, Presence::Idle);
        let turn = report.turn.unwrap();
        assert_eq!((turn.number, turn.last_error.as_deref()), (4, Some("it was interrupted")));
        let report = said(&Ok(written("busy", 80, None)), Some(&working), at(0), at(110));
        assert_eq!(report.turn.unwrap().number, 3);
    }

    #[test]
    fn the_end_of_a_turn_counts_before_the_file_says_so_and_not_for_long() {
        let check = |second, state| {
            let stopped = heard("Stop", "idle", second);
            assert_eq!(first(&Ok(written("busy", 100, None)), Some(&stopped)).0, state, "{second}");
        };
        check(109, Presence::Unknown);
        check(105, Presence::Working);
        check(99, Presence::Working);
    }

    /// Faults D-08, H-09.
    #[test]
    fn idle_after_a_turn_that_failed_says_what_stands_in_the_way() {
        let mut failed = heard("StopFailure", "needs_input", 90);
        failed.reason = Some("login".to_owned());
        check(&Ok(written("idle", 91, None)), Some(&failed), Presence::NeedsInput, Some("login"));
        let mut limited = heard("StopFailure", "limited", 90);
        limited.until = Some(at(111).to_string());
        check(&Ok(written("idle", 91, None)), Some(&limited), Presence::Limited, None);
        limited.until = Some(at(110).to_string());
        check(&Ok(written("idle", 91, None)), Some(&limited), Presence::Idle, None);
    }

    #[test]
    fn what_the_program_before_it_said_is_not_said_of_this_one() {
        let earlier = heard("Stop", "idle", 90);
        let report = said(&missing(), Some(&earlier), at(100), at(110));
        let states: Vec<Presence> = report.readings.iter().map(|it| it.state).collect();
        assert_eq!(states, [Presence::Starting]);
        assert_eq!(report.turn.unwrap().number, 3);
        let gone = Err(StatusError::NoProcess { pid: 1 });
        assert_eq!(said(&gone, Some(&earlier), at(0), at(110)).readings.len(), 1);
    }

    #[test]
    fn without_a_file_a_young_program_is_starting_and_an_old_one_is_not_known() {
        assert_eq!(said(&missing(), None, at(100), at(110)).readings.len(), 1);
        let young = said(&missing(), None, at(100), at(110)).readings.remove(0);
        assert_eq!(young.state, Presence::Starting);
        assert_eq!(first(&missing(), None).0, Presence::Unknown);
        let readings = said(&missing(), Some(&heard("Stop", "idle", 90)), at(40), at(110)).readings;
        let states: Vec<Presence> = readings.iter().map(|it| it.state).collect();
        assert_eq!(states, [Presence::Unknown, Presence::Idle]);
    }
}
