//! What is refused about a run.

/// Why a run did not start.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is nothing to work in.
    #[error("the project {project} has no repository to work in")]
    NoRepository {
        /// The project.
        project: String,
    },
    /// Commands from outside were not trusted.
    #[error("the plan's commands are not trusted, so nothing was started")]
    NotTrusted {
        /// The project.
        project: String,
        /// The commands.
        commands: Vec<String>,
    },
    /// A worker of this name runs something else.
    #[error("the agent {agent} works with {known:?}, not with {asked:?}")]
    OtherWork {
        /// The agent.
        agent: String,
        /// What it works with.
        known: String,
        /// What was asked for.
        asked: String,
    },
}
