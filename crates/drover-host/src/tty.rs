//! Terminals: whether there is one, how wide it is, and how it hands on what is typed.

use std::io::{self, IsTerminal as _};
use std::path::Path;

use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::ioctl_fionread;
use rustix::termios::{LocalModes, tcgetattr, tcgetwinsize};

/// How a terminal hands on what is typed, which its reader decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// In whole lines, which the kernel edits and cuts at 4,095 bytes.
    Lines,
    /// Key by key, each shown as it comes: somebody waits for a single one.
    Shown,
    /// Key by key to a reader that draws for itself, as an editor of lines does.
    Plain,
}

/// How a terminal hands on what is typed.
pub fn keys(tty: &Path) -> io::Result<Keys> {
    let modes = tcgetattr(&looked_at(tty)?)?.local_modes;
    Ok(match (modes.contains(LocalModes::ICANON), modes.contains(LocalModes::ECHO)) {
        (true, _) => Keys::Lines,
        (false, true) => Keys::Shown,
        (false, false) => Keys::Plain,
    })
}

/// Whether the terminal gathers whole lines before its reader sees them.
pub fn is_line_mode(tty: &Path) -> io::Result<bool> {
    Ok(keys(tty)? == Keys::Lines)
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
