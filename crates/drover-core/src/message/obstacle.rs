//! Why a message got no further than it did.

use crate::word::word_enum;

word_enum! {
    /// What stopped a message; the word is its outcome and its recorded reason.
    pub enum Obstacle("obstacle") {
        /// The agent's program or pane is gone.
        AgentDead = "agent_dead",
        /// The socket or file through which the agent is spoken to does not answer.
        ChannelSilent = "channel_silent",
        /// Somebody looks at the pane in copy mode, which would take the keys.
        CopyMode = "copy_mode",
        /// The process that delivered it ended after it may have begun to type.
        CutOff = "cut_off",
        /// The agent's own channel does not take the text.
        Declined = "declined",
        /// A dialog waits for an answer; typing would answer it.
        DialogStands = "dialog_stands",
        /// The composer holds text that somebody else has not sent.
        DraftStands = "draft_stands",
        /// The terminal takes whole lines, and one of the text is longer than it has room for.
        LineTooLong = "line_too_long",
        /// The text was handed over, and nothing shows that it was taken.
        NotTaken = "not_taken",
        /// The text was pasted and never seen.
        PasteLost = "paste_lost",
        /// The agent was not idle by the deadline.
        StillQueued = "still_queued",
        /// The agent's program would take the text for a command of its own.
        TakenForCommand = "taken_for_command",
        /// It got further than was typed, and not as far as its channel proves for others.
        Unproven = "unproven",
        /// The text was typed, and nothing shows that it was submitted.
        Unsubmitted = "unsubmitted",
    }
}
