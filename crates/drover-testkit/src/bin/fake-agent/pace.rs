//! The rate at which the terminal is read: all there is, or so many bytes a second.

use std::time::{Duration, Instant};

use crate::terminal::Terminal;

/// A slow reader takes its share this often.
const SHARE: Duration = Duration::from_millis(50);

/// The reader's pace.
#[derive(Debug)]
pub(crate) struct Pace {
    bytes_per_second: Option<u64>,
    next: Instant,
}

impl Pace {
    /// Reads at this rate, or as fast as it can.
    pub(crate) fn new(bytes_per_second: Option<u64>) -> Self {
        Self { bytes_per_second, next: Instant::now() }
    }

    /// Reads what comes within the time; `None` when nothing did or none is allowed yet, empty at the end.
    pub(crate) fn read<'buffer>(
        &mut self,
        terminal: &mut Terminal,
        buffer: &'buffer mut [u8],
        within: Duration,
    ) -> rustix::io::Result<Option<&'buffer [u8]>> {
        let Some(rate) = self.bytes_per_second else {
            let count = terminal.read(buffer, within)?;
            return Ok(count.and_then(|count| buffer.get(..count)));
        };
        let wait = self.next.saturating_duration_since(Instant::now());
        if !wait.is_zero() {
            std::thread::sleep(wait.min(within));
            return Ok(None);
        }
        let share = (rate * 50 / 1_000).max(1);
        let share = usize::try_from(share).unwrap_or(usize::MAX).min(buffer.len());
        let Some(part) = buffer.get_mut(..share) else { return Ok(None) };
        let count = terminal.read(part, within)?;
        // One byte at a time where the rate is lower than one a share.
        let share_time = SHARE.max(Duration::from_millis(1_000 / rate.max(1)));
        self.next = Instant::now() + if count.is_some() { share_time } else { Duration::ZERO };
        Ok(count.and_then(|count| part.get(..count)))
    }
}
