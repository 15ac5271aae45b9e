//! What is refused about who acts.

use drover_core::agent::Role;

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
    /// `--actor` in an agent's pane.
    #[error("--actor is refused here, because this process runs below the agent {agent}")]
    ActorInPane {
        /// The agent's name.
        agent: String,
    },
    /// An agent's sandbox keeps from us what every verb needs.
    #[error(
        "sandbox denies {what}; use the MCP tools of the server drover, which run outside of it"
    )]
    SandboxDenies {
        /// What is denied.
        what: String,
    },
    /// A verb that only a person may use, called from an agent.
    #[error("{verb} is for people, and the agent {agent} called it")]
    PeopleOnly {
        /// The verb.
        verb: String,
        /// The agent's name.
        agent: String,
    },
    /// A verb, or a use of it, that the caller's role does not have.
    #[error("{0}")]
    RoleForbids(Box<Forbidden>),
}

/// What a role forbids, and the way to ask for it.
#[derive(Debug)]
pub struct Forbidden {
    /// The caller's role.
    pub role: Role,
    /// The verb.
    pub verb: String,
    /// The agent's name.
    pub agent: String,
    /// What the role may use the verb on, and why this is not that.
    pub limit: Option<(&'static str, String)>,
    /// How to ask for it: what for, and the command.
    pub ways: Vec<(&'static str, String)>,
}

impl std::fmt::Display for Forbidden {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { role, verb, agent, .. } = self;
        match &self.limit {
            None => write!(formatter, "a {role} may not use {verb}, and {agent} is one"),
            Some((within, what)) => {
                write!(formatter, "a {role} may use {verb} only {within}, and {what}")
            }
        }
    }
}
