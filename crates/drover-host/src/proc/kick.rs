//! Signalling what is in front on a terminal, from outside.

use rustix::process::{Pid, Signal, kill_process_group};

use super::stat::{Identity, Stat, is_alive};

/// A signal that asks what runs to stop, from the gentlest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopSignal {
    /// As Ctrl-C.
    Interrupt,
    /// Asks to end.
    Terminate,
    /// Ends.
    Kill,
}

/// What became of a signal to the front of a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kicked {
    /// This process group got it.
    Signalled {
        /// The group.
        group: u32,
        /// The name of its leader; the process may have chosen it.
        program: String,
    },
    /// The terminal's own program is in front, and it got nothing.
    OwnProgram,
    /// The terminal's own program is gone, or has no terminal.
    Gone,
}

/// Signals the process group in front on the terminal of `own`, unless that is `own` itself.
pub fn kick(own: &Identity, signal: StopSignal) -> Kicked {
    let Some(stat) = Stat::read(own.pid).filter(|_| is_alive(own)) else { return Kicked::Gone };
    let Ok(front) = u32::try_from(stat.foreground) else { return Kicked::Gone };
    if front == stat.group {
        return Kicked::OwnProgram;
    }
    // A group without its leader has no name to tell, and is still one of this terminal.
    let leader = Stat::read(front);
    if leader.as_ref().is_some_and(|it| it.session != stat.session) {
        return Kicked::Gone;
    }
    let signal = match signal {
        StopSignal::Interrupt => Signal::INT,
        StopSignal::Terminate => Signal::TERM,
        StopSignal::Kill => Signal::KILL,
    };
    match i32::try_from(front).ok().and_then(Pid::from_raw) {
        Some(group) if kill_process_group(group, signal).is_ok() => {
            let program = leader.map_or_else(String::new, |it| it.name);
            Kicked::Signalled { group: front, program }
        }
        _ => Kicked::Gone,
    }
}
