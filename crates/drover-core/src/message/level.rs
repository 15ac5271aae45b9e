//! How far a message got, and when it is to be delivered.

use crate::word::word_enum;

word_enum! {
    /// How far a message got; never more than its channel can prove.
    pub enum Level("message level") {
        /// In the outbox, nothing written to the agent.
        Queued = "queued",
        /// Written to the agent's terminal.
        Typed = "typed",
        /// The agent's composer emptied.
        Submitted = "submitted",
        /// The agent itself said that it took the message.
        Received = "received",
        /// Not written, for a reason that is recorded.
        Refused = "refused",
        /// Taken back before it was written.
        Withdrawn = "withdrawn",
        /// Begun, and whether it arrived cannot be known; it is never sent again blindly.
        Uncertain = "uncertain",
    }
}

word_enum! {
    /// When a message is delivered.
    pub enum Mode("send mode") {
        /// Waits for the end of the turn, then delivers.
        TurnEnd = "turn_end",
        /// Queues, and delivers when the agent is idle.
        WhenIdle = "when_idle",
        /// Stops the turn first.
        Interrupt = "interrupt",
        /// Joins the running turn.
        Steer = "steer",
        /// Starts a new conversation with the text.
        Fresh = "fresh",
    }
}

impl Level {
    /// Whether the message still waits in the outbox: it may be edited or taken back.
    pub fn is_pending(self) -> bool {
        self == Self::Queued
    }
}
