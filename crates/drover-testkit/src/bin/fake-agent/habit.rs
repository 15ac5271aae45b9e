//! What a stand-in gets wrong.

use clap::ValueEnum;

/// One bad habit.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Habit {
    /// Takes a connection and never answers.
    Silent,
    /// Answers with what is no message.
    Garbage,
    /// Answers with the beginning of a message and hangs up.
    HalfALine,
    /// Answers in another version of the protocol.
    OtherVersion,
    /// Says that it is another agent's.
    OtherAgent,
    /// Takes a text and hangs up before it says so.
    HangsUp,
    /// Says that it took a text and begins no turn with it, or one with another text.
    ClaimsTooMuch,
    /// Refuses every text.
    Refuses,
    /// Says everything twice.
    Twice,
    /// Leaves the status of a process that had its number before.
    OldStatus,
}
