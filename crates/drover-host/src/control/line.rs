//! One request and one answer over a unix socket, each a line, the whole within one limit.

use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use drover_core::step;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use super::error::ControlError;
use crate::poll;

/// The longest answer: two texts of 64 KiB, in which every sign may take six bytes, and some room.
const MOST_BYTES: usize = 4 << 20;

/// The pause between two tries to get into the queue of a listener that is full.
const PAUSE: Duration = Duration::from_millis(5);

/// Sends a line and returns the line that comes back.
pub(super) fn exchange(path: &Path, line: &str, limit: Duration) -> Result<String, ControlError> {
    let deadline = Instant::now().checked_add(limit);
    let mut exchange = Exchange { path, limit, deadline };
    let mut stream = exchange.connect()?;
    exchange.write(&mut stream, line)?;
    step::reached("socket");
    exchange.read(&mut stream)
}

struct Exchange<'a> {
    path: &'a Path,
    limit: Duration,
    deadline: Option<Instant>,
}

impl Exchange<'_> {
    fn connect(&self) -> Result<UnixStream, ControlError> {
        let path = || self.path.to_owned();
        let unsent = |err: Errno| ControlError::Unsent { path: path(), source: err.into() };
        let address = SocketAddrUnix::new(self.path.as_os_str().as_bytes())
            .map_err(|_| ControlError::PathTooLong { path: path() })?;
        // Without waiting: a listener that is hung, its queue full, would hold us for ever.
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None);
        let socket = socket.map_err(unsent)?;
        loop {
            match connect(&socket, &address) {
                Ok(()) => break,
                Err(Errno::INTR) => {}
                // A full queue is no event that could be waited for.
                Err(Errno::AGAIN) if self.left().is_some() => {
                    poll::until(&mut [], poll::deadline(PAUSE)).map_err(|it| self.unsent(it))?;
                }
                Err(Errno::AGAIN) => return Err(self.deaf()),
                Err(Errno::NOENT) => return Err(ControlError::Missing { path: path() }),
                Err(Errno::CONNREFUSED) => return Err(ControlError::Stale { path: path() }),
                Err(err) => return Err(unsent(err)),
            }
        }
        let stream = UnixStream::from(socket);
        stream.set_nonblocking(false).map_err(|source| self.unsent(source))?;
        Ok(stream)
    }

    fn write(&mut self, stream: &mut UnixStream, line: &str) -> Result<(), ControlError> {
        // Without its newline a line is nothing: one that was sent in part is never acted upon.
        let mut rest = [line.as_bytes(), b"\n"].concat();
        while !rest.is_empty() {
            let Some(left) = self.left() else { return Err(self.deaf()) };
            stream.set_write_timeout(Some(left)).map_err(|source| self.unsent(source))?;
            match stream.write(&rest) {
                Ok(written) => drop(rest.drain(..written)),
                Err(err) if is_late(&err) => {}
                Err(source) => return Err(self.unsent(source)),
            }
        }
        Ok(())
    }

    fn read(&mut self, stream: &mut UnixStream) -> Result<String, ControlError> {
        let path = || self.path.to_owned();
        let mut line = Vec::new();
        let mut buffer = vec![0; 64 << 10];
        loop {
            let silent = || ControlError::Silent { path: path(), limit: self.limit };
            let left = self.left().ok_or_else(silent)?;
            let cut = || ControlError::Cut { path: path(), bytes: line.len() };
            let read =
                match stream.set_read_timeout(Some(left)).and_then(|()| stream.read(&mut buffer)) {
                    Ok(0) => return Err(cut()),
                    Ok(read) => buffer.get(..read).unwrap_or_default(),
                    Err(err) if is_late(&err) => continue,
                    Err(_) => return Err(cut()),
                };
            if let Some(end) = read.iter().position(|it| *it == b'\n') {
                line.extend_from_slice(read.get(..end).unwrap_or_default());
                let text = String::from_utf8(line);
                let what = "a line that is not UTF-8".to_owned();
                return text.map_err(|_| ControlError::Garbage { path: path(), what });
            }
            line.extend_from_slice(read);
            if line.len() > MOST_BYTES {
                let what = format!("a line of more than {MOST_BYTES} bytes");
                return Err(ControlError::Garbage { path: path(), what });
            }
        }
    }

    /// The time that is left; none when it is over.
    fn left(&self) -> Option<Duration> {
        let Some(deadline) = self.deadline else { return Some(self.limit) };
        Some(deadline.saturating_duration_since(Instant::now())).filter(|it| !it.is_zero())
    }

    fn deaf(&self) -> ControlError {
        ControlError::Deaf { path: self.path.to_owned(), limit: self.limit }
    }

    fn unsent(&self, source: io::Error) -> ControlError {
        ControlError::Unsent { path: self.path.to_owned(), source }
    }
}

fn is_late(err: &io::Error) -> bool {
    matches!(
        err.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}
