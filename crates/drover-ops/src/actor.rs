//! Who acts: an agent by its token or its pane's mark, else a person.

use drover_store::agents::Agent;

/// Who acts in this call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person.
    Person {
        /// The login name, or what `--actor` says.
        name: String,
    },
    /// An agent, proven by its token or by the mark of its pane.
    Agent(Box<Agent>),
}

impl Actor {
    /// The word in the log: an agent's name, or `user:<name>`.
    pub fn word(&self) -> String {
        match self {
            Self::Person { name } => format!("user:{name}"),
            Self::Agent(agent) => agent.name.clone(),
        }
    }

    /// Who holds what this actor claims, as it is stored: `<word>@<machine>`.
    pub fn holder(&self, machine: &str) -> String {
        format!("{}@{machine}", self.word())
    }

    /// The uid of an acting agent.
    pub fn agent_uid(&self) -> Option<&str> {
        match self {
            Self::Person { .. } => None,
            Self::Agent(agent) => Some(&agent.uid),
        }
    }
}

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
