//! When the holder of a task stands still: what is seen of it, never a guess at the cause.

use std::time::Duration;

use drover_core::agent::{Presence, Source};
use drover_core::duration::Limit;
use jiff::Timestamp;

use super::look::{self, Watched};
use crate::agents::Observed;
use crate::words;

/// How long an agent that reports its own turns may be idle with a task.
const REPORTED: Duration = Duration::from_secs(5);
/// How long one may that is only seen from outside, where a turn can hide.
const SEEN: Duration = Duration::from_mins(2);

/// How long the holder of a task may do nothing.
pub(super) fn patience(asked: Option<Limit>, source: Source) -> Limit {
    asked.unwrap_or(match source {
        Source::Control | Source::StatusFile | Source::Hook => Limit::For(REPORTED),
        Source::Row | Source::Pane | Source::Multiplexer | Source::Foreground | Source::Screen => {
            Limit::For(SEEN)
        }
    })
}

/// What holds a task up whose agent needs a person, or has been idle since a time that is too long ago.
///
/// `unknown` is no evidence of anything.
pub(super) fn reason(
    holder: &Watched,
    asked: Option<Limit>,
    idle_since: Timestamp,
    now: Timestamp,
) -> Option<String> {
    let (state, seen) = (holder.state(), &holder.seen);
    if look::needs_person(state) {
        return Some(format!("{} {state}: {}", seen.agent.name, seen.need()));
    }
    let limit = patience(asked, seen.decided.source).deadline(idle_since);
    (state == Presence::Idle && limit.is_some_and(|it| now >= it))
        .then(|| idle(seen, idle_since, now))
}

fn idle(seen: &Observed, since: Timestamp, now: Timestamp) -> String {
    let name = &seen.agent.name;
    let seconds = now.duration_since(since).as_secs().max(0);
    let said = match &seen.turn {
        Some(turn) => match (&turn.last_error, &turn.last_text) {
            (Some(error), _) => {
                format!("; turn {} ended by an error: {}", turn.number, words::ending(error))
            }
            (None, Some(text)) => {
                format!("; it said last, in turn {}: {}", turn.number, words::ending(text))
            }
            (None, None) => String::new(),
        },
        None => String::new(),
    };
    format!("{name} holds it and has been idle for {seconds}s{said}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::waits::made::{Seen, watched};

    /// What is said after so many seconds of whatever the holder does.
    #[track_caller]
    fn check(seen: Seen, asked: Option<Limit>, seconds: i64, expected: Option<&str>) {
        let since: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let now = since + jiff::SignedDuration::from_secs(seconds);
        let said = reason(&watched(seen), asked, since, now);
        assert_eq!(said.as_deref(), expected, "{seen:?} after {seconds}s");
    }

    const IDLE: Seen = (Presence::Idle, Some((3, "shall I go on?", "")));

    /// Faults D-12, D-13.
    #[test]
    fn an_idle_holder_stands_still_for_as_long_as_it_is_idle_and_its_words_are_told() {
        let told = "w1 holds it and has been idle for 7s; it said last, in turn 3: shall I go on?";
        check(IDLE, None, 4, None);
        check(IDLE, None, 7, Some(told));
        check(IDLE, Some(Limit::For(Duration::from_mins(1))), 59, None);
        check(IDLE, Some(Limit::Never), 100_000, None);
        let failed = "w1 holds it and has been idle for 5s; turn 3 ended by an error: 401";
        check((Presence::Idle, Some((3, "", "401"))), None, 5, Some(failed));
        check((Presence::Idle, None), None, 5, Some("w1 holds it and has been idle for 5s"));
    }

    #[test]
    fn a_need_of_a_person_is_told_at_once_and_no_knowledge_never_counts() {
        check((Presence::NeedsPermission, None), None, 0, Some("w1 needs_permission: "));
        check((Presence::Limited, None), None, 0, Some("w1 limited: "));
        for state in [Presence::Unknown, Presence::Working, Presence::Starting] {
            check((state, None), Some(Limit::AtOnce), 100_000, None);
        }
    }
}
