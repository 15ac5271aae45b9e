//! What was seen of an agent's machine, server, pane and process; "could not look" is its own
//! answer everywhere.

use jiff::Timestamp;

/// How a process ended, as far as the multiplexer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExitInfo {
    /// The exit status, if it ended by itself.
    pub status: Option<i32>,
    /// The signal, if one ended it.
    pub signal: Option<i32>,
    /// When it ended.
    pub at: Option<Timestamp>,
}

/// Whether the machine has been restarted since the agent was bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BootProbe {
    /// The boot id is the recorded one.
    Same,
    /// The boot id is another: no process of before lives.
    Changed,
    /// The boot id cannot be read.
    Unknown,
}

/// What the agent's multiplexer server answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaneProbe {
    /// The recorded server, by pid and start, answered with its panes.
    Answered(PaneListing),
    /// The recorded server is dead, by pid and start.
    ServerDead,
    /// Nothing was learned.
    NoAnswer {
        /// Why not.
        reason: String,
    },
}

/// What the server's list says about the recorded pane id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaneListing {
    /// The list does not hold it.
    NotListed,
    /// The list holds it.
    Listed {
        /// Whose it is.
        owner: PaneOwner,
        /// How its process ended, if it has and the pane was kept.
        dead: Option<ExitInfo>,
    },
}

/// Whose pane a listed pane is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaneOwner {
    /// It carries the agent's uid.
    Ours,
    /// It carries another uid: the id was used again.
    Stranger,
    /// It carries no uid.
    Unmarked {
        /// Whether the pane's pid is the recorded one.
        same_process: bool,
    },
}

/// What is known of the recorded process, by pid and start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessProbe {
    /// It lives.
    Alive,
    /// No process has that pid and that start.
    Gone,
    /// Nothing was learned.
    Unknown {
        /// Why not.
        reason: String,
    },
}

/// What runs in the foreground of the agent's terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Foreground {
    /// The pane's own shell: it waits for a command.
    OwnShell,
    /// The pane's own shell, which is not at its prompt: it reads its start-up files, or a line.
    OwnShellBusy,
    /// The pane's own shell, which asks for a key, as it does of a person who is new to it.
    OwnShellAsks,
    /// Something else.
    Other {
        /// Its name.
        program: String,
    },
    /// It says nothing for this engine, or nothing was learned.
    Unknown {
        /// Why not.
        reason: String,
    },
}

/// Everything that was asked about an agent's binding in one look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The machine.
    pub boot: BootProbe,
    /// The server and the pane.
    pub pane: PaneProbe,
    /// The process of the pane.
    pub process: ProcessProbe,
}
