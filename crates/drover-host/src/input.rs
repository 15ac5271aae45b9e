//! What a program that calls us writes to our input, in bounded time and size.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use crate::poll;

/// How long a caller that has begun may take for the next piece.
const NEXT_PIECE: Duration = Duration::from_secs(2);

/// Reads the standard input to its end; none if it is a terminal, holds more than `most` bytes, or
/// does not begin for `patience`.
pub fn read(most: usize, patience: Duration) -> Option<Vec<u8>> {
    let stdin = io::stdin();
    if rustix::termios::isatty(&stdin) {
        return None;
    }
    read_from(stdin.as_fd(), most, patience)
}

fn read_from(input: BorrowedFd<'_>, most: usize, patience: Duration) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        let patience = if bytes.is_empty() { patience } else { NEXT_PIECE };
        let until = Instant::now() + patience;
        let mut fds = [PollFd::from_borrowed_fd(input, PollFlags::IN)];
        while poll::until(&mut fds, Some(until)).ok()? == 0 {
            if Instant::now() >= until {
                return None;
            }
        }
        match rustix::io::read(input, piece.as_mut_slice()) {
            Ok(0) => return Some(bytes),
            Ok(length) => bytes.extend_from_slice(piece.get(..length)?),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => return None,
        }
        if bytes.len() > most {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn said(text: &[u8], most: usize) -> Option<Vec<u8>> {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(text).unwrap();
        drop(writer);
        read_from(reader.as_fd(), most, Duration::from_secs(5))
    }

    #[test]
    fn all_that_is_written_is_read_unless_it_is_too_much() {
        assert_eq!(said(b"{}", 10).unwrap(), b"{}");
        assert_eq!(said(b"", 10).unwrap(), b"");
        assert_eq!(said(b"01234567890", 10), None);
    }

    #[test]
    fn a_caller_that_writes_nothing_is_not_waited_for() {
        let (reader, writer) = io::pipe().unwrap();
        assert_eq!(read_from(reader.as_fd(), 10, Duration::from_millis(20)), None);
        drop(writer);
    }
}
