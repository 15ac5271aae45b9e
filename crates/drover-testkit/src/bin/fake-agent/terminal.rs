//! The terminal in raw mode, given back as it was.

use std::io::{Stdin, Stdout, Write, stdin, stdout};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{OptionalActions, Termios, Winsize, tcgetattr, tcgetwinsize, tcsetattr};

/// The terminal of this process.
#[derive(Debug)]
pub(crate) struct Terminal {
    input: Stdin,
    output: Stdout,
    before: Termios,
    brackets: bool,
}

impl Terminal {
    /// Takes the terminal over; what was typed before stays to be read.
    pub(crate) fn take_over() -> rustix::io::Result<Self> {
        let before = tcgetattr(stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(stdin(), OptionalActions::Now, &raw)?;
        Ok(Self { input: stdin(), output: stdout(), before, brackets: false })
    }

    /// Asks for bracketed paste, or no longer does.
    pub(crate) fn set_brackets(&mut self, wanted: bool) -> std::io::Result<()> {
        if self.brackets == wanted {
            return Ok(());
        }
        self.brackets = wanted;
        self.write(if wanted { "\x1b[?2004h" } else { "\x1b[?2004l" })
    }

    /// Its size.
    pub(crate) fn size(&self) -> rustix::io::Result<Winsize> {
        tcgetwinsize(&self.input)
    }

    /// Writes at once.
    pub(crate) fn write(&mut self, text: &str) -> std::io::Result<()> {
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }

    /// Reads what there is within the time, at most as much as the buffer holds; `None` when nothing came.
    pub(crate) fn read(
        &mut self,
        buffer: &mut [u8],
        within: Duration,
    ) -> rustix::io::Result<Option<usize>> {
        if self.has_input(within)? {
            Ok(Some(rustix::io::read(&self.input, buffer)?))
        } else {
            Ok(None)
        }
    }

    /// Whether something can be read within the time.
    pub(crate) fn has_input(&self, within: Duration) -> rustix::io::Result<bool> {
        let timeout = Timespec::try_from(within).map_err(|_| Errno::INVAL)?;
        match poll(&mut [PollFd::new(&self.input, PollFlags::IN)], Some(&timeout)) {
            // A stop and continue, or a new window size: look again later.
            Err(Errno::INTR) => Ok(false),
            other => other.map(|ready| ready > 0),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The terminal may be gone already; there is nobody left to tell.
        let _ = self.set_brackets(false);
        let _ = self.write("\r\n");
        let _ = tcsetattr(&self.input, OptionalActions::Now, &self.before);
    }
}
