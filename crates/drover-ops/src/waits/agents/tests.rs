//! When the wait for an agent is over, by what looks at it saw.

use drover_core::agent::Source;

use super::*;
use crate::waits::made::{Seen, look, project};

/// Fault D-06.
#[test]
fn a_screen_that_flickers_ends_no_wait() {
    let mut watch = watch();
    let mut before: Vec<Watched> = Vec::new();
    let frames =
        [Working, Presence::Idle, Working, Presence::Idle, Working, Presence::Idle, Presence::Idle];
    let mut states = Vec::new();
    for frame in frames {
        let mut seen = look((frame, None));
        seen.decided.source = Source::Screen;
        before = vec![look::counted(seen, before.first())];
        states.push(watch.stand(None, &before).unwrap().state);
    }
    assert_eq!(states, [Pending, Pending, Pending, Pending, Pending, Pending, Empty]);
}

fn watch() -> Watch {
    Watch { project: project(), uid: "w1".to_owned(), first_turn: None, turn: None, reached: None }
}

/// What each look of a wait makes of its agent, and the turn it knows at the end.
#[track_caller]
fn check(after: Option<i64>, looks: &[Seen], expected: &[AgentState], turn: Option<i64>) {
    let mut watch = watch();
    let mut before: Vec<Watched> = Vec::new();
    let mut states = Vec::new();
    for seen in looks {
        before = vec![look::counted(look(*seen), before.first())];
        states.push(watch.stand(after, &before).unwrap().state);
    }
    assert_eq!(states, expected, "{looks:?}");
    assert_eq!(watch.turn.map(|it| it.number), turn);
}

use AgentState::{Died, Done, Empty, Error, Idle, NeedsPerson, Pending};
use Presence::{Exited, NeedsPermission, Starting, Unknown, Working};

#[test]
fn a_turn_that_ended_before_the_wait_began_counts_at_once() {
    check(Some(2), &[(Presence::Idle, Some((3, "done", "")))], &[Done], Some(3));
    check(Some(2), &[(Working, Some((3, "done", "")))], &[Done], Some(3));
    check(Some(2), &[(Unknown, Some((3, "", "")))], &[Empty], Some(3));
    check(Some(2), &[(Presence::Idle, Some((3, "half", "401")))], &[Error], Some(3));
}

#[test]
fn a_turn_that_is_meant_by_its_number_is_waited_for_also_by_an_idle_agent() {
    check(
        Some(3),
        &[(Presence::Idle, Some((3, "old", ""))), (Working, None), (Working, Some((4, "new", "")))],
        &[Pending, Pending, Done],
        Some(4),
    );
}

#[test]
fn a_plain_wait_for_an_idle_agent_says_so_and_one_for_a_busy_one_says_what_it_said() {
    check(None, &[(Presence::Idle, Some((3, "old", "")))], &[Idle], Some(3));
    check(None, &[(Presence::Idle, None)], &[Idle], None);
    check(
        None,
        &[(Working, Some((3, "old", ""))), (Presence::Idle, Some((4, "new", "")))],
        &[Pending, Done],
        Some(4),
    );
    check(None, &[(Working, None), (Presence::Idle, None)], &[Pending, Empty], None);
    check(None, &[(Starting, None), (Presence::Idle, None)], &[Pending, Idle], None);
    // Its whole turn fell between two looks.
    check(
        None,
        &[(Unknown, Some((3, "old", ""))), (Presence::Idle, Some((4, "new", "")))],
        &[Pending, Done],
        Some(4),
    );
}

#[test]
fn unknown_ends_no_wait_a_need_ends_it_while_it_stands_and_a_death_always() {
    check(None, &[(Unknown, None), (Unknown, None)], &[Pending, Pending], None);
    check(
        Some(0),
        &[(NeedsPermission, None), (Working, None), (Exited, None)],
        &[NeedsPerson, Pending, Died],
        None,
    );
    check(
        None,
        &[
            (Working, Some((1, "said", ""))),
            (Presence::Idle, Some((2, "said", ""))),
            (Exited, None),
        ],
        &[Pending, Done, Died],
        Some(2),
    );
}
