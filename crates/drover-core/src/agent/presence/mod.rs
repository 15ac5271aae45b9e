//! What an agent is doing now, decided from everything that was asked, with the rule that decided.

use jiff::Timestamp;

use crate::agent::lifecycle::Lifecycle;
use crate::agent::probe::{Foreground, Probe};
use crate::agent::reap::{self, Reap};
use crate::agent::screen::{Composer, ScreenVerdict};
use crate::word::word_enum;

word_enum! {
    /// What an agent is doing; never stored.
    pub enum Presence("state") {
        /// Its pane or program is being made.
        Starting = "starting",
        /// A turn or a command is running.
        Working = "working",
        /// It waits for work.
        Idle = "idle",
        /// It waits for a person's answer.
        NeedsInput = "needs_input",
        /// It waits for a person's leave.
        NeedsPermission = "needs_permission",
        /// Its provider lets it do nothing for now.
        Limited = "limited",
        /// Its process is gone.
        Exited = "exited",
        /// Nothing that was asked could say; never taken for idle.
        Unknown = "unknown",
    }
}

word_enum! {
    /// Who was asked about an agent, best first.
    pub enum Source("source") {
        /// Its row.
        Row = "row",
        /// A look at its pane and process.
        Pane = "pane",
        /// A socket that the agent serves.
        Control = "control",
        /// A file in which the agent writes its status.
        StatusFile = "status_file",
        /// Hooks that the agent calls.
        Hook = "hook",
        /// The multiplexer's own report of what runs in the pane.
        Multiplexer = "multiplexer",
        /// The process in the foreground of its terminal.
        Foreground = "foreground",
        /// Its screen.
        Screen = "screen",
    }
}

word_enum! {
    /// The rule that decided a state.
    pub enum Rule("rule") {
        /// The row says that its life is over.
        RowIsOver = "row_is_over",
        /// A look proves that it is gone.
        ProvablyGone = "provably_gone",
        /// Nothing has been made for it, or its start has not reached its deadline.
        StillStarting = "still_starting",
        /// Its start has passed its deadline.
        DeadlinePassed = "deadline_passed",
        /// Its server did not answer.
        ServerSilent = "server_silent",
        /// A reporter said so: one inside it, or the multiplexer.
        Reported = "reported",
        /// A reporter said so in general, and the screen says what it is exactly.
        ReportedAndShown = "reported_and_shown",
        /// What runs in the foreground of its terminal decides.
        ForegroundProcess = "foreground_process",
        /// The screen shows it; nothing better could say.
        ScreenRule = "screen_rule",
        /// Nothing could say.
        NothingSays = "nothing_says",
    }
}

/// What one source said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The source.
    pub source: Source,
    /// What it says the agent is doing.
    pub state: Presence,
    /// Since when, if it knows.
    pub since: Option<Timestamp>,
    /// What it was that it said, in words.
    pub evidence: String,
    /// Why the agent is in this state, or why nothing is known.
    pub reason: Option<String>,
    /// When the reading stops counting unless it is made anew; none if the source was asked just
    /// now.
    pub expires: Option<Timestamp>,
}

/// What was asked about an agent besides its reporters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Its row's lifecycle.
    pub lifecycle: Lifecycle,
    /// Since when.
    pub lifecycle_at: Timestamp,
    /// By when a start or restore must be over.
    pub deadline: Option<Timestamp>,
    /// What a look at its binding saw; none if it has not been bound.
    pub probe: Option<Probe>,
    /// What runs in the foreground, for an engine that says so.
    pub foreground: Option<Foreground>,
    /// What its screen shows, for an engine with screen rules.
    pub screen: Option<ScreenVerdict>,
}

/// What an agent is doing, and why we say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// What it is doing.
    pub state: Presence,
    /// Who said it.
    pub source: Source,
    /// Since when, if known.
    pub since: Option<Timestamp>,
    /// What was said.
    pub evidence: String,
    /// Why it is in this state, or why nothing is known.
    pub reason: Option<String>,
    /// When it can go on, for one that is limited and whose provider said so.
    pub until: Option<Timestamp>,
    /// The rule that decided.
    pub rule: Rule,
    /// Everything that was said, the best source first.
    pub asked: Vec<Reading>,
}

