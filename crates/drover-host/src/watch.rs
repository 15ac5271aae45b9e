//! Waking on another process's commit: a watch on `<state>/wake`, or a poll where there is none.

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};

use crate::poll;

/// How often to look where nothing wakes us.
const POLL: Duration = Duration::from_millis(10);

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// Something was committed since the last wait, or (when polling) may have been.
    Changed,
    /// The extra descriptor of this position is ready.
    Ready(usize),
    /// Nothing happened in the time given, or a signal came.
    TimedOut,
}

/// A watch on the wake file. Events between two waits are kept for the second.
#[derive(Debug)]
pub struct Wake {
    path: PathBuf,
    inotify: Option<OwnedFd>,
}

impl Wake {
    /// Starts watching, making the file if it is missing.
    ///
    /// A system without a free watch is not an error: waits then end every 10 ms.
    pub fn start(path: &Path) -> io::Result<Self> {
        make(path)?;
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)
            .ok()
            .filter(|it| add(it, path));
        Ok(Self { path: path.to_owned(), inotify })
    }

    /// Watches nothing and polls; for systems, and tests, without a free watch.
    pub fn polling(path: &Path) -> Self {
        Self { path: path.to_owned(), inotify: None }
    }

    /// Whether waits end by a clock, not by an event.
    pub fn is_polling(&self) -> bool {
        self.inotify.is_none()
    }

    /// Waits for a commit, for one of the descriptors, or for the time to pass.
    pub fn wait(&mut self, timeout: Duration, also: &[BorrowedFd<'_>]) -> io::Result<Woken> {
        let timeout = if self.is_polling() { timeout.min(POLL) } else { timeout };
        let mut fds: Vec<PollFd<'_>> =
            also.iter().map(|it| PollFd::from_borrowed_fd(*it, PollFlags::IN)).collect();
        if let Some(inotify) = &self.inotify {
            fds.push(PollFd::new(inotify, PollFlags::IN));
        }
        let ready = poll::until(&mut fds, poll::deadline(timeout))?;
        let first = fds.iter().position(|it| !it.revents().is_empty());
        drop(fds);
        match first {
            Some(position) if position < also.len() => Ok(Woken::Ready(position)),
            Some(_) => {
                self.drain()?;
                Ok(Woken::Changed)
            }
            None if ready == 0 && self.is_polling() => Ok(Woken::Changed),
            None => Ok(Woken::TimedOut),
        }
    }

    /// Takes all events out; a file that was replaced is watched anew, else we poll.
    fn drain(&mut self) -> io::Result<()> {
        let Some(inotify) = &self.inotify else { return Ok(()) };
        let mut is_gone = false;
        let mut buffer = [MaybeUninit::uninit(); 1024];
        let mut events = inotify::Reader::new(inotify, &mut buffer);
        while let Ok(event) = events.next() {
            let gone = ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::IGNORED;
            is_gone |= event.events().intersects(gone);
        }
        if is_gone {
            make(&self.path)?;
            if !add(inotify, &self.path) {
                self.inotify = None;
            }
        }
        Ok(())
    }
}

/// Wakes all who watch this file, as a commit does; for what changes without one.
pub fn touch(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::FileExt as _;
    File::options().write(true).open(path)?.write_at(b"1", 0)?;
    drover_core::step::reached("wake");
    Ok(())
}

fn make(path: &Path) -> io::Result<()> {
    File::options().create(true).append(true).mode(0o600).open(path).map(|_| ())
}

fn add(inotify: &OwnedFd, path: &Path) -> bool {
    let flags =
        WatchFlags::MODIFY | WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF | WatchFlags::ATTRIB;
    inotify::add_watch(inotify, path, flags).is_ok()
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd as _;

    use super::*;

    const LONG: Duration = Duration::from_secs(30);

    fn touch(path: &Path) {
        use std::os::unix::fs::FileExt as _;
        File::options().write(true).open(path).unwrap().write_at(b"1", 0).map(|_| ()).unwrap();
    }

    #[test]
    fn a_write_before_the_wait_is_not_missed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("wake");
        let mut wake = Wake::start(&path).unwrap();
        assert_eq!(wake.wait(Duration::ZERO, &[]).unwrap(), Woken::TimedOut);
        touch(&path);
        assert_eq!(wake.wait(LONG, &[]).unwrap(), Woken::Changed);
        assert_eq!(wake.wait(Duration::ZERO, &[]).unwrap(), Woken::TimedOut);
    }

    #[test]
    fn a_replaced_file_is_watched_anew() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("wake");
        let mut wake = Wake::start(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(wake.wait(LONG, &[]).unwrap(), Woken::Changed);
        while wake.wait(Duration::ZERO, &[]).unwrap() == Woken::Changed {}
        touch(&path);
        assert_eq!(wake.wait(LONG, &[]).unwrap(), Woken::Changed);
        assert!(!wake.is_polling());
    }

    #[test]
    fn another_descriptor_ends_the_wait() {
        let directory = tempfile::tempdir().unwrap();
        let mut wake = Wake::start(&directory.path().join("wake")).unwrap();
        let (reader, writer) = io::pipe().unwrap();
        drop(writer);
        assert_eq!(wake.wait(LONG, &[reader.as_fd()]).unwrap(), Woken::Ready(0));
    }

    #[test]
    fn without_a_watch_every_wait_asks_to_look_again() {
        let mut wake = Wake::polling(Path::new("/nonexistent"));
        assert_eq!(wake.wait(LONG, &[]).unwrap(), Woken::Changed);
    }
}
