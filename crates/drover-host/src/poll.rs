//! Waiting on file descriptors up to a deadline, whatever signals arrive meanwhile.

use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, Timespec, poll};
use rustix::io::Errno;

/// Waits until one descriptor is ready, or the deadline passes (`Ok(0)`).
///
/// A signal during the wait also returns `Ok(0)`, with time left: callers loop anyway, and some
/// must look at a flag the signal has set.
pub(crate) fn until(fds: &mut [PollFd<'_>], deadline: Option<Instant>) -> io::Result<usize> {
    let timeout = deadline.map(|it| timespec(it.saturating_duration_since(Instant::now())));
    match poll(fds, timeout.as_ref()) {
        Ok(ready) => Ok(ready),
        Err(Errno::INTR) => Ok(0),
        Err(err) => Err(err.into()),
    }
}

/// A deadline so far away that it never comes, if the sum overflows.
pub(crate) fn deadline(timeout: Duration) -> Option<Instant> {
    Instant::now().checked_add(timeout)
}

/// Whether a deadline has passed.
pub(crate) fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|it| it <= Instant::now())
}

fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::from(i32::MAX)),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}
