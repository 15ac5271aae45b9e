//! What is refused about who acts.

/// Why it cannot be said who acts, or why that one may not.
#[derive(Debug, thiserror::Error)]
pub enum ActorError {
    /// A token was given that is no live agent's.
    #[error("DROVER_TOKEN is set, and it is not the token of a running agent")]
    UnknownToken,
    /// The token is an agent's, and this process does not run in that agent's pane.
    #[error("DROVER_TOKEN belongs to the agent {agent}, and this process does not run below it")]
    ForeignToken {
        /// The agent's name.
        agent: String,
    },
    /// `--actor` beside a token.
    #[error("--actor is refused here, because DROVER_TOKEN already says who acts")]
    ActorAndToken,
    /// A verb that only a person may use, called from an agent.
    #[error("{verb} is for people, and the agent {agent} called it")]
    PeopleOnly {
        /// The verb.
        verb: &'static str,
        /// The agent's name.
        agent: String,
    },
}
