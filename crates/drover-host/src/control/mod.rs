//! Sockets that agents serve themselves: what is asked and told there, bounded in time.

pub mod codex;

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};

use crate::poll;

/// Waits until one of these has something to say, or has ended: its position; none when the time is over.
pub fn first_of(fds: &[BorrowedFd<'_>], timeout: Duration) -> io::Result<Option<usize>> {
    let mut fds: Vec<PollFd<'_>> =
        fds.iter().map(|it| PollFd::from_borrowed_fd(*it, PollFlags::IN)).collect();
    poll::until(&mut fds, poll::deadline(timeout))?;
    Ok(fds.iter().position(|it| !it.revents().is_empty()))
}
