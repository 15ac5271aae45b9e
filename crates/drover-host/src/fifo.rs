//! One word from a process that is about to become another: a fifo that its exec closes.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{CWD, Mode, OFlags, mkfifoat};

use crate::poll;

/// What is read at most; a failure is a sentence, not a log.
const LIMIT: usize = 64 * 1024;

/// Why nothing was learnt from a fifo.
#[derive(Debug, thiserror::Error)]
pub enum FifoError {
    /// Nobody wrote or closed it in time.
    #[error("no answer came through {} within {after:?}", path.display())]
    TimedOut {
        /// The fifo.
        path: PathBuf,
        /// The time waited.
        after: Duration,
    },
    /// The process that should have written ended without opening it.
    #[error("the process ended without an answer through {}", path.display())]
    Abandoned {
        /// The fifo.
        path: PathBuf,
    },
    /// The system refused.
    #[error("the fifo {} cannot be used: {source}", path.display())]
    Io {
        /// The fifo.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The reading end; the fifo is removed with it.
#[derive(Debug)]
pub struct Fifo {
    path: PathBuf,
    file: File,
}

impl Fifo {
    /// Makes a private fifo, in place of one left behind, and opens its reading end.
    pub fn create(path: &Path) -> Result<Self, FifoError> {
        let failed = |source| FifoError::Io { path: path.to_owned(), source };
        match std::fs::remove_file(path) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => return Err(failed(err)),
            Ok(()) | Err(_) => {}
        }
        mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR).map_err(|err| failed(err.into()))?;
        drover_core::step::reached("file");
        let file = File::options()
            .read(true)
            .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
            .open(path)
            .map_err(failed)?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Waits until the writer has closed its end: `None` if it said nothing, else what it said.
    ///
    /// `writer` is a descriptor that becomes readable when the writing process has ended.
    pub fn wait(
        &mut self,
        timeout: Duration,
        writer: Option<BorrowedFd<'_>>,
    ) -> Result<Option<String>, FifoError> {
        let deadline = poll::deadline(timeout);
        let mut said = Vec::new();
        loop {
            let (is_ready, has_ended) = {
                let mut fds = vec![PollFd::new(&self.file, PollFlags::IN)];
                fds.extend(writer.map(|it| PollFd::from_borrowed_fd(it, PollFlags::IN)));
                poll::until(&mut fds, deadline).map_err(|err| self.failed(err))?;
                let is_ready = |it: &PollFd<'_>| !it.revents().is_empty();
                (fds.first().is_some_and(is_ready), fds.get(1).is_some_and(is_ready))
            };
            if is_ready {
                if self.read(&mut said)? {
                    drover_core::step::reached("socket");
                    let text = String::from_utf8_lossy(&said).trim().to_owned();
                    return Ok((!said.is_empty()).then_some(text));
                }
            } else if has_ended {
                return Err(FifoError::Abandoned { path: self.path.clone() });
            } else if poll::is_over(deadline) {
                return Err(FifoError::TimedOut { path: self.path.clone(), after: timeout });
            }
        }
    }

    /// Reads what is there; true at the end of the text. Only called when there is something, so
    /// an empty read means that a writer has come and gone.
    fn read(&mut self, said: &mut Vec<u8>) -> Result<bool, FifoError> {
        let mut buffer = [0; 4096];
        loop {
            match self.file.read(&mut buffer) {
                Ok(0) => return Ok(true),
                Ok(count) => {
                    let room = LIMIT.saturating_sub(said.len());
                    said.extend_from_slice(buffer.get(..count.min(room)).unwrap_or_default());
                }
                Err(err) if err.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
                Err(err) => return Err(self.failed(err)),
            }
        }
    }

    fn failed(&self, source: io::Error) -> FifoError {
        FifoError::Io { path: self.path.clone(), source }
    }
}

impl Drop for Fifo {
    fn drop(&mut self) {
        // Left behind, it is replaced by the next one of this name.
        let _ = std::fs::remove_file(&self.path);
        drover_core::step::reached("file");
    }
}

/// The writing end, closed by exec.
#[derive(Debug)]
pub struct FifoWriter {
    file: File,
}

impl FifoWriter {
    /// Opens the writing end; fails at once if nobody reads.
    pub fn open(path: &Path) -> io::Result<Self> {
        // The standard library opens every file close-on-exec.
        let file = File::options()
            .write(true)
            .custom_flags((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed())
            .open(path)?;
        Ok(Self { file })
    }

    /// Says why there will be no exec.
    pub fn say(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        drover_core::step::reached("socket");
        Ok(())
    }

    /// The descriptor, to show that it is closed by exec.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(30);

    fn fifo() -> (tempfile::TempDir, PathBuf, Fifo) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("fifo");
        let fifo = Fifo::create(&path).unwrap();
        (directory, path, fifo)
    }

    #[test]
    fn a_writer_that_closes_in_silence_is_a_clean_end() {
        let (_directory, path, mut fifo) = fifo();
        drop(FifoWriter::open(&path).unwrap());
        assert_eq!(fifo.wait(LONG, None).unwrap(), None);
    }

    #[test]
    fn a_failure_is_read_whole() {
        let (_directory, path, mut fifo) = fifo();
        let mut writer = FifoWriter::open(&path).unwrap();
        writer.say("no such ").unwrap();
        writer.say("program\n").unwrap();
        drop(writer);
        assert_eq!(fifo.wait(LONG, None).unwrap().as_deref(), Some("no such program"));
    }

    #[test]
    fn nobody_is_waited_for_longer_than_the_time_given() {
        let (_directory, _path, mut fifo) = fifo();
        let result = fifo.wait(Duration::from_millis(1), None);
        assert!(matches!(result, Err(FifoError::TimedOut { .. })));
    }

    #[test]
    fn a_writer_that_died_before_it_opened_is_not_waited_for() {
        let (_directory, _path, mut fifo) = fifo();
        let (dead, end) = io::pipe().unwrap();
        drop(end);
        let result = fifo.wait(LONG, Some(dead.as_fd()));
        assert!(matches!(result, Err(FifoError::Abandoned { .. })));
    }

    #[test]
    fn the_writing_end_is_closed_by_exec() {
        let (_directory, path, _fifo) = fifo();
        let writer = FifoWriter::open(&path).unwrap();
        let flags = rustix::io::fcntl_getfd(writer.fd()).unwrap();
        assert!(flags.contains(rustix::io::FdFlags::CLOEXEC));
    }

    #[test]
    fn the_fifo_goes_with_its_reader_and_replaces_a_leftover() {
        let (_directory, path, first) = fifo();
        let second = Fifo::create(&path).unwrap();
        drop((first, second));
        assert!(!path.exists());
    }
}
