//! The stored life of an agent: what Drover did with it, not what it is doing.

use crate::word::word_enum;

word_enum! {
    /// Where an agent is in its life.
    pub enum Lifecycle("lifecycle") {
        /// Recorded; nothing has been made for it.
        Planned = "planned",
        /// Its pane is being made; the row carries a deadline.
        Launching = "launching",
        /// Its program was started and has not been seen to end.
        Running = "running",
        /// Running, and said nothing for longer than the policy allows.
        Silent = "silent",
        /// Silent, and asked once.
        Nudged = "nudged",
        /// Its conversation is being brought back; the row carries a deadline.
        Restoring = "restoring",
        /// Its process or pane is provably gone.
        Exited = "exited",
        /// It could not be started.
        Failed = "failed",
        /// Closed on purpose; its name is free.
        Closed = "closed",
    }
}

impl Lifecycle {
    /// Whether a pane of this agent may exist, so that looking for it makes sense.
    pub fn may_have_pane(self) -> bool {
        match self {
            Self::Launching | Self::Running | Self::Silent | Self::Nudged | Self::Restoring => true,
            Self::Planned | Self::Exited | Self::Failed | Self::Closed => false,
        }
    }

    /// Whether the program was started and not seen to end.
    pub fn is_running(self) -> bool {
        match self {
            Self::Running | Self::Silent | Self::Nudged => true,
            Self::Planned
            | Self::Launching
            | Self::Restoring
            | Self::Exited
            | Self::Failed
            | Self::Closed => false,
        }
    }

    /// Whether the row waits for a step that must end by its deadline.
    pub fn has_deadline(self) -> bool {
        match self {
            Self::Launching | Self::Restoring => true,
            Self::Planned
            | Self::Running
            | Self::Silent
            | Self::Nudged
            | Self::Exited
            | Self::Failed
            | Self::Closed => false,
        }
    }

    /// Whether the row holds the agent's name.
    pub fn holds_name(self) -> bool {
        self != Self::Closed
    }
}