/// Decides what an agent is doing at `now` from its row, a look at it and what its reporters said.
pub fn decide(facts: &Facts, readings: &[Reading], now: Timestamp) -> Decided {
    let mut asked = vec![row_reading(facts, now)];
    asked.extend(facts.probe.as_ref().map(|probe| pane_reading(&reap::verdict(probe))));
    asked.extend(readings.iter().cloned());
    asked.extend(facts.foreground.as_ref().map(foreground_reading));
    asked.extend(facts.screen.as_ref().map(screen_reading));
    asked.sort_by_key(|reading| reading.source);
    let (rule, decisive) = deciding(facts, &asked, now);
    Decided {
        state: decisive.state,
        source: decisive.source,
        since: decisive.since,
        until: decisive.expires.filter(|_| decisive.state == Presence::Limited),
        evidence: decisive.evidence,
        reason: decisive.reason,
        rule,
        asked,
    }
}

fn deciding(facts: &Facts, asked: &[Reading], now: Timestamp) -> (Rule, Reading) {
    let row = row_reading(facts, now);
    if row.state == Presence::Exited {
        return (Rule::RowIsOver, row);
    }
    let pane = asked.iter().find(|reading| reading.source == Source::Pane);
    if let Some(pane) = pane.filter(|pane| pane.state == Presence::Exited) {
        return (Rule::ProvablyGone, pane.clone());
    }
    if !facts.lifecycle.is_running() {
        let rule = match row.state {
            Presence::Unknown => Rule::DeadlinePassed,
            _ => Rule::StillStarting,
        };
        return (rule, row);
    }
    if let Some(pane) = pane.filter(|pane| pane.reason.is_some()) {
        return (Rule::ServerSilent, pane.clone());
    }
    let says = |reading: &&Reading| {
        reading.source > Source::Pane
            && reading.state != Presence::Unknown
            && reading.expires.is_none_or(|expires| now < expires)
    };
    // Behind an agent's own socket that is silent, or not there yet, only a dialog counts: the rest of what
    // a screen shows is what it showed last.
    let is_quiet = |it: &&Reading| matches!(it.state, Presence::Unknown | Presence::Starting);
    let control = asked.iter().find(|it| it.source == Source::Control).filter(is_quiet);
    let is_dialog = matches!(facts.screen, Some(ScreenVerdict::Dialog { .. }));
    let decisive = match control {
        Some(control) => asked
            .iter()
            .find(|it| it.source == Source::Screen && is_dialog)
            .or(Some(control).filter(says)),
        None => asked.iter().find(says),
    };
    let Some(reading) = decisive else {
        return (Rule::NothingSays, nothing_says(asked, now));
    };
    match facts.screen.as_ref().and_then(|screen| shown_exactly(reading, screen)) {
        Some(exact) => (Rule::ReportedAndShown, exact),
        None => (rule_of(reading.source), reading.clone()),
    }
}

/// What a status that knows no more than busy, idle or waiting means by what the screen shows.
fn shown_exactly(reading: &Reading, screen: &ScreenVerdict) -> Option<Reading> {
    if !matches!(reading.source, Source::StatusFile | Source::Hook) || reading.reason.is_some() {
        return None;
    }
    let shown = screen_reading(screen);
    let is_dialog = matches!(screen, ScreenVerdict::Dialog { .. });
    let is_named = matches!(screen, ScreenVerdict::Busy { label: Some(label) } if label != TURN);
    let says_more = match reading.state {
        Presence::Working => is_dialog || is_named,
        Presence::Starting | Presence::Idle | Presence::NeedsInput | Presence::NeedsPermission => {
            is_dialog
        }
        Presence::Limited | Presence::Exited | Presence::Unknown => false,
    };
    says_more.then(|| Reading {
        state: shown.state,
        reason: shown.reason,
        evidence: format!("{}; {}", reading.evidence, shown.evidence),
        ..reading.clone()
    })
}

fn rule_of(source: Source) -> Rule {
    match source {
        Source::Control | Source::StatusFile | Source::Hook | Source::Multiplexer => Rule::Reported,
        Source::Foreground => Rule::ForegroundProcess,
        Source::Screen => Rule::ScreenRule,
        Source::Row | Source::Pane => Rule::NothingSays,
    }
}

/// The best source's own reason why it could not say.
fn nothing_says(asked: &[Reading], now: Timestamp) -> Reading {
    let Some(reading) = asked.iter().find(|reading| reading.source > Source::Pane) else {
        let reason = "nothing reports what it is doing";
        return reading(Source::Pane, Presence::Unknown, "its process runs", Some(reason));
    };
    let mut unknown = reading.clone();
    if reading.expires.is_some_and(|expires| expires <= now) {
        unknown.reason = Some(format!("the last word, {}, is too old", reading.state));
    }
    unknown.state = Presence::Unknown;
    unknown.since = None;
    unknown
}

