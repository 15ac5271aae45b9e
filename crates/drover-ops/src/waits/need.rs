//! The words of a wait: how many must get there, where each stands, and how the wait ended.

/// How many of the waited-for must get there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Need {
    /// Every one.
    #[default]
    All,
    /// One of them.
    Any,
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// What was waited for is there.
    Reached,
    /// An agent that was waited for, or that held a task, is gone.
    Died,
    /// Only a person can move it on.
    NeedsPerson,
    /// A task is gone, so that it can never get there.
    Deleted,
    /// The deadline passed.
    TimedOut,
    /// The person asked to stop.
    Interrupted,
}

/// Where a waited-for agent stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentState {
    /// A turn of it ended, and it said something.
    Done,
    /// A turn of it ended, and what it said is not known, or it said nothing.
    Empty,
    /// A turn of it ended by an error.
    Error,
    /// It waited for work already; no turn was seen.
    Idle,
    /// It is gone.
    Died,
    /// It waits for a person.
    NeedsPerson,
    /// None of these, and the wait went on or was ended by another.
    Pending,
    /// None of these when the time was over.
    TimedOut,
    /// Nothing said what it did when the time was over.
    Unknown,
}

/// Where a waited-for task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    /// It has the status that was waited for.
    Reached,
    /// Its agent died and lost it.
    Died,
    /// Its agent waits for a person, or does nothing.
    Stalled,
    /// It is gone.
    Deleted,
    /// None of these.
    Waiting,
}

/// What a stalled task does to the wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnStall {
    /// It ends the wait.
    #[default]
    Exit,
    /// It is said, and the wait goes on.
    Warn,
}

impl AgentState {
    /// The word as it is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Empty => "empty",
            Self::Error => "error",
            Self::Idle => "idle",
            Self::Died => "died",
            Self::NeedsPerson => "needs_person",
            Self::Pending => "pending",
            Self::TimedOut => "timeout",
            Self::Unknown => "unknown",
        }
    }

    /// Whether nothing more is to be waited for.
    pub fn is_over(self) -> bool {
        match self {
            Self::Done
            | Self::Empty
            | Self::Error
            | Self::Idle
            | Self::Died
            | Self::NeedsPerson => true,
            Self::Pending | Self::TimedOut | Self::Unknown => false,
        }
    }
}

impl TaskState {
    /// The word as it is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reached => "reached",
            Self::Died => "died",
            Self::Stalled => "stalled",
            Self::Deleted => "deleted",
            Self::Waiting => "waiting",
        }
    }
}
