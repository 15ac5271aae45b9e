//! Channels that agents serve themselves, and what they write about themselves: where it is, and what is asked and
//! told there, bounded in time.

pub mod claude;
pub mod codex;
mod error;
pub mod extension;
mod line;
pub mod pi;
mod place;

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};

pub use error::ControlError;
pub use place::{make_folder, socket_path};

use crate::poll;

/// Waits until one of these has something to say, or has ended: its position; none when the time is over.
pub fn first_of(fds: &[BorrowedFd<'_>], timeout: Duration) -> io::Result<Option<usize>> {
    let mut fds: Vec<PollFd<'_>> =
        fds.iter().map(|it| PollFd::from_borrowed_fd(*it, PollFlags::IN)).collect();
    poll::until(&mut fds, poll::deadline(timeout))?;
    Ok(fds.iter().position(|it| !it.revents().is_empty()))
}
