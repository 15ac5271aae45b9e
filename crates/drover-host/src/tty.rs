//! Terminals: whether there is one, how wide it is, and whether it still waits for whole lines.

use std::io::{self, IsTerminal as _};
use std::path::Path;

use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::ioctl_fionread;
use rustix::termios::{LocalModes, tcgetattr, tcgetwinsize};

/// Whether the terminal gathers whole lines before its reader sees them.
///
/// In that mode the kernel cuts a line at 4,095 bytes.
pub fn is_line_mode(tty: &Path) -> io::Result<bool> {
    Ok(tcgetattr(&looked_at(tty)?)?.local_modes.contains(LocalModes::ICANON))
}

/// How many bytes wait in a terminal for its reader.
pub fn unread(tty: &Path) -> io::Result<u64> {
    Ok(ioctl_fionread(&looked_at(tty)?)?)
}

/// Opens a terminal without becoming its owner and without waiting.
fn looked_at(tty: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(open(tty, flags, Mode::empty())?)
}

/// Whether standard output is a terminal.
pub fn is_stdout_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether standard error is a terminal.
pub fn is_stderr_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Whether standard input is a terminal.
pub fn is_stdin_terminal() -> bool {
    io::stdin().is_terminal()
}

/// The columns of the terminal on standard output, if there is one that knows.
pub fn width() -> Option<u16> {
    tcgetwinsize(io::stdout()).ok().map(|it| it.ws_col).filter(|it| *it > 0)
}