/// The label of a rule that finds a turn which just runs.
const TURN: &str = "turn";

fn reading(source: Source, state: Presence, evidence: &str, reason: Option<&str>) -> Reading {
    Reading {
        source,
        state,
        since: None,
        evidence: evidence.to_owned(),
        reason: reason.map(str::to_owned),
        expires: None,
    }
}

fn row_reading(facts: &Facts, now: Timestamp) -> Reading {
    let lifecycle = facts.lifecycle;
    let late = facts.deadline.is_some_and(|deadline| deadline <= now);
    let (state, reason) = match lifecycle {
        Lifecycle::Exited | Lifecycle::Failed | Lifecycle::Closed => (Presence::Exited, None),
        Lifecycle::Launching | Lifecycle::Restoring if late => {
            (Presence::Unknown, Some("its start has passed its deadline"))
        }
        Lifecycle::Planned | Lifecycle::Launching | Lifecycle::Restoring => {
            (Presence::Starting, None)
        }
        Lifecycle::Running | Lifecycle::Silent | Lifecycle::Nudged => {
            (Presence::Unknown, Some("the row does not say what it is doing"))
        }
    };
    let evidence = format!("lifecycle {lifecycle}");
    Reading { since: Some(facts.lifecycle_at), ..reading(Source::Row, state, &evidence, reason) }
}

fn pane_reading(verdict: &Reap) -> Reading {
    let source = Source::Pane;
    match verdict {
        Reap::Alive => reading(source, Presence::Unknown, "its process runs in its pane", None),
        Reap::Gone { proof, exit, .. } => {
            Reading { since: exit.at, ..reading(source, Presence::Exited, proof, None) }
        }
        Reap::Unknown { reason } => {
            reading(source, Presence::Unknown, "its server did not answer", Some(reason))
        }
    }
}

fn foreground_reading(foreground: &Foreground) -> Reading {
    let source = Source::Foreground;
    match foreground {
        Foreground::OwnShell => {
            reading(source, Presence::Idle, "the pane's own shell is in the foreground", None)
        }
        Foreground::OwnShellBusy => {
            reading(source, Presence::Working, "the pane's own shell is not at its prompt", None)
        }
        Foreground::OwnShellAsks => {
            let evidence = "the pane's own shell asks for a key";
            reading(source, Presence::NeedsInput, evidence, Some("question"))
        }
        Foreground::Other { program } => {
            let evidence = format!("{program} is in the foreground");
            reading(source, Presence::Working, &evidence, None)
        }
        Foreground::Unknown { reason } => {
            reading(source, Presence::Unknown, "the foreground is not known", Some(reason))
        }
    }
}

fn screen_reading(verdict: &ScreenVerdict) -> Reading {
    let source = Source::Screen;
    match verdict {
        ScreenVerdict::Dialog { label, excerpt } => {
            let state = match label.as_deref() {
                None | Some("permission") => Presence::NeedsPermission,
                Some("limit") => Presence::Limited,
                Some(_) => Presence::NeedsInput,
            };
            reading(source, state, excerpt, label.as_deref())
        }
        ScreenVerdict::Busy { label } => {
            let (state, evidence, reason) = match label.as_deref() {
                Some("login") => (Presence::NeedsInput, "its login is refused", Some("login")),
                Some("retry") => (Presence::Working, "it tries again", Some("retrying")),
                Some("limit") => (Presence::Limited, "its usage limit is reached", Some("limit")),
                None | Some(TURN) => (Presence::Working, "a turn is running", None),
                other => (Presence::Working, "a turn is running", other),
            };
            reading(source, state, &format!("the screen shows that {evidence}"), reason)
        }
        ScreenVerdict::Composer(Composer::Empty) => {
            reading(source, Presence::Idle, "the composer is empty", None)
        }
        // A person is writing: work sent now would be glued to their text.
        ScreenVerdict::Composer(Composer::Draft(_)) => {
            reading(source, Presence::NeedsInput, "the composer holds a draft", Some("draft"))
        }
        ScreenVerdict::Nothing => {
            reading(source, Presence::Unknown, "the screen", Some("no screen rule matches"))
        }
    }
}

#[cfg(test)]
mod tests;
