//! Waits for what another process does: the only place of the harness that looks again after a pause.

use std::thread;
use std::time::{Duration, Instant};

const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Returns when the predicate holds; fails the test, naming `what`, when it still does not at the deadline.
#[track_caller]
pub fn wait_until(what: &str, deadline: Duration, mut predicate: impl FnMut() -> bool) {
    wait_for(what, deadline, || predicate().then_some(()));
}

/// Returns the first value that `look` finds; fails the test, naming `what`, when there is none at the deadline.
#[track_caller]
pub fn wait_for<T>(what: &str, deadline: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < deadline, "after {deadline:?} still waiting for: {what}");
        thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
