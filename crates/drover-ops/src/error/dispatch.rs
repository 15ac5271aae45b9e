//! What is refused about dispatch.

/// Why a dispatcher was refused.
#[derive(Debug, thiserror::Error)]
pub enum DispatchError {
    /// Another dispatcher of the project lives.
    #[error("another dispatcher works on the project {project}")]
    Running {
        /// The project.
        project: String,
    },
    /// An agent cannot be given a task in the way it takes work.
    #[error("the agent {agent} is given no tasks: it takes work by {takes_work}")]
    TakesNoWork {
        /// The agent.
        agent: String,
        /// How it takes work.
        takes_work: String,
    },
    /// Somebody was faster.
    #[error("the task {task} was taken by another meanwhile")]
    Taken {
        /// The task.
        task: String,
    },
    /// A checkout cannot be brought onto the trunk.
    #[error("{branch} conflicts with the trunk in {}", files.join(", "))]
    NotOnTrunk {
        /// The branch.
        branch: String,
        /// The files.
        files: Vec<String>,
    },
}
