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
    /// The brief did not reach the agent, and the claim is released.
    #[error("{agent} could not be told of {task}: {why}")]
    NotTold {
        /// The task.
        task: String,
        /// The agent.
        agent: String,
        /// How far the brief got.
        why: String,
    },
    /// Something else is in front in the agent's pane, or it is not its pane any more.
    #[error("{agent} is no longer idle")]
    NotIdle {
        /// The agent.
        agent: String,
    },
}
