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
        /// The flags that say what the workers are to be.
        workers: String,
    },
    /// Nothing says what the workers are to be.
    #[error(
        "the project {project} has no workers yet, and neither --command nor --engine says what they are"
    )]
    NoWorkers {
        /// The project.
        project: String,
    },
    /// A worker of this name is something else.
    #[error("the agent {agent} was started with {known}, not with {asked}")]
    Differs {
        /// The agent, as `<project>/<agent>`.
        agent: String,
        /// The flags that say what it is.
        known: String,
        /// The flags that were given.
        asked: String,
    },
}
