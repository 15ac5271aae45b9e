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
    #[error("a {role} may {}", forbidden(verb, agent, limit.as_ref()))]
    RoleForbids {
        /// The caller's role.
        role: Role,
        /// The verb.
        verb: String,
        /// The agent's name.
        agent: String,
        /// What the role may use the verb on, and why this is not that.
        limit: Option<(&'static str, String)>,
        /// How to ask for it: what for, and the command.
        ways: Vec<(&'static str, String)>,
    },
}

fn forbidden(verb: &str, agent: &str, limit: Option<&(&'static str, String)>) -> String {
    match limit {
        None => format!("not use {verb}, and {agent} is one"),
        Some((within, what)) => format!("use {verb} only {within}, and {what}"),
    }
}
