//! The guard of some agents against pastes without brackets: Enter right after fast text is a line feed.

use std::time::{Duration, Instant};

/// Characters that come closer together than this were not typed by hand.
const FAST: Duration = Duration::from_millis(8);
const FEWEST: usize = 3;

/// Follows the pace of typing.
#[derive(Debug)]
pub(crate) struct Burst {
    window: Option<Duration>,
    run: usize,
    last: Option<Instant>,
}

impl Burst {
    /// Guards for so long after a burst; without a window, never.
    pub(crate) fn new(window: Option<Duration>) -> Self {
        Self { window, run: 0, last: None }
    }

    /// Notes that so many bytes came at `now`.
    pub(crate) fn typed(&mut self, count: usize, now: Instant) {
        let goes_on = self.last.is_some_and(|last| now.duration_since(last) < FAST);
        self.run = if goes_on { self.run + count } else { count };
        self.last = Some(now);
    }

    /// Whether Enter at `now` counts as part of a burst; it then prolongs it.
    pub(crate) fn takes_enter(&mut self, now: Instant) -> bool {
        let (Some(window), Some(last)) = (self.window, self.last) else { return false };
        let takes = self.run >= FEWEST && now.duration_since(last) < window;
        if takes {
            self.last = Some(now);
        }
        takes
    }
}
