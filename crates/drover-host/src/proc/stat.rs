//! One process: its identity, parent, group, terminal and directory.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::poll;
use crate::process::Exit;

/// A process for as long as it lives: a number alone is given to another process some day.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// The process id.
    pub pid: u32,
    /// When it started: `<first 8 digits of the boot id>:<clock ticks since boot>`.
    pub start: String,
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.pid, self.start)
    }
}

/// The line of `/proc/PID/stat`, as far as it is used here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) pid: u32,
    pub(super) name: String,
    pub(super) state: char,
    pub(super) parent: u32,
    pub(super) group: u32,
    pub(super) session: u32,
    pub(super) foreground: i64,
    pub(super) ticks: u64,
    exit_code: Option<i32>,
}

impl Stat {
    pub(super) fn read(pid: u32) -> Option<Self> {
        // One read gives the whole line; asking for its length first would cost more than the line.
        let mut line = [0; 1024];
        let mut file = File::open(format!("/proc/{pid}/stat")).ok()?;
        let length = file.read(&mut line).ok()?;
        Self::parse(line.get(..length)?)
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let line = String::from_utf8_lossy(line);
        // The name is what the process likes, brackets and blanks included.
        let (before, after) = line.rsplit_once(')')?;
        let (pid, name) = before.split_once('(')?;
        let fields: Vec<&str> = after.split_whitespace().collect();
        // `fields` begins with field 3 of proc(5).
        let field = |number: usize| fields.get(number - 3).copied();
        Some(Self {
            pid: pid.trim().parse().ok()?,
            name: name.to_owned(),
            state: field(3)?.chars().next()?,
            parent: field(4)?.parse().ok()?,
            group: field(5)?.parse().ok()?,
            session: field(6)?.parse().ok()?,
            foreground: field(8)?.parse().ok()?,
            ticks: field(22)?.parse().ok()?,
            exit_code: field(52).and_then(|it| it.parse().ok()),
        })
    }

    /// A process that has ended but whose parent has not asked yet does not live.
    pub(super) fn is_running(&self) -> bool {
        !matches!(self.state, 'Z' | 'X' | 'x')
    }

    pub(super) fn identity(&self) -> Identity {
        Identity { pid: self.pid, start: format!("{}:{}", boot_id(), self.ticks) }
    }
}

/// The identity of a living process.
pub fn identity(pid: u32) -> Option<Identity> {
    Stat::read(pid).filter(Stat::is_running).map(|it| it.identity())
}

/// The identity of this process.
pub fn own_identity() -> Option<Identity> {
    identity(std::process::id())
}

/// Whether that very process still lives.
pub fn is_alive(process: &Identity) -> bool {
    identity(process.pid).as_ref() == Some(process)
}

/// Takes this process out of the terminal's session, so that what is typed there cannot end it.
pub fn leave_terminal() {
    // One that leads a group already stays in its session: nothing else depends on it.
    let _ = rustix::process::setsid();
}

/// The first 8 digits of this boot's id; a machine that has none to show answers with zeros.
pub fn boot_id() -> &'static str {
    static BOOT_ID: OnceLock<String> = OnceLock::new();
    BOOT_ID.get_or_init(|| {
        std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
            .ok()
            .and_then(|it| it.get(..8).map(str::to_owned))
            .unwrap_or_else(|| "00000000".to_owned())
    })
}

/// The parent of a process.
pub fn parent(pid: u32) -> Option<Identity> {
    identity(Stat::read(pid)?.parent)
}

/// The process group in front on the terminal of a process.
pub fn foreground_group(pid: u32) -> Option<u32> {
    u32::try_from(Stat::read(pid)?.foreground).ok()
}

/// The process group a process is in.
pub fn process_group(pid: u32) -> Option<u32> {
    Stat::read(pid).map(|it| it.group)
}

/// The name of a process as the kernel keeps it; the process may have chosen it.
pub fn name(pid: u32) -> Option<String> {
    Stat::read(pid).map(|it| it.name)
}

/// The directory a process works in.
pub fn cwd(pid: u32) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

/// The words a process was started with, or what it has put in their place.
pub fn arguments(pid: u32) -> Vec<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let Some(last) = line.iter().rposition(|byte| *byte != 0) else { return Vec::new() };
    let words = line.get(..=last).unwrap_or_default().split(|byte| *byte == 0);
    words.map(|it| String::from_utf8_lossy(it).into_owned()).collect()
}

/// How a process ended that its parent has not asked about yet.
pub fn unreaped_exit(pid: u32, parent: u32) -> Option<Exit> {
    let stat = Stat::read(pid).filter(|it| it.state == 'Z' && it.parent == parent)?;
    // As wait(2) gives it: a signal in the low bits, else a code in the next byte.
    stat.exit_code.map(|it| match it & 0x7f {
        0 => Exit::Code((it >> 8) & 0xff),
        signal => Exit::Signal(signal),
    })
}

/// A descriptor that becomes readable when that very process has ended; none if it has.
pub fn pidfd(process: &Identity) -> Option<OwnedFd> {
    let pid = Pid::from_raw(i32::try_from(process.pid).ok()?)?;
    let fd = pidfd_open(pid, PidfdFlags::empty()).ok()?;
    // Asked after opening: from here on the number cannot become somebody else's.
    is_alive(process).then_some(fd)
}

/// Waits for the end of that very process; returns at once if it has ended.
pub fn wait_for_end(process: &Identity) -> std::io::Result<()> {
    end_by(process, None).map(|_| ())
}

/// Whether that very process has ended, or ends within a time; one that cannot be watched has not.
pub fn ends_within(process: &Identity, limit: Duration) -> bool {
    end_by(process, poll::deadline(limit)).unwrap_or(false)
}

fn end_by(process: &Identity, deadline: Option<Instant>) -> std::io::Result<bool> {
    let Some(fd) = pidfd(process) else { return Ok(!is_alive(process)) };
    loop {
        let mut fds = [PollFd::new(&fd, PollFlags::IN)];
        if poll::until(&mut fds, deadline)? > 0 {
            return Ok(true);
        }
        if poll::is_over(deadline) {
            return Ok(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        let line = b"12 (a) R 1 (b) S 7 8 9 34816 10 0 0 0 0 0 1 2 3 4 20 0 1 0 987 0\n";
        let stat = Stat::parse(line).unwrap();
        assert_eq!((stat.pid, stat.parent, stat.group, stat.session), (12, 7, 8, 9));
        assert_eq!((stat.foreground, stat.ticks, stat.state), (10, 987, 'S'));
        assert_eq!(stat.name, "a) R 1 (b");
        assert_eq!(Stat::parse(b"12 (x"), None);
        assert_eq!(Stat::parse(b""), None);
    }

    /// Fault C-05.
    #[test]
    fn this_process_lives_and_another_start_under_its_number_does_not() {
        let own = own_identity().unwrap();
        assert!(is_alive(&own));
        assert!(own.start.starts_with(boot_id()));
        assert!(!is_alive(&Identity { pid: own.pid, start: "00000000:1".to_owned() }));
    }
}
