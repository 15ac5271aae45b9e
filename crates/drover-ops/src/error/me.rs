//! What is refused about the caller's own work.

/// Why `me` or `me work` was refused.
#[derive(Debug, thiserror::Error)]
pub enum MeError {
    /// The caller is a person.
    #[error("{verb} is for agents, and {who} called it")]
    NotAnAgent {
        /// The verb.
        verb: &'static str,
        /// Who called.
        who: String,
    },
    /// The agent's profile says nothing about how to work.
    #[error("the agent {agent} has no command that works a task")]
    NoWork {
        /// The agent.
        agent: String,
    },
    /// Another `me work` of this agent is running.
    #[error("the agent {agent} is at work already, in process {pid}")]
    AtWork {
        /// The agent.
        agent: String,
        /// The process.
        pid: i64,
    },
}
