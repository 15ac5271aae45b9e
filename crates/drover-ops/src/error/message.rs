//! What is refused about messages to agents.

use drover_core::message::{Level, Mode, Obstacle};
use drover_store::messages::Message;

/// Why a message was not sent, or got no further than it did.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// The message is in the outbox, and it got no further than its row says.
    #[error("the message {} to {agent} {}", message.number, shown(message, *obstacle, detail))]
    Stopped {
        /// The agent.
        agent: String,
        /// Its project.
        project: String,
        /// The message, as far as it got.
        message: Box<Message>,
        /// What stopped it.
        obstacle: Obstacle,
        /// What was seen, in words.
        detail: String,
        /// Whether the pane was taken out of copy mode for it.
        left_copy_mode: bool,
    },
    /// A shell would run the text.
    #[error("the agent {agent} is a shell, which would run the text as a command")]
    ShellRuns {
        /// The agent.
        agent: String,
    },
    /// `--run` for a program that runs nothing.
    #[error("the agent {agent} is no shell but {engine}, which runs no text as a command")]
    NoShell {
        /// The agent.
        agent: String,
        /// What it runs.
        engine: String,
    },
    /// What a mode promises cannot be proven for this engine.
    #[error("{mode} cannot be proven for {agent}: {why}")]
    ModeUnprovable {
        /// The agent.
        agent: String,
        /// The mode.
        mode: Mode,
        /// What is missing.
        why: String,
    },
    /// The engine's own channel does not carry such a text.
    #[error("{agent} is not sent this text: {why}")]
    TextRefused {
        /// The agent.
        agent: String,
        /// What it would take it for.
        why: String,
    },
    /// The engine should be spoken to through a channel of its own, which is not there.
    #[error(
        "the agent {agent} runs {engine}, which has an exact channel of its own that is not set up"
    )]
    ChannelMissing {
        /// The agent.
        agent: String,
        /// What it runs.
        engine: String,
    },
    /// The text is longer than a message may be.
    #[error("the text has {bytes} bytes, and a message may have {most}")]
    TooLong {
        /// The length of the text.
        bytes: usize,
        /// The longest allowed.
        most: usize,
    },
    /// The agent has no message of this number.
    #[error("{agent} has no message {number}")]
    Unknown {
        /// The agent.
        agent: String,
        /// Its project.
        project: String,
        /// The number as given.
        number: i64,
    },
    /// The message has left the outbox, or is leaving it now.
    #[error("the message {number} to {agent} is {level} and can no longer be changed")]
    Left {
        /// The agent.
        agent: String,
        /// Its project.
        project: String,
        /// The message.
        number: i64,
        /// How far it got.
        level: Level,
    },
}

fn shown(message: &Message, obstacle: Obstacle, detail: &str) -> String {
    let sentence = match obstacle {
        Obstacle::AgentDead if message.level == Level::Uncertain => {
            "may not have been taken: its program ended after it was typed"
        }
        Obstacle::AgentDead => "did not reach it: its program is gone",
        Obstacle::ChannelSilent => "was not sent: its own channel does not answer",
        Obstacle::CopyMode => "was not typed: somebody looks at its pane in copy mode",
        Obstacle::CutOff => "may have arrived: the process that typed it ended half-way",
        Obstacle::Declined => "was not taken",
        Obstacle::DialogStands => "was not typed: a dialog waits for an answer",
        Obstacle::DraftStands => "was not typed: its composer holds a draft",
        Obstacle::LineTooLong => "was not typed: a line is too long for its terminal",
        Obstacle::NotTaken => "was handed over, and nothing shows that it was taken",
        Obstacle::PasteLost => "was pasted and never seen",
        Obstacle::StillQueued => "is still queued",
        Obstacle::TakenForCommand => "was not typed: its program would run it as a command",
        Obstacle::Unproven => "was submitted, and the agent itself has not said that it took it",
        Obstacle::Unsubmitted => "was typed, and nothing shows that it was submitted",
    };
    if detail.is_empty() { sentence.to_owned() } else { format!("{sentence} ({detail})") }
}
