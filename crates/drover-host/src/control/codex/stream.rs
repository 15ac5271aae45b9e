//! A connection whose every read and write ends by one deadline.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use crate::poll;

/// The pause before a socket whose queue is full is tried again: nothing tells when it has room.
const PAUSE: Duration = Duration::from_millis(5);

/// A stream that gives up at its deadline, however little comes at a time.
#[derive(Debug)]
pub(super) struct Bounded {
    stream: UnixStream,
    pub(super) deadline: Instant,
}

impl Bounded {
    /// Connects by a deadline.
    ///
    /// Codex puts a link at the path it is given and its socket elsewhere; the link's own target is
    /// connected to, so that the path may be longer than the name of a socket.
    pub(super) fn connect(path: &Path, deadline: Instant) -> io::Result<Self> {
        let target = target(path);
        let address = SocketAddrUnix::new(&target)?;
        loop {
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            let socket =
                rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
            match rustix::net::connect(&socket, &address) {
                Ok(()) => {
                    let stream = UnixStream::from(socket);
                    stream.set_nonblocking(false)?;
                    return Ok(Self { stream, deadline });
                }
                // Its queue of connections is full: it lives and takes nobody in.
                Err(Errno::AGAIN | Errno::INTR) if Instant::now() < deadline => {
                    poll::until(&mut [], poll::deadline(PAUSE))?;
                }
                Err(err) => return Err(err.into()),
            }
        }
    }

    fn left(&self) -> io::Result<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(left) }
    }
}

fn target(path: &Path) -> PathBuf {
    let Ok(target) = std::fs::read_link(path) else { return path.to_owned() };
    path.parent().map_or(target.clone(), |it| it.join(&target))
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        self.stream.read(buffer)
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl AsFd for Bounded {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
