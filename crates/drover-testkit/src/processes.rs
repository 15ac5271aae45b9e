//! Finds processes in `/proc` and ends them by a handle that cannot name a stranger.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// The variables of which one at least survives every way in which Drover builds an environment.
pub const MARKING_VARIABLES: [&str; 4] =
    ["DROVER_TEST_ROOT", "DROVER_STATE_DIR", "DROVER_TMUX_SOCKET", "HOME"];

/// One process as `/proc/PID/stat` and its siblings show it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Process {
    /// Its process id.
    pub pid: u32,
    /// The id of its parent.
    pub parent: u32,
    /// Its state letter: `R`, `S`, `T`, `Z`, …
    pub state: char,
    /// Its start in clock ticks since boot: with the pid it names the process for good.
    pub start_ticks: u64,
}

/// Every process of this machine that could be read.
pub fn all() -> Vec<Process> {
    let entries = fs::read_dir("/proc").expect("/proc is readable");
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.filter_map(|name| find(name.parse().ok()?)).collect()
}

/// The process with this id, zombies included.
pub fn find(pid: u32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The program's name stands in parentheses and may hold anything, so fields count from the last one.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(Process {
        pid,
        parent: fields.get(1)?.parse().ok()?,
        state: fields.first()?.chars().next()?,
        start_ticks: fields.get(19)?.parse().ok()?,
    })
}

/// Whether the process runs: a zombie does not.
pub fn is_running(pid: u32) -> bool {
    find(pid).is_some_and(|process| process.state != 'Z' && process.state != 'X')
}

/// The running descendants of a process, children first.
pub fn descendants(pid: u32) -> Vec<u32> {
    let processes = all();
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        let children = processes.iter().filter(|process| process.parent == parent);
        found.extend(children.filter(|process| process.state != 'Z').map(|process| process.pid));
        next += 1;
    }
    found.split_off(1)
}

/// The words of the command line, empty for a zombie or a stranger's process.
pub fn command_line(pid: u32) -> Vec<String> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = bytes.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into());
    words.filter(|word: &String| !word.is_empty()).collect()
}

/// The environment the process started with, empty where it cannot be read.
pub fn environment(pid: u32) -> BTreeMap<OsString, OsString> {
    let bytes = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let pairs = bytes.split(|byte| *byte == 0).filter_map(|pair| {
        let middle = pair.iter().position(|byte| *byte == b'=')?;
        let (name, value) = pair.split_at(middle);
        let value = value.get(1..)?;
        Some((OsString::from_vec(name.to_vec()), OsString::from_vec(value.to_vec())))
    });
    pairs.collect()
}

/// The running processes, apart from the caller, whose marking variables name a path at or below `root`.
pub fn marked(root: &Path) -> Vec<u32> {
    let own = std::process::id();
    let running = all().into_iter().filter(|process| process.state != 'Z').map(|it| it.pid);
    running.filter(|pid| *pid != own && is_marked(*pid, root)).collect()
}

/// The processes that hold a listening socket of this path.
pub fn listening_at(socket: &Path) -> Vec<u32> {
    let table = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    let inodes = table.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        // Num RefCount Protocol Flags Type St Inode Path; this flag says that it accepts connections.
        let [_, _, _, "00010000", _, _, inode, path] = fields[..] else { return None };
        (Path::new(path) == socket).then(|| PathBuf::from(format!("socket:[{inode}]")))
    });
    let inodes: Vec<PathBuf> = inodes.collect();
    let holds = |pid: &u32| {
        let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        files.filter_map(|file| fs::read_link(file.path()).ok()).any(|file| inodes.contains(&file))
    };
    if inodes.is_empty() {
        return Vec::new();
    }
    all().into_iter().map(|process| process.pid).filter(holds).collect()
}

/// Asks a process to stop, as Ctrl-C does.
pub fn interrupt(pid: u32) {
    signal(pid, Signal::INT);
}

/// Kills a process that cannot refuse.
pub fn kill(pid: u32) {
    signal(pid, Signal::KILL);
}

/// Sends a signal; a process that has gone is left alone without a word.
pub fn signal(pid: u32, signal: Signal) {
    if let Some(handle) = handle(pid) {
        // Gone between the two calls is what the caller wanted.
        let _ = pidfd_send_signal(handle, signal);
    }
}

/// Kills every marked process of `root`, and those they start meanwhile; returns how many it ended.
pub(crate) fn end_marked(root: &Path) -> usize {
    let mut ended = 0;
    // Each round sees the children that a dying parent still managed to start.
    for _ in 0..50 {
        let pids = marked(root);
        if pids.is_empty() {
            break;
        }
        let handles = pids.into_iter().filter_map(|pid| {
            let handle = handle(pid)?;
            // The handle is open: if the mark is still there, the pid was not taken over by a stranger.
            is_marked(pid, root).then_some(handle)
        });
        for handle in handles.collect::<Vec<_>>() {
            if pidfd_send_signal(&handle, Signal::KILL).is_ok() {
                ended += 1;
                wait_for_end(&handle, 2_000);
            }
        }
    }
    ended
}

/// Waits until the process behind the handle has ended, at most so many milliseconds; says whether it has.
pub(crate) fn wait_for_end(handle: &OwnedFd, milliseconds: u64) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let timeout = Timespec {
        tv_sec: i64::try_from(milliseconds / 1_000).unwrap_or(i64::MAX),
        tv_nsec: i64::try_from(milliseconds % 1_000 * 1_000_000).unwrap_or(0),
    };
    loop {
        match poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&timeout)) {
            Err(rustix::io::Errno::INTR) => {}
            other => return other.is_ok_and(|ready| ready > 0),
        }
    }
}

pub(crate) fn handle(pid: u32) -> Option<OwnedFd> {
    let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

fn is_marked(pid: u32, root: &Path) -> bool {
    let environment = environment(pid);
    let values = MARKING_VARIABLES
        .iter()
        .filter_map(|name| environment.get(OsString::from(name).as_os_str()));
    values.into_iter().any(|value| Path::new(value).starts_with(root))
}
